//! The one device: what it is, and the calls that choose, reset and configure it.

use crate::advice::Advice;
use crate::call::{call, call_without_device, clear_sticky_error};
use crate::device_attributes::attribute;
use crate::device_settings::DeviceSettings;
use crate::error::CudaError;
use crate::host_memory::HostMemory;
use crate::streams::answer;
use std::ffi::{c_int, c_uint, c_void};
use warpsan_runtime::{DeviceAddress, EMULATED_DEVICE, Wait};

/// The name that programs print.
pub(crate) const NAME: &str = "warpsan CPU engine (sm_90)";
pub(crate) const COMPUTE_CAPABILITY: (c_int, c_int) =
    (EMULATED_DEVICE.compute_capability.0 as c_int, EMULATED_DEVICE.compute_capability.1 as c_int);
pub(crate) const MULTIPROCESSORS: c_int = EMULATED_DEVICE.multiprocessors as c_int;
pub(crate) const WARP_SIZE: c_int = EMULATED_DEVICE.warp_size as c_int;
pub(crate) const MAX_THREADS_PER_BLOCK: c_int = EMULATED_DEVICE.max_threads_per_block as c_int;
pub(crate) const MAX_BLOCK: [c_int; 3] = numbers(EMULATED_DEVICE.max_block);
pub(crate) const MAX_GRID: [c_int; 3] = numbers(EMULATED_DEVICE.max_grid);
pub(crate) const MAX_THREADS_PER_MULTIPROCESSOR: c_int =
    EMULATED_DEVICE.max_threads_per_multiprocessor as c_int;
pub(crate) const MAX_BLOCKS_PER_MULTIPROCESSOR: c_int =
    EMULATED_DEVICE.max_blocks_per_multiprocessor as c_int;
pub(crate) const REGISTERS: c_int = EMULATED_DEVICE.registers as c_int;
/// Shared memory that a block gets without asking.
pub(crate) const SHARED_BYTES_PER_BLOCK: usize = EMULATED_DEVICE.shared_bytes_per_block as usize;
/// Shared memory that a block gets after `cudaFuncSetAttribute`.
pub(crate) const SHARED_BYTES_PER_BLOCK_OPT_IN: usize =
    EMULATED_DEVICE.shared_bytes_per_block_opt_in as usize;
pub(crate) const SHARED_BYTES_PER_MULTIPROCESSOR: usize =
    EMULATED_DEVICE.shared_bytes_per_multiprocessor as usize;
/// Shared memory of a block that the system keeps for itself.
pub(crate) const SHARED_BYTES_RESERVED: usize = EMULATED_DEVICE.shared_bytes_reserved as usize;
pub(crate) const CONSTANT_BYTES: usize = EMULATED_DEVICE.constant_bytes as usize;
pub(crate) const MAX_PITCH: usize = EMULATED_DEVICE.max_pitch as usize;
pub(crate) const TEXTURE_ALIGNMENT: usize = EMULATED_DEVICE.texture_alignment as usize;
pub(crate) const TEXTURE_PITCH_ALIGNMENT: usize = EMULATED_DEVICE.texture_pitch_alignment as usize;
pub(crate) const CLOCK_KILOHERTZ: c_int = EMULATED_DEVICE.clock_kilohertz as c_int;
pub(crate) const MEMORY_CLOCK_KILOHERTZ: c_int = EMULATED_DEVICE.memory_clock_kilohertz as c_int;
pub(crate) const MEMORY_BUS_BITS: c_int = EMULATED_DEVICE.memory_bus_bits as c_int;
pub(crate) const L2_BYTES: c_int = EMULATED_DEVICE.l2_bytes as c_int;
/// The part of the L2 cache that can be set aside for accesses that persist.
pub(crate) const PERSISTING_L2_BYTES: c_int = EMULATED_DEVICE.persisting_l2_bytes as c_int;
pub(crate) const ACCESS_POLICY_WINDOW_BYTES: c_int =
    EMULATED_DEVICE.access_policy_window_bytes as c_int;
pub(crate) const ASYNC_ENGINES: c_int = EMULATED_DEVICE.async_engines as c_int;
/// The largest cluster that every device of the architecture can run, and that this one can.
pub(crate) const MAX_PORTABLE_CLUSTER: c_int = EMULATED_DEVICE.max_portable_cluster as c_int;
pub(crate) const MAX_CLUSTER: c_int = EMULATED_DEVICE.max_cluster as c_int;
/// Where the device claims to be.
pub(crate) const PCI_DOMAIN: c_int = 0;
pub(crate) const PCI_BUS: c_int = 1;
pub(crate) const PCI_DEVICE: c_int = 0;
/// What tells the device from others; it is the same in every run.
pub(crate) const UUID: &[u8; 16] = b"warpsan-cpu-sm90";

/// The version of the driver that we stand for: new enough for every runtime that we answer.
pub(crate) const DRIVER_VERSION: c_int = 13000;

/// Limits of the device by dimension, as the API has them.
const fn numbers([x, y, z]: [u32; 3]) -> [c_int; 3] {
    [x as c_int, y as c_int, z as c_int]
}

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
