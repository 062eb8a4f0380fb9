//! What is known about an address.

use crate::answer::answer;
use crate::call::call;
use crate::handles::address_of;
use crate::memory::types::{PointerAttributes12, PointerAttributes13};
use std::ffi::{c_int, c_void};
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::memory::Owner;
use warpsan_runtime::machine::state::Machine;

/// `cudaMemoryType`.
const UNREGISTERED: c_int = 0;
const HOST: c_int = 1;
const DEVICE: c_int = 2;
const MANAGED: c_int = 3;

/// `cudaInvalidDeviceId`.
const NO_DEVICE: c_int = -2;

fn attributes(
    machine: &mut Machine,
    address: *const c_void,
) -> Result<PointerAttributes12, CudaError> {
    // SAFETY: memory that is asked about is not followed.
    let of_program = unsafe { address_of(address) };
    let address = address.cast_mut();
    let nothing = std::ptr::null_mut();
    let (kind, device, device_pointer, host_pointer) = match machine.owner_of(of_program)? {
        Owner::Program => (UNREGISTERED, NO_DEVICE, nothing, address),
        Owner::PageLocked => (HOST, 0, address, address),
        Owner::Device => (DEVICE, 0, address, nothing),
        Owner::Managed => (MANAGED, 0, address, address),
    };
    Ok(PointerAttributes12 { kind, device, device_pointer, host_pointer })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt12_cudaPointerGetAttributes(
    place: *mut PointerAttributes12,
    address: *const c_void,
) -> CudaError {
    call("cudaPointerGetAttributes", |machine| {
        let known = attributes(machine, address)?;
        // SAFETY: the program passes a place for the structure of CUDA 12.
        unsafe { answer(place, known) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt13_cudaPointerGetAttributes(
    place: *mut PointerAttributes13,
    address: *const c_void,
) -> CudaError {
    call("cudaPointerGetAttributes", |machine| {
        let known = attributes(machine, address)?;
        // SAFETY: the program passes a place for the structure of CUDA 13.
        unsafe { answer(place, PointerAttributes13 { known, reserved: [0; 8] }) }
    })
}
