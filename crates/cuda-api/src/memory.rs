//! Device and managed memory: allocation, freeing, filling.

use crate::call::{Api, call, call_when_idle};
use crate::capture;
use crate::copy::side_of;
use crate::error::CudaError;
use crate::graph_nodes::{FillNode, NodeWork};
use crate::pointers::allocation_at;
use crate::streams::{answer, answer_if_wanted, submit};
use crate::types::CudaStream;
use std::ffi::{c_int, c_uint, c_void};
use warpsan_runtime::{AllocationKind, DeviceAddress, Pattern, Side, Task, Transfer, Wait};

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
    api.captures.check_allowed()?;
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
    api.captures.check_allowed()?;
    let place = DeviceAddress(address.addr() as u64);
    let session = api.session()?;
    let allocation = session.allocation_at(place).ok_or(CudaError::INVALID_VALUE)?;
    session.free(place)?;
    api.pools.forget(address.addr());
    api.advice.forget(place.0, allocation.bytes);
    Ok(())
}

/// Frees what `cudaFree` may free: no page-locked memory of the host, and nothing for a null address.
fn free_device_memory(api: &mut Api, address: *mut c_void) -> Result<(), CudaError> {
    if address.is_null() {
        return Ok(());
    }
    check_can_be_freed(api, address)?;
    // Only memory of pools is given back without waiting for the device.
    if !api.pools.has(address.addr()) {
        api.wait_for(Wait::Everything)?;
    }
    free(api, address)
}

/// Refuses what is not the start of device or managed memory.
pub(crate) fn check_can_be_freed(api: &mut Api, address: *mut c_void) -> Result<(), CudaError> {
    let allocation = allocation_at(api, address)?.ok_or(CudaError::INVALID_VALUE)?;
    let is_start = allocation.address.0 == address.addr() as u64;
    match allocation.kind {
        AllocationKind::Device | AllocationKind::Managed if is_start => Ok(()),
        _ => Err(CudaError::INVALID_VALUE),
    }
}

/// A fill, checked; registered memory of the host can be filled, too.
pub(crate) fn checked_fill(
    api: &mut Api,
    address: *mut c_void,
    value: c_int,
    bytes: usize,
) -> Result<Option<Transfer>, CudaError> {
    if bytes == 0 {
        return Ok(None);
    }
    let to = side_of(api, address, bytes)?;
    if matches!(to, Side::Host(_)) {
        return Err(CudaError::INVALID_VALUE);
    }
    // Only the lowest byte counts, as for `memset`.
    let pattern = Pattern { value: u32::from(value as u8), bytes: 1 };
    Ok(Some(Transfer::Fill { to, pattern, bytes: bytes as u64 }))
}

/// Puts fills into a stream, or into the graph that it is captured to.
///
/// # Safety
/// Registered memory that is filled stays as it is until the work is done.
pub(crate) unsafe fn submit_fills(
    api: &mut Api,
    stream: CudaStream,
    fills: Vec<Transfer>,
) -> Result<(), CudaError> {
    if capture::is_capturing(api, stream)? {
        return capture::add_node(api, stream, NodeWork::Fill(FillNode::of_transfers(fills)));
    }
    // SAFETY: passed on from the caller.
    unsafe { submit(api, stream, Task::Transfers(fills)) }
}

/// Puts a fill into a stream.
///
/// # Safety
/// Registered memory that is filled stays as it is until the work is done.
unsafe fn fill(
    api: &mut Api,
    address: *mut c_void,
    value: c_int,
    bytes: usize,
    stream: CudaStream,
) -> Result<(), CudaError> {
    api.streams.check(stream)?;
    let Some(fill) = checked_fill(api, address, value, bytes)? else { return Ok(()) };
    // SAFETY: passed on from the caller.
    unsafe { submit_fills(api, stream, vec![fill]) }
}

/// A fill of memory that the host can use returns when it is done.
pub(crate) fn wait_if_host_visible(api: &mut Api, address: *mut c_void) -> Result<(), CudaError> {
    let allocation = allocation_at(api, address)?;
    let is_visible = allocation.is_none_or(|allocation| allocation.kind.is_host_visible());
    if !is_visible {
        return Ok(());
    }
    let default = api.streams.name(std::ptr::null_mut())?;
    api.wait_for(Wait::Stream(default))
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
    call_when_idle("cudaFree", |api| free_device_memory(api, address))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemset(
    address: *mut c_void,
    value: c_int,
    bytes: usize,
) -> CudaError {
    call("cudaMemset", |api| {
        // SAFETY: the program fills its own memory.
        unsafe { fill(api, address, value, bytes, std::ptr::null_mut()) }?;
        wait_if_host_visible(api, address)
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
        // SAFETY: the program fills its own memory.
        unsafe { fill(api, address, value, bytes, stream) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemGetInfo(free: *mut usize, total: *mut usize) -> CudaError {
    call("cudaMemGetInfo", |api| {
        let (free_bytes, total_bytes) = api.session()?.memory_info();
        for (place, value) in [(free, free_bytes), (total, total_bytes)] {
            // SAFETY: the program passes null or a place for a number.
            unsafe { answer_if_wanted(place, value as usize) };
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
