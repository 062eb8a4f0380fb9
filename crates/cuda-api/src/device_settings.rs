//! What a program can set for the whole device: limits, flags and preferences.

use crate::call::{Api, call, call_without_device};
use crate::device;
use crate::error::CudaError;
use crate::streams::answer;
use std::ffi::{c_int, c_uint};
use warpsan_runtime::EMULATED_DEVICE;

/// The settings of the device. They are kept to be read back; this engine needs none of them.
pub(crate) struct DeviceSettings {
    limits: [usize; LIMITS.len()],
    flags: c_uint,
    cache_preference: c_int,
}

impl Default for DeviceSettings {
    fn default() -> Self {
        DeviceSettings { limits: LIMITS, flags: FLAG_MAP_HOST, cache_preference: 0 }
    }
}

/// Limits of `cudaLimit`, as they are on an H200 before a program changes them.
const LIMITS: [usize; 9] = [
    1024,
    8_650_752,
    8 * 1024 * 1024,
    0,
    2048,
    64,
    11_796_480,
    device::SHARED_BYTES_PER_BLOCK_OPT_IN,
    0,
];

const STACK_BYTES: usize = 0;
const PRINT_BUFFER_BYTES: usize = 1;
const HEAP_BYTES: usize = 2;
/// Kernels cannot wait for the kernels that they launch since CUDA 12, so there is no such depth.
const SYNCHRONISATION_DEPTH: usize = 3;
const PENDING_LAUNCHES: usize = 4;
const L2_FETCH_BYTES: usize = 5;
const PERSISTING_L2_BYTES: usize = 6;

/// The largest stack of a thread.
const MAX_STACK_BYTES: usize = EMULATED_DEVICE.local_bytes_per_thread as usize;
/// The smallest heap and buffer that a device gives.
const MIN_HEAP_BYTES: usize = 4 * 1024 * 1024;
const MIN_PRINT_BUFFER_BYTES: usize = 512 * 1024;

/// The number of a limit that this device has.
fn known_limit(limit: c_uint) -> Result<usize, CudaError> {
    match limit as usize {
        SYNCHRONISATION_DEPTH => Err(CudaError::UNSUPPORTED_LIMIT),
        limit if limit < LIMITS.len() => Ok(limit),
        _ => Err(CudaError::INVALID_VALUE),
    }
}

/// What a limit becomes when a program asks for a value.
fn granted(limit: usize, value: usize) -> Result<usize, CudaError> {
    match limit {
        STACK_BYTES if value > MAX_STACK_BYTES => Err(CudaError::INVALID_VALUE),
        STACK_BYTES => Ok(value.next_multiple_of(16)),
        PRINT_BUFFER_BYTES => Ok(value.max(MIN_PRINT_BUFFER_BYTES)),
        HEAP_BYTES => Ok(value.max(MIN_HEAP_BYTES)),
        PENDING_LAUNCHES | L2_FETCH_BYTES => Ok(value),
        PERSISTING_L2_BYTES if value <= device::PERSISTING_L2_BYTES as usize => Ok(value),
        PERSISTING_L2_BYTES => Err(CudaError::INVALID_VALUE),
        // The rest can only be read.
        _ => Err(CudaError::UNSUPPORTED_LIMIT),
    }
}

fn set_limit(api: &mut Api, limit: c_uint, value: usize) -> Result<(), CudaError> {
    let limit = known_limit(limit)?;
    api.device_settings.limits[limit] = granted(limit, value)?;
    Ok(())
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cudaDeviceGetLimit(
    value: *mut usize,
    limit: c_uint,
) -> CudaError {
    call("cudaDeviceGetLimit", |api| {
        let found = api.device_settings.limits[known_limit(limit)?];
        // SAFETY: the program passes a place for a number.
        unsafe { answer(value, found) }
    })
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn wsrt_cudaDeviceSetLimit(limit: c_uint, value: usize) -> CudaError {
    call("cudaDeviceSetLimit", |api| set_limit(api, limit, value))
}

/// `cudaDeviceMapHost`, which is always on.
const FLAG_MAP_HOST: c_uint = 0x8;
/// Flags that say how the host waits; only one of them can be set.
const FLAGS_OF_WAITING: c_uint = 0x7;
const FLAGS: c_uint = FLAGS_OF_WAITING | FLAG_MAP_HOST | 0x10 | 0x80;

fn checked_flags(flags: c_uint) -> Result<c_uint, CudaError> {
    if flags & !FLAGS != 0 || (flags & FLAGS_OF_WAITING).count_ones() > 1 {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok(flags | FLAG_MAP_HOST)
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaSetDeviceFlags(flags: c_uint) -> CudaError {
    call_without_device("cudaSetDeviceFlags", |api| {
        api.device_settings.flags = checked_flags(flags)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGetDeviceFlags(flags: *mut c_uint) -> CudaError {
    call_without_device("cudaGetDeviceFlags", |api| {
        // SAFETY: the program passes a place for flags.
        unsafe { answer(flags, api.device_settings.flags) }
    })
}

/// Refuses what is no `cudaFuncCache`.
pub(crate) fn check_cache_preference(preference: c_int) -> Result<(), CudaError> {
    if (0..=3).contains(&preference) { Ok(()) } else { Err(CudaError::INVALID_VALUE) }
}

#[unsafe(no_mangle)]
pub(crate) extern "C" fn wsrt_cudaDeviceSetCacheConfig(preference: c_int) -> CudaError {
    call("cudaDeviceSetCacheConfig", |api| {
        check_cache_preference(preference)?;
        api.device_settings.cache_preference = preference;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cudaDeviceGetCacheConfig(preference: *mut c_int) -> CudaError {
    call("cudaDeviceGetCacheConfig", |api| {
        // SAFETY: the program passes a place for an enumerator.
        unsafe { answer(preference, api.device_settings.cache_preference) }
    })
}

/// `cudaSharedMemBankSizeFourByte`: banks have had this one width since sm_50.
const BANKS_OF_FOUR_BYTES: c_int = 1;

/// Refuses what is no `cudaSharedMemConfig`.
pub(crate) fn check_bank_width(width: c_int) -> Result<(), CudaError> {
    if (0..=2).contains(&width) { Ok(()) } else { Err(CudaError::INVALID_VALUE) }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_rounded_as_the_device_rounds_it() {
        assert_eq!(granted(STACK_BYTES, 4097), Ok(4112));
        assert_eq!(granted(STACK_BYTES, 1 << 30), Err(CudaError::INVALID_VALUE));
        assert_eq!(granted(HEAP_BYTES, 100), Ok(4 << 20));
        assert_eq!(granted(PRINT_BUFFER_BYTES, 2 << 20), Ok(2 << 20));
        assert_eq!(known_limit(3), Err(CudaError::UNSUPPORTED_LIMIT));
        assert_eq!(known_limit(77), Err(CudaError::INVALID_VALUE));
    }

    #[test]
    fn the_host_waits_in_one_way_only() {
        assert_eq!(checked_flags(4), Ok(12));
        assert_eq!(checked_flags(3), Err(CudaError::INVALID_VALUE));
        assert_eq!(checked_flags(0x4000), Err(CudaError::INVALID_VALUE));
    }
}
