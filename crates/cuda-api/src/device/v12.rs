//! Entry points as CUDA 12 has them, where CUDA 13 changed them or let them go.

use crate::answer::answer;
use crate::call::call_without_device;
use crate::device::limits::check_device;
use crate::device::properties::DeviceProperties12;
use crate::types::CudaEvent;
use std::ffi::{c_int, c_uint};
use warpsan_runtime::machine::error::CudaError;

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt12_cudaGetDeviceProperties_v2(
    properties: *mut DeviceProperties12,
    device: c_int,
) -> CudaError {
    call_without_device("cudaGetDeviceProperties", |machine| {
        check_device(device)?;
        let (_, total) = machine.session()?.memory_info();
        // SAFETY: the program passes a place for the structure of CUDA 12.
        unsafe { answer(properties, DeviceProperties12::new(total as usize)) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt12_cudaRuntimeGetVersion(version: *mut c_int) -> CudaError {
    call_without_device("cudaRuntimeGetVersion", |_| {
        // SAFETY: the program passes a place for a number.
        unsafe { answer(version, 12090) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt12_cudaEventElapsedTime_v2(
    milliseconds: *mut f32,
    start: CudaEvent,
    end: CudaEvent,
) -> CudaError {
    // The first version differs only for events that have not been reached, which there are none.
    // SAFETY: the same contract.
    unsafe { crate::event::wsrt_cudaEventElapsedTime(milliseconds, start, end) }
}

#[unsafe(no_mangle)]
extern "C" fn wsrt12_cudaThreadSynchronize() -> CudaError {
    crate::device::entry_points::wsrt_cudaDeviceSynchronize()
}

#[unsafe(no_mangle)]
extern "C" fn wsrt12_cudaThreadExit() -> CudaError {
    crate::device::entry_points::wsrt_cudaDeviceReset()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt12_cudaThreadGetLimit(value: *mut usize, limit: c_uint) -> CudaError {
    // SAFETY: the same contract.
    unsafe { crate::device::settings::wsrt_cudaDeviceGetLimit(value, limit) }
}

#[unsafe(no_mangle)]
extern "C" fn wsrt12_cudaThreadSetLimit(limit: c_uint, value: usize) -> CudaError {
    crate::device::settings::wsrt_cudaDeviceSetLimit(limit, value)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt12_cudaThreadGetCacheConfig(preference: *mut c_int) -> CudaError {
    // SAFETY: the same contract.
    unsafe { crate::device::settings::wsrt_cudaDeviceGetCacheConfig(preference) }
}

#[unsafe(no_mangle)]
extern "C" fn wsrt12_cudaThreadSetCacheConfig(preference: c_int) -> CudaError {
    crate::device::settings::wsrt_cudaDeviceSetCacheConfig(preference)
}
