//! Entry points as CUDA 13 has them, where they are not those of CUDA 12 under the same name.

use crate::call::call_without_device;
use crate::device::check_device;
use crate::device_properties::DeviceProperties13;
use crate::error::CudaError;
use crate::streams::answer;
use std::ffi::c_int;

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt13_cudaGetDeviceProperties(
    properties: *mut DeviceProperties13,
    device: c_int,
) -> CudaError {
    call_without_device("cudaGetDeviceProperties", |api| {
        check_device(device)?;
        let (_, total) = api.session()?.memory_info();
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
