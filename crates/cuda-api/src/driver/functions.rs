//! The few functions of the driver that programs call beside the runtime: versions, devices, the
//! current context, and what is known of memory. A driver's handle of a thing is the runtime's, and so
//! are its numbers of errors. Calls of the driver leave the runtime's last error alone.

use crate::answer::answer;
use crate::call::with_state;
use crate::device::attributes::attribute;
use crate::device::bus::{answer_text, bus_name};
use crate::device::limits::{DRIVER_VERSION, NAME, UUID, check_device};
use crate::handles::pointer_of;
use std::ffi::{c_char, c_int, c_uint, c_void};
use warpsan_runtime::DeviceAddress;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::state::Machine;

/// The handle of the device's one context.
const CONTEXT: usize = 0x1000;

fn result(answered: Result<(), CudaError>) -> CudaError {
    answered.err().unwrap_or(CudaError::SUCCESS)
}

/// Makes the session, as the first use of the device makes the context.
fn retain(machine: &mut Machine) -> Result<*mut c_void, CudaError> {
    machine.session()?;
    Ok(pointer_of(CONTEXT))
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn wsrt_cuInit(flags: c_uint) -> CudaError {
    if flags == 0 { CudaError::SUCCESS } else { CudaError::INVALID_VALUE }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cuDriverGetVersion(version: *mut c_int) -> CudaError {
    // SAFETY: the program passes a place for a number.
    result(unsafe { answer(version, DRIVER_VERSION) })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cuDeviceGetCount(count: *mut c_int) -> CudaError {
    // SAFETY: the program passes a place for a number.
    result(unsafe { answer(count, 1) })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cuDeviceGet(device: *mut c_int, ordinal: c_int) -> CudaError {
    // SAFETY: the program passes a place for a device.
    result(check_device(ordinal).and_then(|()| unsafe { answer(device, 0) }))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cuDeviceGetName(
    name: *mut c_char,
    length: c_int,
    device: c_int,
) -> CudaError {
    // SAFETY: the program passes a place for so many characters.
    result(check_device(device).and_then(|()| unsafe { answer_text(name, length, NAME) }))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cuDeviceGetPCIBusId(
    name: *mut c_char,
    length: c_int,
    device: c_int,
) -> CudaError {
    // SAFETY: the program passes a place for so many characters.
    result(check_device(device).and_then(|()| unsafe { answer_text(name, length, &bus_name()) }))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cuDeviceGetUuid_v2(
    uuid: *mut [u8; 16],
    device: c_int,
) -> CudaError {
    // SAFETY: the program passes a place for 16 bytes.
    result(check_device(device).and_then(|()| unsafe { answer(uuid, *UUID) }))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cuDeviceGetAttribute(
    value: *mut c_int,
    id: c_int,
    device: c_int,
) -> CudaError {
    let found = check_device(device).and_then(|()| attribute(id).ok_or(CudaError::INVALID_VALUE));
    // SAFETY: the program passes a place for a number.
    result(found.and_then(|found| unsafe { answer(value, found) }))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cuDeviceTotalMem_v2(
    bytes: *mut usize,
    device: c_int,
) -> CudaError {
    result(with_state(|machine| {
        check_device(device)?;
        let (_, total) = machine.session()?.memory_info();
        // SAFETY: the program passes a place for a size.
        unsafe { answer(bytes, total as usize) }
    }))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cuMemGetInfo_v2(
    free: *mut usize,
    total: *mut usize,
) -> CudaError {
    result(with_state(|machine| {
        let (free_bytes, total_bytes) = machine.session()?.memory_info();
        // SAFETY: the program passes places for two sizes.
        unsafe { answer(free, free_bytes as usize) }?;
        // SAFETY: as above.
        unsafe { answer(total, total_bytes as usize) }
    }))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cuMemGetAddressRange_v2(
    base: *mut u64,
    bytes: *mut usize,
    address: u64,
) -> CudaError {
    result(with_state(|machine| {
        let found = machine.session()?.allocation_at(DeviceAddress(address));
        let found = found.ok_or(CudaError::SYMBOL_NOT_FOUND)?;
        if !base.is_null() {
            // SAFETY: not null, so it is a place for an address.
            unsafe { base.write(found.address.0) };
        }
        if !bytes.is_null() {
            // SAFETY: not null, so it is a place for a size.
            unsafe { bytes.write(found.bytes as usize) };
        }
        Ok(())
    }))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cuCtxGetCurrent(context: *mut *mut c_void) -> CudaError {
    result(with_state(|machine| {
        let current = match machine.existing_session() {
            Some(_) => pointer_of(CONTEXT),
            None => std::ptr::null_mut(),
        };
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(context, current) }
    }))
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn wsrt_cuCtxSetCurrent(context: *mut c_void) -> CudaError {
    // There is one context, which every thread has.
    let known = context.is_null() || context == pointer_of(CONTEXT);
    if known { CudaError::SUCCESS } else { CudaError(201) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cuCtxGetDevice(device: *mut c_int) -> CudaError {
    // SAFETY: the program passes a place for a device.
    result(unsafe { answer(device, 0) })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn wsrt_cuCtxSynchronize() -> CudaError {
    crate::device::entry_points::wsrt_cudaDeviceSynchronize()
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cuDevicePrimaryCtxRetain(
    context: *mut *mut c_void,
    device: c_int,
) -> CudaError {
    result(with_state(|machine| {
        check_device(device)?;
        let retained = retain(machine)?;
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(context, retained) }
    }))
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn wsrt_cuDevicePrimaryCtxRelease_v2(device: c_int) -> CudaError {
    // The runtime keeps the context, as it does on a device.
    result(check_device(device))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cuDevicePrimaryCtxGetState(
    device: c_int,
    flags: *mut c_uint,
    active: *mut c_int,
) -> CudaError {
    result(with_state(|machine| {
        check_device(device)?;
        let exists = c_int::from(machine.existing_session().is_some());
        // SAFETY: the program passes places for flags and for a number.
        unsafe { answer(flags, 0) }?;
        // SAFETY: as above.
        unsafe { answer(active, exists) }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_knows_one_device() {
        let (mut count, mut device, mut warp) = (0, -1, 0);
        // SAFETY: places for numbers.
        unsafe {
            assert_eq!(wsrt_cuDeviceGetCount(&mut count), CudaError::SUCCESS);
            assert_eq!(wsrt_cuDeviceGet(&mut device, 0), CudaError::SUCCESS);
            assert_eq!(wsrt_cuDeviceGet(&mut device, 1), CudaError::INVALID_DEVICE);
            assert_eq!(wsrt_cuDeviceGetAttribute(&mut warp, 10, 0), CudaError::SUCCESS);
        }
        assert_eq!((count, device, warp), (1, 0, 32));
        assert_eq!(wsrt_cuInit(0), CudaError::SUCCESS);
        assert_eq!(wsrt_cuInit(1), CudaError::INVALID_VALUE);
    }
}
