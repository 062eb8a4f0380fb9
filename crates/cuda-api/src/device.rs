//! The one device: what it is, and the calls that choose, reset and configure it.

use crate::advice::Advice;
use crate::call::{call, call_without_device, clear_sticky_error};
use crate::device_attributes::attribute;
use crate::device_settings::DeviceSettings;
use crate::error::CudaError;
use crate::host_memory::HostMemory;
use crate::streams::answer;
use std::ffi::{c_int, c_uint, c_void};
use warpsan_runtime::{DeviceAddress, Wait};

/// The name that programs print.
pub(crate) const NAME: &str = "warpsan CPU engine (sm_90)";
/// The compute capability is that of an H100, so that programs take their current paths.
pub(crate) const COMPUTE_CAPABILITY: (c_int, c_int) = (9, 0);
pub(crate) const MULTIPROCESSORS: c_int = 132;
pub(crate) const WARP_SIZE: c_int = 32;
pub(crate) const MAX_THREADS_PER_BLOCK: c_int = 1024;
pub(crate) const MAX_BLOCK: [c_int; 3] = [1024, 1024, 64];
pub(crate) const MAX_GRID: [c_int; 3] = [c_int::MAX, 65535, 65535];
pub(crate) const MAX_THREADS_PER_MULTIPROCESSOR: c_int = 2048;
pub(crate) const MAX_BLOCKS_PER_MULTIPROCESSOR: c_int = 32;
pub(crate) const REGISTERS: c_int = 65536;
/// Shared memory that a block gets without asking.
pub(crate) const SHARED_BYTES_PER_BLOCK: usize = 48 * 1024;
/// Shared memory that a block gets after `cudaFuncSetAttribute`.
pub(crate) const SHARED_BYTES_PER_BLOCK_OPT_IN: usize = 227 * 1024;
pub(crate) const SHARED_BYTES_PER_MULTIPROCESSOR: usize = 228 * 1024;
/// Shared memory of a block that the system keeps for itself.
pub(crate) const SHARED_BYTES_RESERVED: usize = 1024;
pub(crate) const CONSTANT_BYTES: usize = 64 * 1024;
pub(crate) const MAX_PITCH: usize = c_int::MAX as usize;
pub(crate) const TEXTURE_ALIGNMENT: usize = 512;
pub(crate) const TEXTURE_PITCH_ALIGNMENT: usize = 32;
pub(crate) const CLOCK_KILOHERTZ: c_int = 1_980_000;
pub(crate) const MEMORY_CLOCK_KILOHERTZ: c_int = 3_201_000;
pub(crate) const MEMORY_BUS_BITS: c_int = 6016;
pub(crate) const L2_BYTES: c_int = 60 * 1024 * 1024;
/// The part of the L2 cache that can be set aside for accesses that persist.
pub(crate) const PERSISTING_L2_BYTES: c_int = 39_321_600;
pub(crate) const ACCESS_POLICY_WINDOW_BYTES: c_int = 128 * 1024 * 1024;
pub(crate) const ASYNC_ENGINES: c_int = 3;
/// The largest cluster that every device of the architecture can run, and that this one can.
pub(crate) const MAX_PORTABLE_CLUSTER: c_int = 8;
pub(crate) const MAX_CLUSTER: c_int = 16;
/// Where the device claims to be.
pub(crate) const PCI_DOMAIN: c_int = 0;
pub(crate) const PCI_BUS: c_int = 1;
pub(crate) const PCI_DEVICE: c_int = 0;
/// What tells the device from others; it is the same in every run.
pub(crate) const UUID: &[u8; 16] = b"warpsan-cpu-sm90";

/// The version of the driver that we stand for: new enough for every runtime that we answer.
pub(crate) const DRIVER_VERSION: c_int = 13000;

/// Refuses every device but the first.
pub(crate) fn check_device(device: c_int) -> Result<(), CudaError> {
    if device == 0 { Ok(()) } else { Err(CudaError::INVALID_DEVICE) }
}

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
    call("cudaDeviceSynchronize", |api| api.wait_for(Wait::Everything))
}

/// Takes back a kernel's failure and all memory, and gives variables their first values again.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn wsrt_cudaDeviceReset() -> CudaError {
    call_without_device("cudaDeviceReset", |api| {
        api.device_settings = DeviceSettings::default();
        api.advice = Advice::default();
        api.host_memory = HostMemory::default();
        api.pools.forget_allocations();
        let registered = api.registered_memory.take_all();
        let mut done = Ok(());
        if let Some(session) = api.existing_session() {
            done = session.reset_device();
            for address in registered {
                session.unregister_host_range(DeviceAddress(address as u64));
            }
        }
        // What was in line may have failed only now.
        clear_sticky_error();
        Ok(done?)
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
