//! Other devices, of which there are none, and copies between devices, which are one here.

use crate::call::{Api, call};
use crate::copy::{DEVICE_TO_DEVICE, Returns, copy};
use crate::device::check_device;
use crate::error::CudaError;
use crate::types::CudaStream;
use std::ffi::{c_int, c_uint, c_void};

/// The last enumerator of `cudaDeviceP2PAttr`, counted from 1.
const LAST_PEER_ATTRIBUTE: c_int = 4;

/// # Safety
/// As for [`copy`].
unsafe fn copy_between(
    api: &mut Api,
    (to, to_device): (*mut c_void, c_int),
    (from, from_device): (*const c_void, c_int),
    bytes: usize,
    (stream, returns): (CudaStream, Returns),
) -> Result<(), CudaError> {
    check_device(to_device)?;
    check_device(from_device)?;
    // SAFETY: passed on from the caller.
    unsafe { copy(api, (to, from, bytes, DEVICE_TO_DEVICE), stream, returns) }
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
    call("cudaMemcpyPeerAsync", |api| {
        let how = (stream, Returns::Soon);
        // SAFETY: the program copies between its own places.
        unsafe { copy_between(api, (to, to_device), (from, from_device), bytes, how) }
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
    call("cudaMemcpyPeer", |api| {
        let how = (std::ptr::null_mut(), Returns::Afterwards);
        // SAFETY: the program copies between its own places.
        unsafe { copy_between(api, (to, to_device), (from, from_device), bytes, how) }
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
