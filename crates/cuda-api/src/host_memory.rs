//! Page-locked memory of the host that this API allocates. It is device memory that the host may use
//! too, so kernels and the host know it by one address.

use crate::call::{Api, call, call_when_idle};
use crate::error::CudaError;
use crate::memory::{allocate, free};
use crate::pointers::{Owner, owner_of};
use crate::streams::answer;
use std::collections::BTreeMap;
use std::ffi::{c_uint, c_void};
use warpsan_runtime::{AllocationKind, DeviceAddress};

/// `cudaHostAllocPortable` and `cudaHostAllocMapped`.
pub(crate) const PORTABLE: c_uint = 1;
pub(crate) const MAPPED: c_uint = 2;
/// `cudaHostAllocWriteCombined`.
const WRITE_COMBINED: c_uint = 4;

/// The flags of page-locked allocations, by their first address.
#[derive(Default)]
pub(crate) struct HostMemory {
    flags: BTreeMap<usize, c_uint>,
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaHostAlloc(
    address: *mut *mut c_void,
    bytes: usize,
    flags: c_uint,
) -> CudaError {
    call("cudaHostAlloc", |api| {
        if flags & !(PORTABLE | MAPPED | WRITE_COMBINED) != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program passes a place for an address.
        let allocated = unsafe { allocate(api, address, bytes, AllocationKind::Pinned) }?;
        if allocated != 0 {
            // With unified addresses every such allocation is mapped.
            api.host_memory.flags.insert(allocated, flags | MAPPED);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMallocHost(address: *mut *mut c_void, bytes: usize) -> CudaError {
    // SAFETY: the same contract.
    unsafe { wsrt_cudaHostAlloc(address, bytes, 0) }
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFreeHost(address: *mut c_void) -> CudaError {
    call_when_idle("cudaFreeHost", |api| {
        if address.is_null() {
            return Ok(());
        }
        let flags = api.host_memory.flags.remove(&address.addr());
        flags.ok_or(CudaError::INVALID_VALUE)?;
        free(api, address)
    })
}

/// The flags of the page-locked or managed memory around an address.
fn flags_of(api: &mut Api, address: *mut c_void) -> Result<c_uint, CudaError> {
    if owner_of(api, address)? == Owner::Managed {
        return Ok(MAPPED);
    }
    if let Some(flags) = api.registered_memory.flags_at(address.addr()) {
        return Ok(flags);
    }
    let place = DeviceAddress(address.addr() as u64);
    let start = api.session()?.allocation_at(place).map(|allocation| allocation.address.0);
    let flags = start.and_then(|start| api.host_memory.flags.get(&(start as usize)));
    flags.copied().ok_or(CudaError::INVALID_VALUE)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaHostGetFlags(flags: *mut c_uint, address: *mut c_void) -> CudaError {
    call("cudaHostGetFlags", |api| {
        let value = flags_of(api, address)?;
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
    call("cudaHostGetDevicePointer", |api| {
        if flags != 0 || owner_of(api, host)? != Owner::PageLocked {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program passes a place for an address.
        unsafe { answer(device, host) }
    })
}
