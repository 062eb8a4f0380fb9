//! Memory with a pitch: the allocation of boxes, and filling rows and boxes.

use crate::boxes::BoxOfMemory;
use crate::call::{Api, call};
use crate::error::CudaError;
use crate::memory::{allocate, checked_fill, pitched_size, submit_fills, wait_if_host_visible};
use crate::memory_types::{Extent, PitchedPointer};
use crate::streams::answer;
use crate::types::CudaStream;
use std::ffi::{c_int, c_void};
use warpsan_runtime::AllocationKind;

/// Puts the fills of all rows into a stream.
///
/// # Safety
/// Registered memory that is filled stays as it is until the work is done.
unsafe fn fill_box(
    api: &mut Api,
    place: BoxOfMemory,
    value: c_int,
    extent: Extent,
    stream: CudaStream,
) -> Result<(), CudaError> {
    api.streams.check(stream)?;
    if extent.is_empty() {
        return Ok(());
    }
    if !place.has_room_for(extent) {
        return Err(CudaError::INVALID_VALUE);
    }
    place.check_is_allocated(api, extent)?;
    let mut rows = Vec::new();
    for slice in 0..extent.depth {
        for row in 0..extent.height {
            rows.extend(checked_fill(api, place.row(slice, row), value, extent.width)?);
        }
    }
    // SAFETY: passed on from the caller.
    unsafe { submit_fills(api, stream, rows) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMalloc3D(place: *mut PitchedPointer, extent: Extent) -> CudaError {
    call("cudaMalloc3D", |api| {
        if place.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let Extent { width, height, depth } = extent;
        let (pitch, bytes) = pitched_size(width, height, depth)?;
        let mut address = std::ptr::null_mut();
        // SAFETY: the place for the address is our own.
        unsafe { allocate(api, &raw mut address, bytes, AllocationKind::Device) }?;
        // SAFETY: the program passes a place for the structure.
        unsafe { answer(place, PitchedPointer { address, pitch, row_bytes: width, rows: height }) }
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
    call("cudaMemset2DAsync", |api| {
        let place = BoxOfMemory::of_rows(address, pitch);
        // SAFETY: the program fills its own memory.
        unsafe { fill_box(api, place, value, Extent { width, height, depth: 1 }, stream) }
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
    call("cudaMemset2D", |api| {
        let place = BoxOfMemory::of_rows(address, pitch);
        let extent = Extent { width, height, depth: 1 };
        // SAFETY: the program fills its own memory.
        unsafe { fill_box(api, place, value, extent, std::ptr::null_mut()) }?;
        wait_if_host_visible(api, address)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemset3DAsync(
    place: PitchedPointer,
    value: c_int,
    extent: Extent,
    stream: CudaStream,
) -> CudaError {
    call("cudaMemset3D", |api| {
        // SAFETY: the program fills its own memory.
        unsafe { fill_box(api, BoxOfMemory::of_pointer(place), value, extent, stream) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemset3D(
    place: PitchedPointer,
    value: c_int,
    extent: Extent,
) -> CudaError {
    call("cudaMemset3D", |api| {
        let memory = BoxOfMemory::of_pointer(place);
        // SAFETY: the program fills its own memory.
        unsafe { fill_box(api, memory, value, extent, std::ptr::null_mut()) }?;
        wait_if_host_visible(api, place.address)
    })
}
