//! Device and managed memory: allocation, freeing, filling.

use crate::call::{Api, call};
use crate::error::CudaError;
use crate::pointers::allocation_at;
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

/// Allocates memory and hands its address to the program; nothing is allocated for no bytes, and the
/// address is null then.
///
/// # Safety
/// `address` is null or a place for an address.
pub(crate) unsafe fn allocate(
    api: &mut Api,
    address: *mut *mut c_void,
    bytes: usize,
    kind: AllocationKind,
) -> Result<usize, CudaError> {
    if address.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    let allocated = match bytes {
        0 => 0,
        _ => api.session()?.allocate(bytes as u64, kind)?.0 as usize,
    };
    // SAFETY: passed on from the caller.
    unsafe { answer(address, std::ptr::with_exposed_provenance_mut(allocated)) }?;
    Ok(allocated)
}

/// Frees an allocation, and forgets what was noted about it.
pub(crate) fn free(api: &mut Api, address: *mut c_void) -> Result<(), CudaError> {
    let place = DeviceAddress(address.addr() as u64);
    let session = api.session()?;
    let allocation = session.allocation_at(place).ok_or(CudaError::INVALID_VALUE)?;
    session.free(place)?;
    api.pools.forget(address.addr());
    api.advice.forget(place.0, allocation.bytes);
    Ok(())
}

/// Frees what `cudaFree` may free: no page-locked memory of the host, and nothing for a null address.
pub(crate) fn free_device_memory(api: &mut Api, address: *mut c_void) -> Result<(), CudaError> {
    if address.is_null() {
        return Ok(());
    }
    let allocation = allocation_at(api, address)?.ok_or(CudaError::INVALID_VALUE)?;
    match allocation.kind {
        AllocationKind::Device | AllocationKind::Managed => free(api, address),
        AllocationKind::Pinned | AllocationKind::Heap => Err(CudaError::INVALID_VALUE),
    }
}

/// Fills memory; registered memory of the host is filled in place.
///
/// # Safety
/// What is not device memory but registered memory of the host belongs to the program.
pub(crate) unsafe fn fill(
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
    if api.registered_memory.contains(address.addr(), bytes) {
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
        unsafe { allocate(api, address, bytes, AllocationKind::Device) }.map(|_| ())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMallocManaged(
    address: *mut *mut c_void,
    bytes: usize,
    flags: c_uint,
) -> CudaError {
    call("cudaMallocManaged", |api| {
        if !matches!(flags, ATTACH_GLOBAL | ATTACH_HOST) {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program passes a place for an address.
        unsafe { allocate(api, address, bytes, AllocationKind::Managed) }.map(|_| ())
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
        let (row, bytes) = pitched_size(width, height, 1)?;
        // SAFETY: the program passes places for an address and a number.
        unsafe {
            answer(pitch, row)?;
            allocate(api, address, bytes, AllocationKind::Device)
        }?;
        Ok(())
    })
}

/// Bytes from one row to the next of memory with a pitch, and bytes in all.
pub(crate) fn pitched_size(
    width: usize,
    height: usize,
    depth: usize,
) -> Result<(usize, usize), CudaError> {
    if width == 0 || height == 0 || depth == 0 {
        return Ok((0, 0));
    }
    let row = width.checked_next_multiple_of(PITCH_ALIGNMENT);
    let row = row.ok_or(CudaError::MEMORY_ALLOCATION)?;
    let bytes = row.checked_mul(height).and_then(|slice| slice.checked_mul(depth));
    Ok((row, bytes.ok_or(CudaError::MEMORY_ALLOCATION)?))
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFree(address: *mut c_void) -> CudaError {
    call("cudaFree", |api| free_device_memory(api, address))
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
unsafe extern "C" fn wsrt_cudaMemGetInfo(free: *mut usize, total: *mut usize) -> CudaError {
    call("cudaMemGetInfo", |api| {
        let (free_bytes, total_bytes) = api.session()?.memory_info();
        for (place, value) in [(free, free_bytes), (total, total_bytes)] {
            if !place.is_null() {
                // SAFETY: the program passes null or a place for a number.
                unsafe { answer(place, value as usize) }?;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_a_pitch_begin_at_multiples_of_the_alignment() {
        assert_eq!(pitched_size(9, 3, 2), Ok((512, 3072)));
        assert_eq!(pitched_size(512, 1, 1), Ok((512, 512)));
        assert_eq!(pitched_size(0, 3, 1), Ok((0, 0)));
        assert_eq!(pitched_size(usize::MAX, 1, 1), Err(CudaError::MEMORY_ALLOCATION));
        assert_eq!(pitched_size(512, usize::MAX / 512, 2), Err(CudaError::MEMORY_ALLOCATION));
    }
}
