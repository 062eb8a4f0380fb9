//! Attributes of kernels.

use crate::call::{Api, call};
use crate::device;
use crate::device_settings::{check_bank_width, check_cache_preference};
use crate::error::CudaError;
use crate::registry::FunctionSettings;
use crate::streams::answer;
use crate::types::{ChannelFormat, CudaKernel, FunctionAttributes};
use std::ffi::{c_char, c_int, c_void};
use warpsan_runtime::KernelInfo;

/// `cudaFuncAttribute`.
const MAX_DYNAMIC_SHARED_BYTES: c_int = 8;
const PREFERRED_SHARED_CARVEOUT: c_int = 9;
const REQUIRED_CLUSTER_WIDTH: c_int = 11;
const REQUIRED_CLUSTER_DEPTH: c_int = 13;
const NON_PORTABLE_CLUSTER_ALLOWED: c_int = 14;
const CLUSTER_SCHEDULING_POLICY: c_int = 15;

/// PTX and machine code are both those of the device, as major times ten plus minor.
const CODE_VERSION: c_int = device::COMPUTE_CAPABILITY.0 * 10 + device::COMPUTE_CAPABILITY.1;

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaFuncGetAttributes(
    attributes: *mut FunctionAttributes,
    function: *const c_void,
) -> CudaError {
    call("cudaFuncGetAttributes", |api| {
        let (info, settings) = kernel_and_settings(api, function)?;
        // SAFETY: the program passes a place for the structure.
        unsafe { answer(attributes, attributes_of(&info, &settings)) }
    })
}

/// What is known of a kernel, and what the program has set for it.
pub(crate) fn kernel_and_settings(
    api: &mut Api,
    function: *const c_void,
) -> Result<(KernelInfo, FunctionSettings), CudaError> {
    let (session, registry) = api.session_and_registry()?;
    let kernel = registry.kernel(session, function)?;
    let info = session.kernel_info(kernel)?;
    Ok((info, registry.function(function)?.settings))
}

/// The dynamic shared memory that a launch of a kernel may have.
pub(crate) fn allowed_dynamic_shared_bytes(
    info: &KernelInfo,
    settings: &FunctionSettings,
) -> usize {
    let usual = device::SHARED_BYTES_PER_BLOCK.saturating_sub(info.static_shared_bytes);
    settings.max_dynamic_shared_bytes.map_or(usual, |bytes| bytes as usize)
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

/// The settings after one of them was changed.
fn changed(
    info: &KernelInfo,
    mut settings: FunctionSettings,
    attribute: c_int,
    value: c_int,
) -> Result<FunctionSettings, CudaError> {
    let refused = Err(CudaError::INVALID_VALUE);
    match attribute {
        MAX_DYNAMIC_SHARED_BYTES => {
            let bytes = u32::try_from(value).map_err(|_| CudaError::INVALID_VALUE)?;
            if info.static_shared_bytes + bytes as usize > device::SHARED_BYTES_PER_BLOCK_OPT_IN {
                return refused;
            }
            settings.max_dynamic_shared_bytes = Some(bytes);
        }
        PREFERRED_SHARED_CARVEOUT if (-1..=100).contains(&value) => {
            settings.preferred_shared_carveout = value;
        }
        REQUIRED_CLUSTER_WIDTH..=REQUIRED_CLUSTER_DEPTH => {
            let dimension = (attribute - REQUIRED_CLUSTER_WIDTH) as usize;
            // What a kernel was compiled for cannot be changed any more.
            let compiled = info.cluster.map(|cluster| [cluster.x, cluster.y, cluster.z][dimension]);
            if value < 0 || compiled.is_some_and(|extent| extent as c_int != value) {
                return refused;
            }
            settings.required_cluster[dimension] = value;
        }
        NON_PORTABLE_CLUSTER_ALLOWED => settings.non_portable_cluster_allowed = value,
        CLUSTER_SCHEDULING_POLICY if (0..=2).contains(&value) => {
            settings.cluster_scheduling_policy = value;
        }
        _ => return refused,
    }
    Ok(settings)
}

fn set_attribute(
    api: &mut Api,
    function: *const c_void,
    attribute: c_int,
    value: c_int,
) -> Result<(), CudaError> {
    let (info, settings) = kernel_and_settings(api, function)?;
    api.registry.function(function)?.settings = changed(&info, settings, attribute, value)?;
    Ok(())
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFuncSetAttribute(
    function: *const c_void,
    attribute: c_int,
    value: c_int,
) -> CudaError {
    call("cudaFuncSetAttribute", |api| set_attribute(api, function, attribute, value))
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaKernelSetAttributeForDevice(
    kernel: CudaKernel,
    attribute: c_int,
    value: c_int,
    device: c_int,
) -> CudaError {
    call("cudaKernelSetAttributeForDevice", |api| {
        device::check_device(device)?;
        set_attribute(api, kernel, attribute, value)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFuncSetCacheConfig(function: *const c_void, preference: c_int) -> CudaError {
    // A hint about caches, of which there are none.
    call("cudaFuncSetCacheConfig", |api| {
        check_cache_preference(preference)?;
        api.registry.function(function).map(|_| ())
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFuncSetSharedMemConfig(function: *const c_void, width: c_int) -> CudaError {
    call("cudaFuncSetSharedMemConfig", |api| {
        check_bank_width(width)?;
        api.registry.function(function).map(|_| ())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaFuncGetName(
    name: *mut *const c_char,
    function: *const c_void,
) -> CudaError {
    call("cudaFuncGetName", |api| {
        let entry = api.registry.function(function)?;
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
    call("cudaFuncGetParamInfo", |api| {
        let (info, _) = kernel_and_settings(api, function)?;
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

    /// Answers as an H200 gave them.
    #[test]
    fn attributes_take_what_the_device_takes() {
        let plain = info(0, None);
        let clustered = info(0, Some(Dim3 { x: 2, y: 1, z: 1 }));
        let takes = |info: &KernelInfo, attribute, value| {
            changed(info, FunctionSettings::default(), attribute, value).is_ok()
        };
        assert!(takes(&plain, MAX_DYNAMIC_SHARED_BYTES, 232_448));
        assert!(!takes(&plain, MAX_DYNAMIC_SHARED_BYTES, 232_449));
        assert!(!takes(&info(1, None), MAX_DYNAMIC_SHARED_BYTES, 232_448));
        assert!(takes(&plain, PREFERRED_SHARED_CARVEOUT, -1));
        assert!(!takes(&plain, PREFERRED_SHARED_CARVEOUT, 101));
        assert!(takes(&clustered, REQUIRED_CLUSTER_WIDTH, 2));
        assert!(!takes(&clustered, REQUIRED_CLUSTER_WIDTH, 3));
        assert!(takes(&plain, REQUIRED_CLUSTER_WIDTH, 3));
        assert!(!takes(&plain, 10, 1), "whether clusters are needed can only be read");
        assert!(!takes(&plain, 16, 1));
    }

    #[test]
    fn attributes_are_read_back() {
        let clustered = info(512, Some(Dim3 { x: 2, y: 1, z: 1 }));
        let read = attributes_of(&clustered, &FunctionSettings::default());
        assert_eq!(read.max_dynamic_shared_bytes, 48_640);
        assert_eq!((read.cluster_must_be_set, read.required_cluster), (1, [2, 1, 1]));
        let more =
            changed(&clustered, FunctionSettings::default(), MAX_DYNAMIC_SHARED_BYTES, 98_304);
        let read = attributes_of(&clustered, &more.expect("allowed"));
        assert_eq!(read.max_dynamic_shared_bytes, 98_304);
    }
}
