//! The calls about page-locked memory of the host.

use crate::answer::answer;
use crate::call::{call, call_when_idle};
use crate::handles::{address_of, memory_at};
use std::ffi::{c_uint, c_void};
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::memory::Owner;

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaHostAlloc(
    address: *mut *mut c_void,
    bytes: usize,
    flags: c_uint,
) -> CudaError {
    call("cudaHostAlloc", |machine| {
        if address.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let allocated = machine.allocate_page_locked(bytes as u64, flags)?;
        // SAFETY: the program passes a place for an address.
        unsafe { answer(address, memory_at(allocated)) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMallocHost(address: *mut *mut c_void, bytes: usize) -> CudaError {
    // SAFETY: the same contract.
    unsafe { wsrt_cudaHostAlloc(address, bytes, 0) }
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFreeHost(address: *mut c_void) -> CudaError {
    // SAFETY: memory that is freed is not followed.
    let address = unsafe { address_of(address) };
    call_when_idle("cudaFreeHost", |machine| machine.free_page_locked(address))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaHostGetFlags(flags: *mut c_uint, address: *mut c_void) -> CudaError {
    call("cudaHostGetFlags", |machine| {
        // SAFETY: memory that is asked about is not followed.
        let value = machine.page_locked_flags(unsafe { address_of(address) })?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(flags, value) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaHostGetDevicePointer(
    device: *mut *mut c_void,
    host: *mut c_void,
    flags: c_uint,
) -> CudaError {
    call("cudaHostGetDevicePointer", |machine| {
        // SAFETY: memory that is asked about is not followed.
        let address = unsafe { address_of(host) };
        if flags != 0 || machine.owner_of(address)? != Owner::PageLocked {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program passes a place for an address.
        unsafe { answer(device, host) }
    })
}
