//! Memory with a pitch: the allocation of boxes, and filling rows and boxes.

use crate::answer::answer;
use crate::call::call;
use crate::handles::{address_of, stream_of};
use crate::types::CudaStream;
use std::ffi::{c_int, c_void};
use warpsan_runtime::machine::boxes::{BoxOfMemory, Extent, PitchedPointer};
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::memory::pitched_size;
use warpsan_runtime::machine::streams::StreamHandle;
use warpsan_runtime::{AllocationKind, DeviceAddress, ProgramAddress};

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMalloc3D(place: *mut PitchedPointer, extent: Extent) -> CudaError {
    call("cudaMalloc3D", |machine| {
        if place.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let Extent { width, height, depth } = extent;
        let (pitch, bytes) = pitched_size(width, height, depth)?;
        let address = machine.allocate(bytes as u64, AllocationKind::Device)?;
        let address = ProgramAddress::of_device(DeviceAddress(address));
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
    call("cudaMemset2DAsync", |machine| {
        // SAFETY: the program fills its own memory.
        let place = BoxOfMemory::of_rows(unsafe { address_of(address) }, pitch);
        let extent = Extent { width, height, depth: 1 };
        machine.fill_box(place, value, extent, stream_of(stream))
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
    call("cudaMemset2D", |machine| {
        // SAFETY: the program fills its own memory.
        let address = unsafe { address_of(address) };
        let place = BoxOfMemory::of_rows(address, pitch);
        let extent = Extent { width, height, depth: 1 };
        machine.fill_box(place, value, extent, StreamHandle::DEFAULT)?;
        machine.wait_if_host_visible(address)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemset3DAsync(
    place: PitchedPointer,
    value: c_int,
    extent: Extent,
    stream: CudaStream,
) -> CudaError {
    call("cudaMemset3D", |machine| {
        machine.fill_box(BoxOfMemory::of_pointer(place), value, extent, stream_of(stream))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemset3D(
    place: PitchedPointer,
    value: c_int,
    extent: Extent,
) -> CudaError {
    call("cudaMemset3D", |machine| {
        let memory = BoxOfMemory::of_pointer(place);
        machine.fill_box(memory, value, extent, StreamHandle::DEFAULT)?;
        machine.wait_if_host_visible(place.address)
    })
}
