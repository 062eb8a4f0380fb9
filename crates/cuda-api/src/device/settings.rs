//! The calls about what a program can set for the whole device: limits, flags and preferences.

use crate::answer::answer;
use crate::call::{call, call_without_device};
use std::ffi::{c_int, c_uint};
use warpsan_runtime::machine::device_settings::check_bank_width;
use warpsan_runtime::machine::error::CudaError;

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cudaDeviceGetLimit(
    value: *mut usize,
    limit: c_uint,
) -> CudaError {
    call("cudaDeviceGetLimit", |machine| {
        let found = machine.device_settings.limit(limit)?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(value, found) }
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn wsrt_cudaDeviceSetLimit(limit: c_uint, value: usize) -> CudaError {
    call("cudaDeviceSetLimit", |machine| machine.device_settings.set_limit(limit, value))
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaSetDeviceFlags(flags: c_uint) -> CudaError {
    call_without_device("cudaSetDeviceFlags", |machine| machine.device_settings.set_flags(flags))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGetDeviceFlags(flags: *mut c_uint) -> CudaError {
    call_without_device("cudaGetDeviceFlags", |machine| {
        // SAFETY: the program passes a place for flags.
        unsafe { answer(flags, machine.device_settings.flags()) }
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn wsrt_cudaDeviceSetCacheConfig(preference: c_int) -> CudaError {
    call("cudaDeviceSetCacheConfig", |machine| {
        machine.device_settings.set_cache_preference(preference)
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cudaDeviceGetCacheConfig(preference: *mut c_int) -> CudaError {
    call("cudaDeviceGetCacheConfig", |machine| {
        // SAFETY: the program passes a place for an enumerator.
        unsafe { answer(preference, machine.device_settings.cache_preference()) }
    })
}

/// `cudaSharedMemBankSizeFourByte`: banks have had this one width since sm_50.
const BANKS_OF_FOUR_BYTES: c_int = 1;

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaDeviceSetSharedMemConfig(width: c_int) -> CudaError {
    call("cudaDeviceSetSharedMemConfig", |_| check_bank_width(width))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaDeviceGetSharedMemConfig(width: *mut c_int) -> CudaError {
    call("cudaDeviceGetSharedMemConfig", |_| {
        // SAFETY: the program passes a place for an enumerator.
        unsafe { answer(width, BANKS_OF_FOUR_BYTES) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaCtxResetPersistingL2Cache() -> CudaError {
    // A hint about caches, of which there are none.
    call("cudaCtxResetPersistingL2Cache", |_| Ok(()))
}
