//! Copies of bytes that follow each other.

use crate::call::call;
use crate::handles::{address_of, stream_of};
use crate::types::CudaStream;
use std::ffi::{c_int, c_void};
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::streams::StreamHandle;
use warpsan_runtime::machine::transfers::{CopyRequest, Returns};

/// A copy that the program asks for.
///
/// # Safety
/// The program copies between its own places: memory of the host that is copied from may be read, and that which is
/// copied to may be written, during the call, or as long as the copy is queued where the memory is page-locked.
pub(crate) unsafe fn copy_request(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
) -> CopyRequest {
    // SAFETY: passed on from the caller.
    let (to, from) = unsafe { (address_of(to), address_of(from)) };
    CopyRequest { to, from, bytes, kind }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpyAsync(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
    stream: CudaStream,
) -> CudaError {
    call("cudaMemcpyAsync", |machine| {
        // SAFETY: the program copies between its own places.
        let copy = unsafe { copy_request(to, from, bytes, kind) };
        machine.copy(copy, stream_of(stream), Returns::Soon)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpy(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
) -> CudaError {
    call("cudaMemcpy", |machine| {
        // SAFETY: the program copies between its own places.
        let copy = unsafe { copy_request(to, from, bytes, kind) };
        machine.copy(copy, StreamHandle::DEFAULT, Returns::Afterwards)
    })
}
