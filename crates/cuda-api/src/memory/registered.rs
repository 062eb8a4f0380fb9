//! The calls about memory of the program that it registers, so that kernels may use it in place.

use crate::call::{call, call_when_idle};
use crate::handles::address_of;
use std::ffi::{c_uint, c_void};
use warpsan_runtime::machine::error::CudaError;

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaHostRegister(
    address: *mut c_void,
    bytes: usize,
    flags: c_uint,
) -> CudaError {
    call("cudaHostRegister", |machine| {
        // SAFETY: the program has to keep the memory until it unregisters it.
        let address = unsafe { address_of(address) };
        machine.register_memory(address, bytes as u64, flags)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaHostUnregister(address: *mut c_void) -> CudaError {
    // SAFETY: memory that is taken back is not followed.
    let address = unsafe { address_of(address) };
    call_when_idle("cudaHostUnregister", |machine| machine.unregister_memory(address))
}
