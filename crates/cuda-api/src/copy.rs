//! Copies between host and device memory, and within either.

use crate::call::{Api, call};
use crate::capture;
use crate::error::CudaError;
use crate::graph_nodes::{CopyNode, NodeWork};
use crate::streams::submit;
use crate::types::CudaStream;
use std::ffi::{c_int, c_void};
use warpsan_runtime::{AllocationKind, DeviceAddress, Side, Task, Transfer, Wait};

/// `cudaMemcpyKind`.
const HOST_TO_HOST: c_int = 0;
pub(crate) const HOST_TO_DEVICE: c_int = 1;
pub(crate) const DEVICE_TO_HOST: c_int = 2;
pub(crate) const DEVICE_TO_DEVICE: c_int = 3;
pub(crate) const DEFAULT_KIND: c_int = 4;

/// How long a call that copies takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Returns {
    /// At once, as far as the host's memory allows.
    Soon,
    /// When the copy is done, unless it is one inside of the device.
    Afterwards,
}

/// A copy, checked. Addresses are unified, so they say themselves where they belong; the kind can only
/// be wrong about them.
pub(crate) fn checked_copy(
    api: &mut Api,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
) -> Result<Option<Transfer>, CudaError> {
    // A copy of nothing succeeds, whatever else is wrong with it.
    if bytes == 0 {
        return Ok(None);
    }
    let (expects_to_device, expects_from_device) = match kind {
        HOST_TO_HOST | DEFAULT_KIND => (false, false),
        HOST_TO_DEVICE => (true, false),
        DEVICE_TO_HOST => (false, true),
        DEVICE_TO_DEVICE => (true, true),
        _ => return Err(CudaError::INVALID_MEMCPY_DIRECTION),
    };
    let (to, from) = (side_of(api, to, bytes)?, side_of(api, from.cast_mut(), bytes)?);
    // Page-locked host memory passes for device memory, because a device can reach it.
    let is_host = |side: Side| matches!(side, Side::Host(_));
    if expects_to_device && is_host(to) || expects_from_device && is_host(from) {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok(Some(Transfer::Copy { to, from, bytes: bytes as u64 }))
}

/// Where an address belongs. A range of device memory has to be allocated.
pub(crate) fn side_of(
    api: &mut Api,
    address: *mut c_void,
    bytes: usize,
) -> Result<Side, CudaError> {
    if address.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    let place = address.expose_provenance() as u64;
    if api.registered_memory.contains(address.addr(), bytes) {
        return Ok(Side::Registered(place));
    }
    let session = api.session()?;
    if !session.is_device_address(place) {
        return Ok(Side::Host(place));
    }
    session.check_range(DeviceAddress(place), bytes as u64)?;
    Ok(Side::Device(DeviceAddress(place)))
}

/// Puts copies into a stream. What is read of memory that is not page-locked is read before the call returns, and
/// what is written to such memory is written by then.
///
/// # Safety
/// Memory of the host that is copied from may be read, and that which is copied to may be written: during the call,
/// or as long as the copy is in line where the memory is page-locked.
pub(crate) unsafe fn submit_copies(
    api: &mut Api,
    stream: CudaStream,
    copies: Vec<Transfer>,
    returns: Returns,
) -> Result<(), CudaError> {
    let name = api.streams.name(stream)?;
    if copies.is_empty() {
        return Ok(());
    }
    if returns == Returns::Afterwards {
        api.captures.check_wait(Wait::Stream(name))?;
    }
    if capture::is_capturing(api, stream)? {
        return capture::add_node(api, stream, NodeWork::Copy(CopyNode::of_transfers(copies)));
    }
    let mut waits = false;
    let mut ready = Vec::with_capacity(copies.len());
    for copy in copies {
        let Transfer::Copy { to, from, bytes } = copy else { continue };
        let is_inside = is_device_only(api, to)? && is_device_only(api, from)?;
        let is_between_hosts = is_host_memory(api, to)? && is_host_memory(api, from)?;
        waits |= matches!(to, Side::Host(_))
            || is_between_hosts
            || returns == Returns::Afterwards && !is_inside;
        ready.push((to, from, bytes));
    }
    let transfers = ready.into_iter().map(|(to, from, bytes)| match from {
        Side::Host(from) if !waits => {
            let from = std::ptr::with_exposed_provenance::<u8>(from as usize);
            // SAFETY: the memory may be read during the call.
            let bytes = unsafe { std::slice::from_raw_parts(from, bytes as usize) };
            Transfer::Store { to, bytes: bytes.into() }
        }
        from => Transfer::Copy { to, from, bytes },
    });
    // SAFETY: the call waits for copies of memory that is not page-locked; for the other the caller speaks.
    unsafe { submit(api, stream, Task::Transfers(transfers.collect())) }?;
    if waits { api.wait_for(Wait::Stream(name)) } else { Ok(()) }
}

/// Whether the host cannot use the memory itself.
fn is_device_only(api: &mut Api, side: Side) -> Result<bool, CudaError> {
    let Side::Device(address) = side else { return Ok(false) };
    let allocation = api.session()?.allocation_at(address);
    Ok(allocation.is_some_and(|allocation| !allocation.kind.is_host_visible()))
}

/// Whether it is memory of the host, page-locked or not.
fn is_host_memory(api: &mut Api, side: Side) -> Result<bool, CudaError> {
    let Side::Device(address) = side else { return Ok(true) };
    let allocation = api.session()?.allocation_at(address);
    Ok(allocation.is_some_and(|allocation| allocation.kind == AllocationKind::Pinned))
}

/// Copies in a stream.
///
/// # Safety
/// As for [`submit_copies`].
pub(crate) unsafe fn copy(
    api: &mut Api,
    (to, from, bytes, kind): (*mut c_void, *const c_void, usize, c_int),
    stream: CudaStream,
    returns: Returns,
) -> Result<(), CudaError> {
    api.streams.check(stream)?;
    let copies = checked_copy(api, to, from, bytes, kind)?.into_iter().collect();
    // SAFETY: passed on from the caller.
    unsafe { submit_copies(api, stream, copies, returns) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpyAsync(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
    stream: CudaStream,
) -> CudaError {
    call("cudaMemcpyAsync", |api| {
        // SAFETY: the program copies between its own places.
        unsafe { copy(api, (to, from, bytes, kind), stream, Returns::Soon) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
) -> CudaError {
    call("cudaMemcpy", |api| {
        // SAFETY: the program copies between its own places.
        unsafe { copy(api, (to, from, bytes, kind), std::ptr::null_mut(), Returns::Afterwards) }
    })
}
