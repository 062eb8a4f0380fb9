//! What is known about an address.

use crate::call::{Api, call};
use crate::error::CudaError;
use crate::memory_types::{PointerAttributes12, PointerAttributes13};
use crate::streams::answer;
use std::ffi::{c_int, c_void};
use warpsan_runtime::{Allocation, AllocationKind, DeviceAddress};

/// `cudaMemoryType`.
const UNREGISTERED: c_int = 0;
const HOST: c_int = 1;
const DEVICE: c_int = 2;
const MANAGED: c_int = 3;

/// `cudaInvalidDeviceId`.
pub(crate) const NO_DEVICE: c_int = -2;

/// Whose memory an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The program's own memory, or none at all.
    Program,
    /// Page-locked memory of the host: of this API, or registered with it.
    PageLocked,
    /// Memory for kernels and copies.
    Device,
    /// Memory for host and kernels.
    Managed,
}

/// Whose memory an address is.
pub(crate) fn owner_of(api: &mut Api, address: *const c_void) -> Result<Owner, CudaError> {
    if api.registered_memory.contains(address.addr(), 1) {
        return Ok(Owner::PageLocked);
    }
    let allocation = allocation_at(api, address)?;
    Ok(match allocation.map(|allocation| allocation.kind) {
        None => Owner::Program,
        Some(AllocationKind::Managed) => Owner::Managed,
        Some(AllocationKind::Pinned) => Owner::PageLocked,
        Some(AllocationKind::Device | AllocationKind::Heap) => Owner::Device,
    })
}

/// The allocation of device memory that an address lies in.
pub(crate) fn allocation_at(
    api: &mut Api,
    address: *const c_void,
) -> Result<Option<Allocation>, CudaError> {
    Ok(api.session()?.allocation_at(DeviceAddress(address.addr() as u64)))
}

fn attributes(api: &mut Api, address: *const c_void) -> Result<PointerAttributes12, CudaError> {
    let address = address.cast_mut();
    let nothing = std::ptr::null_mut();
    let (kind, device, device_pointer, host_pointer) = match owner_of(api, address)? {
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
    call("cudaPointerGetAttributes", |api| {
        let known = attributes(api, address)?;
        // SAFETY: the program passes a place for the structure of CUDA 12.
        unsafe { answer(place, known) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt13_cudaPointerGetAttributes(
    place: *mut PointerAttributes13,
    address: *const c_void,
) -> CudaError {
    call("cudaPointerGetAttributes", |api| {
        let known = attributes(api, address)?;
        // SAFETY: the program passes a place for the structure of CUDA 13.
        unsafe { answer(place, PointerAttributes13 { known, reserved: [0; 8] }) }
    })
}
