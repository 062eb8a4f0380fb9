//! Other devices, of which there are none, and copies between devices, which are one here.

use crate::call::call;
use crate::device::limits::check_device;
use crate::handles::stream_of;
use crate::memory::copy::copy_request;
use crate::types::CudaStream;
use std::ffi::{c_int, c_uint, c_void};
use warpsan_runtime::machine::copy_kind::DEVICE_TO_DEVICE;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::state::Machine;
use warpsan_runtime::machine::streams::StreamHandle;
use warpsan_runtime::machine::transfers::{CopyRequest, Returns};

/// The last enumerator of `cudaDeviceP2PAttr`, counted from 1.
const LAST_PEER_ATTRIBUTE: c_int = 4;

/// Both devices are the one there is.
fn copy_between(
    machine: &mut Machine,
    (to_device, from_device): (c_int, c_int),
    copy: CopyRequest,
    (stream, returns): (StreamHandle, Returns),
) -> Result<(), CudaError> {
    check_device(to_device)?;
    check_device(from_device)?;
    machine.copy(copy, stream, returns)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpyPeerAsync(
    to: *mut c_void,
    to_device: c_int,
    from: *const c_void,
    from_device: c_int,
    bytes: usize,
    stream: CudaStream,
) -> CudaError {
    call("cudaMemcpyPeerAsync", |machine| {
        // SAFETY: the program copies between its own places.
        let copy = unsafe { copy_request(to, from, bytes, DEVICE_TO_DEVICE) };
        let how = (stream_of(stream), Returns::Soon);
        copy_between(machine, (to_device, from_device), copy, how)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpyPeer(
    to: *mut c_void,
    to_device: c_int,
    from: *const c_void,
    from_device: c_int,
    bytes: usize,
) -> CudaError {
    call("cudaMemcpyPeer", |machine| {
        // SAFETY: the program copies between its own places.
        let copy = unsafe { copy_request(to, from, bytes, DEVICE_TO_DEVICE) };
        let how = (StreamHandle::DEFAULT, Returns::Afterwards);
        copy_between(machine, (to_device, from_device), copy, how)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaDeviceEnablePeerAccess(peer: c_int, flags: c_uint) -> CudaError {
    call("cudaDeviceEnablePeerAccess", |_| {
        if flags != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        check_device(peer)?;
        // A device is no peer of itself.
        Err(CudaError::PEER_ACCESS_UNSUPPORTED)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaDeviceDisablePeerAccess(peer: c_int) -> CudaError {
    call("cudaDeviceDisablePeerAccess", |_| {
        check_device(peer)?;
        Err(CudaError::PEER_ACCESS_NOT_ENABLED)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaDeviceGetP2PAttribute(
    value: *mut c_int,
    attribute: c_int,
    device: c_int,
    peer: c_int,
) -> CudaError {
    call("cudaDeviceGetP2PAttribute", |_| {
        if value.is_null() || !(1..=LAST_PEER_ATTRIBUTE).contains(&attribute) {
            return Err(CudaError::INVALID_VALUE);
        }
        check_device(device)?;
        check_device(peer)?;
        // The two have to be different devices, which there are not.
        Err(CudaError::INVALID_DEVICE)
    })
}
