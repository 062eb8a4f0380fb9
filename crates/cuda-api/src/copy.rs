//! Copies between host and device memory, and within either.

use crate::call::{Api, call};
use crate::error::CudaError;
use crate::streams::begin_work;
use crate::types::CudaStream;
use std::ffi::{c_int, c_void};
use warpsan_runtime::DeviceAddress;

/// `cudaMemcpyKind`.
const HOST_TO_HOST: c_int = 0;
const HOST_TO_DEVICE: c_int = 1;
const DEVICE_TO_HOST: c_int = 2;
const DEVICE_TO_DEVICE: c_int = 3;
const DEFAULT_KIND: c_int = 4;

/// Copies bytes. Addresses are unified, so they say themselves where they belong; the kind can only
/// be wrong about them.
///
/// # Safety
/// Of `bytes` bytes, what is not device memory at `to` belongs to the program and may be written,
/// and at `from` may be read.
pub(crate) unsafe fn copy(
    api: &mut Api,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
) -> Result<(), CudaError> {
    let host_memory_at_to = api.host_memory.contains(to.addr(), bytes);
    let host_memory_at_from = api.host_memory.contains(from.addr(), bytes);
    let session = api.session()?;
    let to_device = session.is_device_address(to.addr() as u64);
    let from_device = session.is_device_address(from.addr() as u64);
    let (expects_to_device, expects_from_device) = match kind {
        HOST_TO_HOST | DEFAULT_KIND => (false, false),
        HOST_TO_DEVICE => (true, false),
        DEVICE_TO_HOST => (false, true),
        DEVICE_TO_DEVICE => (true, true),
        _ => return Err(CudaError::INVALID_MEMCPY_DIRECTION),
    };
    if bytes == 0 {
        return Ok(());
    }
    // Page-locked host memory passes for device memory, because a device can reach it.
    if expects_to_device && !to_device && !host_memory_at_to
        || expects_from_device && !from_device && !host_memory_at_from
        || to.is_null()
        || from.is_null()
    {
        return Err(CudaError::INVALID_VALUE);
    }
    let (device_to, device_from) =
        (DeviceAddress(to.addr() as u64), DeviceAddress(from.addr() as u64));
    match (to_device, from_device) {
        (true, true) => session.copy_on_device(device_to, device_from, bytes as u64)?,
        (true, false) => {
            // SAFETY: host memory that the program may read.
            let source = unsafe { std::slice::from_raw_parts(from.cast(), bytes) };
            session.copy_to_device(device_to, source)?;
        }
        (false, true) => {
            // SAFETY: host memory that the program may write.
            let target = unsafe { std::slice::from_raw_parts_mut(to.cast(), bytes) };
            session.copy_from_device(target, device_from)?;
        }
        // SAFETY: host memory on both sides; it may overlap.
        (false, false) => unsafe { to.cast::<u8>().copy_from(from.cast(), bytes) },
    }
    Ok(())
}

/// A copy of rows.
#[derive(Clone, Copy)]
struct Rows {
    to: *mut c_void,
    to_pitch: usize,
    from: *const c_void,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
}

/// # Safety
/// As for [`copy`], for every row.
unsafe fn copy_rows(api: &mut Api, rows: Rows) -> Result<(), CudaError> {
    if rows.width > rows.to_pitch || rows.width > rows.from_pitch {
        return Err(CudaError::INVALID_PITCH_VALUE);
    }
    for row in 0..rows.height {
        let to = rows.to.wrapping_byte_add(row.wrapping_mul(rows.to_pitch));
        let from = rows.from.wrapping_byte_add(row.wrapping_mul(rows.from_pitch));
        // SAFETY: passed on from the caller.
        unsafe { copy(api, to, from, rows.width, rows.kind) }?;
    }
    Ok(())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpyAsync(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
    stream: CudaStream,
) -> CudaError {
    call("cudaMemcpyAsync", |api| {
        begin_work(api, stream)?;
        // SAFETY: the program copies between its own places.
        unsafe { copy(api, to, from, bytes, kind) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
) -> CudaError {
    call("cudaMemcpy", |api| {
        let default = std::ptr::null_mut();
        begin_work(api, default)?;
        // SAFETY: the program copies between its own places.
        let copied = unsafe { copy(api, to, from, bytes, kind) };
        // The call returns when the copy is done.
        api.streams.finish(default);
        copied
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy2DAsync(
    to: *mut c_void,
    to_pitch: usize,
    from: *const c_void,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
    stream: CudaStream,
) -> CudaError {
    call("cudaMemcpy2D", |api| {
        begin_work(api, stream)?;
        let rows = Rows { to, to_pitch, from, from_pitch, width, height, kind };
        // SAFETY: the program copies between its own places.
        unsafe { copy_rows(api, rows) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy2D(
    to: *mut c_void,
    to_pitch: usize,
    from: *const c_void,
    from_pitch: usize,
    width: usize,
    height: usize,
    kind: c_int,
) -> CudaError {
    let stream = std::ptr::null_mut();
    // SAFETY: the same contract.
    unsafe { wsrt_cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, stream) }
}
