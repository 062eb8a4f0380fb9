//! The calls that choose, reset and ask about the one device.

use crate::answer::answer;
use crate::call::{call, call_without_device, clear_last_error};
use crate::device::attributes::attribute;
use crate::device::limits::{DRIVER_VERSION, check_device};
use std::ffi::{c_int, c_uint, c_void};
use warpsan_runtime::Wait;
use warpsan_runtime::machine::error::CudaError;

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGetDeviceCount(count: *mut c_int) -> CudaError {
    call_without_device("cudaGetDeviceCount", |_| {
        // SAFETY: the program passes a place for a number.
        unsafe { answer(count, 1) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGetDevice(device: *mut c_int) -> CudaError {
    call_without_device("cudaGetDevice", |_| {
        // SAFETY: the program passes a place for a number.
        unsafe { answer(device, 0) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaSetDevice(device: c_int) -> CudaError {
    call_without_device("cudaSetDevice", |_| check_device(device))
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaInitDevice(device: c_int, _flags: c_uint, _unused: c_uint) -> CudaError {
    call("cudaInitDevice", |_| check_device(device))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaChooseDevice(
    device: *mut c_int,
    properties: *const c_void,
) -> CudaError {
    call_without_device("cudaChooseDevice", |_| {
        if properties.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // There is one device, so it is the best match whatever is asked for.
        // SAFETY: the program passes a place for a number.
        unsafe { answer(device, 0) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaDeviceGetAttribute(
    value: *mut c_int,
    id: c_int,
    device: c_int,
) -> CudaError {
    call_without_device("cudaDeviceGetAttribute", |_| {
        check_device(device)?;
        let found = attribute(id).ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(value, found) }
    })
}

/// Devices to try in order; with one device, that one or nothing.
#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaSetValidDevices(devices: *const c_int, count: c_int) -> CudaError {
    call_without_device("cudaSetValidDevices", |_| {
        if count == 0 {
            return Ok(());
        }
        // SAFETY: the program passes null or a list of one device at least.
        let first = unsafe { devices.as_ref() };
        if first == Some(&0) && count == 1 { Ok(()) } else { Err(CudaError::INVALID_VALUE) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaDeviceCanAccessPeer(
    can_access: *mut c_int,
    device: c_int,
    peer: c_int,
) -> CudaError {
    call("cudaDeviceCanAccessPeer", |_| {
        check_device(device)?;
        check_device(peer)?;
        // A device is no peer of itself.
        // SAFETY: the program passes a place for a number.
        unsafe { answer(can_access, 0) }
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn wsrt_cudaDeviceSynchronize() -> CudaError {
    call("cudaDeviceSynchronize", |machine| machine.wait_for(Wait::Everything))
}

/// Takes back a kernel's failure and all memory, and gives variables their first values again.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn wsrt_cudaDeviceReset() -> CudaError {
    call_without_device("cudaDeviceReset", |machine| {
        let done = machine.reset_device();
        clear_last_error();
        done
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaDriverGetVersion(version: *mut c_int) -> CudaError {
    call_without_device("cudaDriverGetVersion", |_| {
        // SAFETY: the program passes a place for a number.
        unsafe { answer(version, DRIVER_VERSION) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaProfilerStart() -> CudaError {
    call("cudaProfilerStart", |_| Ok(()))
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaProfilerStop() -> CudaError {
    call("cudaProfilerStop", |_| Ok(()))
}
