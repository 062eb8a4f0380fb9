//! Attributes of kernels.

use crate::answer::answer;
use crate::call::call;
use crate::device::limits as device;
use crate::types::{ChannelFormat, CudaKernel, FunctionAttributes};
use std::ffi::{c_char, c_int, c_void};
use warpsan_runtime::KernelInfo;
use warpsan_runtime::machine::device_settings::{check_bank_width, check_cache_preference};
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::kernels::allowed_dynamic_shared_bytes;
use warpsan_runtime::machine::registry::FunctionSettings;

/// PTX and machine code are both those of the device, as major times ten plus minor.
const CODE_VERSION: c_int = device::COMPUTE_CAPABILITY.0 * 10 + device::COMPUTE_CAPABILITY.1;

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaFuncGetAttributes(
    attributes: *mut FunctionAttributes,
    function: *const c_void,
) -> CudaError {
    call("cudaFuncGetAttributes", |machine| {
        let (info, settings) = machine.kernel_and_settings(function.addr())?;
        // SAFETY: the program passes a place for the structure.
        unsafe { answer(attributes, attributes_of(&info, &settings)) }
    })
}

fn attributes_of(info: &KernelInfo, settings: &FunctionSettings) -> FunctionAttributes {
    let compiled = info.cluster.map(|cluster| [cluster.x, cluster.y, cluster.z]);
    let compiled = compiled.map(|cluster| cluster.map(|extent| extent as c_int));
    FunctionAttributes {
        static_shared_bytes: info.static_shared_bytes,
        local_bytes: info.local_bytes,
        max_threads_per_block: (info.max_threads as c_int).min(device::MAX_THREADS_PER_BLOCK),
        registers: info.registers as c_int,
        ptx_version: CODE_VERSION,
        binary_version: CODE_VERSION,
        max_dynamic_shared_bytes: allowed_dynamic_shared_bytes(info, settings) as c_int,
        preferred_shared_carveout: settings.preferred_shared_carveout,
        cluster_must_be_set: c_int::from(compiled.is_some()),
        required_cluster: compiled.unwrap_or(settings.required_cluster),
        cluster_scheduling_policy: settings.cluster_scheduling_policy,
        non_portable_cluster_allowed: settings.non_portable_cluster_allowed,
        ..FunctionAttributes::default()
    }
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFuncSetAttribute(
    function: *const c_void,
    attribute: c_int,
    value: c_int,
) -> CudaError {
    call("cudaFuncSetAttribute", |machine| {
        machine.set_kernel_attribute(function.addr(), attribute, value)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaKernelSetAttributeForDevice(
    kernel: CudaKernel,
    attribute: c_int,
    value: c_int,
    device: c_int,
) -> CudaError {
    call("cudaKernelSetAttributeForDevice", |machine| {
        device::check_device(device)?;
        machine.set_kernel_attribute(kernel.addr(), attribute, value)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFuncSetCacheConfig(function: *const c_void, preference: c_int) -> CudaError {
    // A hint about caches, of which there are none.
    call("cudaFuncSetCacheConfig", |machine| {
        check_cache_preference(preference)?;
        machine.function(function.addr()).map(|_| ())
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFuncSetSharedMemConfig(function: *const c_void, width: c_int) -> CudaError {
    call("cudaFuncSetSharedMemConfig", |machine| {
        check_bank_width(width)?;
        machine.function(function.addr()).map(|_| ())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaFuncGetName(
    name: *mut *const c_char,
    function: *const c_void,
) -> CudaError {
    call("cudaFuncGetName", |machine| {
        let entry = machine.function(function.addr())?;
        // SAFETY: the program passes a place for a pointer; the name lives until the kernel's
        // image is unregistered.
        unsafe { answer(name, entry.name.as_ptr()) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaFuncGetParamInfo(
    function: *const c_void,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> CudaError {
    call("cudaFuncGetParamInfo", |machine| {
        let (info, _) = machine.kernel_and_settings(function.addr())?;
        let parameter = info.parameters.get(index).ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the program passes a place for the offset.
        unsafe { answer(offset, parameter.offset) }?;
        if !size.is_null() {
            // SAFETY: the program passes null or a place for the size.
            unsafe { answer(size, parameter.size) }?;
        }
        Ok(())
    })
}

/// Describes a texel. This one returns a structure, so it cannot be refused with a code.
#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaCreateChannelDesc(
    x: c_int,
    y: c_int,
    z: c_int,
    w: c_int,
    kind: c_int,
) -> ChannelFormat {
    ChannelFormat { x, y, z, w, kind }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_runtime::Dim3;

    fn info(static_shared_bytes: usize, cluster: Option<Dim3>) -> KernelInfo {
        KernelInfo {
            name: "kernel".to_owned(),
            parameters: Vec::new(),
            parameter_bytes: 0,
            static_shared_bytes,
            registers: 10,
            local_bytes: 0,
            max_threads: 1024,
            cluster,
        }
    }

    #[test]
    fn attributes_are_read_back() {
        let clustered = info(512, Some(Dim3 { x: 2, y: 1, z: 1 }));
        let read = attributes_of(&clustered, &FunctionSettings::default());
        assert_eq!(read.max_dynamic_shared_bytes, 48_640);
        assert_eq!((read.cluster_must_be_set, read.required_cluster), (1, [2, 1, 1]));
        let more = FunctionSettings {
            max_dynamic_shared_bytes: Some(98_304),
            ..FunctionSettings::default()
        };
        let read = attributes_of(&clustered, &more);
        assert_eq!(read.max_dynamic_shared_bytes, 98_304);
    }
}
