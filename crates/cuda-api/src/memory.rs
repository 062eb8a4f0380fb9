//! Device and managed memory: allocation, freeing, filling.

use crate::call::{Api, call};
use crate::error::CudaError;
use crate::streams::answer;
use crate::streams::begin_work;
use crate::types::CudaStream;
use std::ffi::{c_int, c_uint, c_void};
use warpsan_runtime::{AllocationKind, DeviceAddress};

/// Rows of pitched memory start at multiples of this.
const PITCH_ALIGNMENT: usize = 512;

/// `cudaMemAttachGlobal | cudaMemAttachHost`; one of them is asked for.
const ATTACH_GLOBAL: c_uint = 1;
const ATTACH_HOST: c_uint = 2;

/// Allocates memory and hands its address to the program; nothing is allocated for no bytes.
///
/// # Safety
/// `address` is null or a place for an address.
unsafe fn allocate(
    api: &mut Api,
    address: *mut *mut c_void,
    bytes: usize,
    kind: AllocationKind,
) -> Result<(), CudaError> {
    if address.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    let allocated = match bytes {
        0 => 0,
        _ => api.session()?.allocate(bytes as u64, kind)?.0,
    };
    // SAFETY: passed on from the caller.
    unsafe { answer(address, std::ptr::with_exposed_provenance_mut(allocated as usize)) }
}

fn free(api: &mut Api, address: *mut c_void) -> Result<(), CudaError> {
    if address.is_null() {
        return Ok(());
    }
    Ok(api.session()?.free(DeviceAddress(address.addr() as u64))?)
}

/// Fills memory; page-locked host memory is filled in place.
///
/// # Safety
/// What is not device memory but page-locked host memory belongs to the program.
unsafe fn fill(
    api: &mut Api,
    address: *mut c_void,
    value: c_int,
    bytes: usize,
) -> Result<(), CudaError> {
    if bytes == 0 {
        return Ok(());
    }
    // Only the lowest byte counts, as for `memset`.
    let byte = value as u8;
    if api.host_memory.contains(address.addr(), bytes) {
        // SAFETY: the range lies inside an allocation that the program may write.
        unsafe { address.cast::<u8>().write_bytes(byte, bytes) };
        return Ok(());
    }
    Ok(api.session()?.fill(DeviceAddress(address.addr() as u64), byte, bytes as u64)?)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMalloc(address: *mut *mut c_void, bytes: usize) -> CudaError {
    call("cudaMalloc", |api| {
        // SAFETY: the program passes a place for an address.
        unsafe { allocate(api, address, bytes, AllocationKind::Device) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMallocAsync(
    address: *mut *mut c_void,
    bytes: usize,
    stream: CudaStream,
) -> CudaError {
    call("cudaMallocAsync", |api| {
        api.streams.check(stream)?;
        // SAFETY: the program passes a place for an address.
        unsafe { allocate(api, address, bytes, AllocationKind::Device) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMallocManaged(
    address: *mut *mut c_void,
    bytes: usize,
    flags: c_uint,
) -> CudaError {
    call("cudaMallocManaged", |api| {
        if bytes == 0 || !matches!(flags, ATTACH_GLOBAL | ATTACH_HOST) {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program passes a place for an address.
        unsafe { allocate(api, address, bytes, AllocationKind::Managed) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMallocPitch(
    address: *mut *mut c_void,
    pitch: *mut usize,
    width: usize,
    height: usize,
) -> CudaError {
    call("cudaMallocPitch", |api| {
        let row = width.checked_next_multiple_of(PITCH_ALIGNMENT);
        let row = row.ok_or(CudaError::MEMORY_ALLOCATION)?;
        let bytes = row.checked_mul(height).ok_or(CudaError::MEMORY_ALLOCATION)?;
        // SAFETY: the program passes places for an address and a number.
        unsafe {
            answer(pitch, row)?;
            allocate(api, address, bytes, AllocationKind::Device)
        }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFree(address: *mut c_void) -> CudaError {
    call("cudaFree", |api| free(api, address))
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFreeAsync(address: *mut c_void, stream: CudaStream) -> CudaError {
    call("cudaFreeAsync", |api| {
        api.streams.check(stream)?;
        free(api, address)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemset(
    address: *mut c_void,
    value: c_int,
    bytes: usize,
) -> CudaError {
    call("cudaMemset", |api| {
        begin_work(api, std::ptr::null_mut())?;
        // SAFETY: the program fills its own memory.
        unsafe { fill(api, address, value, bytes) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemsetAsync(
    address: *mut c_void,
    value: c_int,
    bytes: usize,
    stream: CudaStream,
) -> CudaError {
    call("cudaMemsetAsync", |api| {
        begin_work(api, stream)?;
        // SAFETY: the program fills its own memory.
        unsafe { fill(api, address, value, bytes) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemset2DAsync(
    address: *mut c_void,
    pitch: usize,
    value: c_int,
    width: usize,
    height: usize,
    stream: CudaStream,
) -> CudaError {
    call("cudaMemset2D", |api| {
        begin_work(api, stream)?;
        if width > pitch && height > 1 {
            return Err(CudaError::INVALID_PITCH_VALUE);
        }
        for row in 0..height {
            let start = address.wrapping_byte_add(row.wrapping_mul(pitch));
            // SAFETY: the program fills its own memory.
            unsafe { fill(api, start, value, width) }?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemset2D(
    address: *mut c_void,
    pitch: usize,
    value: c_int,
    width: usize,
    height: usize,
) -> CudaError {
    // SAFETY: the same contract.
    unsafe { wsrt_cudaMemset2DAsync(address, pitch, value, width, height, std::ptr::null_mut()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemGetInfo(free: *mut usize, total: *mut usize) -> CudaError {
    call("cudaMemGetInfo", |api| {
        let (free_bytes, total_bytes) = api.session()?.memory_info();
        // SAFETY: the program passes places for two numbers.
        unsafe {
            answer(free, free_bytes as usize)?;
            answer(total, total_bytes as usize)
        }
    })
}
