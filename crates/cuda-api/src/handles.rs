//! Opaque pointers of the API, and the handles and addresses of the machine behind them.

use crate::types::{CudaEvent, CudaStream};
use std::ffi::c_void;
use warpsan_runtime::machine::streams::StreamHandle;
use warpsan_runtime::{EventNumber, ProgramAddress};

/// The number behind an opaque pointer of the API.
pub(crate) fn handle_of(pointer: *mut c_void) -> usize {
    pointer.addr()
}

/// The opaque pointer by which a program knows a handle.
pub(crate) fn pointer_of(handle: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(handle)
}

/// The stream behind its handle.
pub(crate) fn stream_of(stream: CudaStream) -> StreamHandle {
    StreamHandle(stream.addr())
}

/// The event behind its handle.
pub(crate) fn event_of(event: CudaEvent) -> EventNumber {
    EventNumber(event.addr() as u64)
}

/// An address that the program passes.
///
/// # Safety
/// As for [`ProgramAddress::new`]: the program keeps the contract of the call that it passes the address to.
pub(crate) unsafe fn address_of(pointer: *const c_void) -> ProgramAddress {
    // SAFETY: passed on from the caller.
    unsafe { ProgramAddress::new(pointer.expose_provenance() as u64) }
}

/// The pointer by which a program uses memory that it was given.
pub(crate) fn memory_at(address: u64) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address as usize)
}
