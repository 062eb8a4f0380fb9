//! Device and managed memory: allocation, freeing, filling.

use crate::answer::{answer, answer_if_wanted};
use crate::call::{call, call_when_idle};
use crate::handles::{address_of, memory_at, stream_of};
use crate::types::CudaStream;
use std::ffi::{c_int, c_uint, c_void};
use warpsan_runtime::AllocationKind;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::memory::pitched_size;
use warpsan_runtime::machine::state::Machine;
use warpsan_runtime::machine::streams::StreamHandle;

/// `cudaMemAttachGlobal | cudaMemAttachHost`; one of them is asked for.
const ATTACH_GLOBAL: c_uint = 1;
const ATTACH_HOST: c_uint = 2;

/// Allocates memory and hands its address to the program; nothing is allocated for no bytes, and the
/// address is null then.
///
/// # Safety
/// `address` is null or a place for an address.
pub(crate) unsafe fn allocate(
    machine: &mut Machine,
    address: *mut *mut c_void,
    bytes: usize,
    kind: AllocationKind,
) -> Result<u64, CudaError> {
    if address.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    let allocated = machine.allocate(bytes as u64, kind)?;
    // SAFETY: passed on from the caller.
    unsafe { answer(address, memory_at(allocated)) }?;
    Ok(allocated)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMalloc(address: *mut *mut c_void, bytes: usize) -> CudaError {
    call("cudaMalloc", |machine| {
        // SAFETY: the program passes a place for an address.
        unsafe { allocate(machine, address, bytes, AllocationKind::Device) }.map(|_| ())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMallocManaged(
    address: *mut *mut c_void,
    bytes: usize,
    flags: c_uint,
) -> CudaError {
    call("cudaMallocManaged", |machine| {
        if !matches!(flags, ATTACH_GLOBAL | ATTACH_HOST) {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program passes a place for an address.
        unsafe { allocate(machine, address, bytes, AllocationKind::Managed) }.map(|_| ())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMallocPitch(
    address: *mut *mut c_void,
    pitch: *mut usize,
    width: usize,
    height: usize,
) -> CudaError {
    call("cudaMallocPitch", |machine| {
        let (row, bytes) = pitched_size(width, height, 1)?;
        // SAFETY: the program passes places for an address and a number.
        unsafe {
            answer(pitch, row)?;
            allocate(machine, address, bytes, AllocationKind::Device)
        }?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFree(address: *mut c_void) -> CudaError {
    // SAFETY: memory that is freed is not followed.
    let address = unsafe { address_of(address) };
    call_when_idle("cudaFree", |machine| machine.free_device_memory(address))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemset(
    address: *mut c_void,
    value: c_int,
    bytes: usize,
) -> CudaError {
    call("cudaMemset", |machine| {
        // SAFETY: the program fills its own memory.
        let address = unsafe { address_of(address) };
        machine.fill(address, value, bytes, StreamHandle::DEFAULT)?;
        machine.wait_if_host_visible(address)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemsetAsync(
    address: *mut c_void,
    value: c_int,
    bytes: usize,
    stream: CudaStream,
) -> CudaError {
    call("cudaMemsetAsync", |machine| {
        // SAFETY: the program fills its own memory.
        let address = unsafe { address_of(address) };
        machine.fill(address, value, bytes, stream_of(stream))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemGetInfo(free: *mut usize, total: *mut usize) -> CudaError {
    call("cudaMemGetInfo", |machine| {
        let (free_bytes, total_bytes) = machine.session()?.memory_info();
        for (place, value) in [(free, free_bytes), (total, total_bytes)] {
            // SAFETY: the program passes null or a place for a number.
            unsafe { answer_if_wanted(place, value as usize) };
        }
        Ok(())
    })
}
