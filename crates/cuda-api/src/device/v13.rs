//! Entry points as CUDA 13 has them, where they are not those of CUDA 12 under the same name.

use crate::answer::answer;
use crate::call::call_without_device;
use crate::device::limits::check_device;
use crate::device::properties::DeviceProperties13;
use std::ffi::c_int;
use warpsan_runtime::machine::error::CudaError;

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt13_cudaGetDeviceProperties(
    properties: *mut DeviceProperties13,
    device: c_int,
) -> CudaError {
    call_without_device("cudaGetDeviceProperties", |machine| {
        check_device(device)?;
        let (_, total) = machine.session()?.memory_info();
        // SAFETY: the program passes a place for the structure of CUDA 13.
        unsafe { answer(properties, DeviceProperties13::new(total as usize)) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt13_cudaRuntimeGetVersion(version: *mut c_int) -> CudaError {
    call_without_device("cudaRuntimeGetVersion", |_| {
        // SAFETY: the program passes a place for a number.
        unsafe { answer(version, 13000) }
    })
}
