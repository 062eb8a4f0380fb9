//! Copies between host and device memory, and within either.

use crate::call::{Api, call};
use crate::error::CudaError;
use crate::streams::begin_work;
use crate::types::CudaStream;
use std::ffi::{c_int, c_void};
use warpsan_runtime::DeviceAddress;

/// `cudaMemcpyKind`.
const HOST_TO_HOST: c_int = 0;
pub(crate) const HOST_TO_DEVICE: c_int = 1;
pub(crate) const DEVICE_TO_HOST: c_int = 2;
pub(crate) const DEVICE_TO_DEVICE: c_int = 3;
pub(crate) const DEFAULT_KIND: c_int = 4;

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
    // A copy of nothing succeeds, whatever else is wrong with it.
    if bytes == 0 {
        return Ok(());
    }
    let registered_at_to = api.registered_memory.contains(to.addr(), bytes);
    let registered_at_from = api.registered_memory.contains(from.addr(), bytes);
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
    // Page-locked host memory passes for device memory, because a device can reach it.
    if expects_to_device && !to_device && !registered_at_to
        || expects_from_device && !from_device && !registered_at_from
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
