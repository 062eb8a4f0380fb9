//! Launching kernels.

use crate::call::{Api, call, launch_result};
use crate::device::{SHARED_BYTES_PER_BLOCK, SHARED_BYTES_PER_BLOCK_OPT_IN};
use crate::error::CudaError;
use crate::streams::begin_work;
use crate::types::{CudaDim3, CudaKernel, CudaStream, LaunchAttribute, LaunchConfig};
use crate::unsupported::refuse;
use std::ffi::{c_int, c_void};
use warpsan_runtime::{KernelInfo, LaunchRequest};

/// One launch as a program asks for it.
struct Launch {
    function: *const c_void,
    grid: CudaDim3,
    block: CudaDim3,
    arguments: *const *const c_void,
    shared_bytes: usize,
    stream: CudaStream,
    cooperative: bool,
    cluster: Option<CudaDim3>,
}

/// Runs one launch to its end.
///
/// # Safety
/// `launch.arguments` points to one pointer for each of the kernel's parameters, each to a value of
/// the parameter's size.
unsafe fn run(api: &mut Api, launch: &Launch) -> Result<(), CudaError> {
    begin_work(api, launch.stream)?;
    let (session, registry) = api.session_and_registry()?;
    let kernel = registry.kernel(session, launch.function)?;
    let info = session.kernel_info(kernel)?;
    let allowed = registry.function(launch.function)?.max_dynamic_shared_bytes;
    let dynamic_shared_bytes = check_shared_bytes(&info, launch.shared_bytes, allowed)?;
    // SAFETY: passed on from the caller.
    let parameters = unsafe { gather_parameters(&info, launch.arguments) }?;
    let result = session.launch(&LaunchRequest {
        kernel,
        grid: launch.grid.into(),
        block: launch.block.into(),
        dynamic_shared_bytes,
        parameters: &parameters,
        cooperative: launch.cooperative,
        cluster: launch.cluster.map(Into::into),
        stream: None,
    });
    crate::printed::to_standard_output(&session.take_printed());
    launch_result(result)
}

/// More shared memory than every device has needs `cudaFuncSetAttribute` first.
fn check_shared_bytes(
    info: &KernelInfo,
    requested: usize,
    allowed: Option<u32>,
) -> Result<u32, CudaError> {
    let total = requested.checked_add(info.static_shared_bytes);
    let fits = match (total, allowed) {
        (None, _) => false,
        (Some(total), None) => total <= SHARED_BYTES_PER_BLOCK,
        (Some(total), Some(allowed)) => {
            total <= SHARED_BYTES_PER_BLOCK
                || (requested <= allowed as usize && total <= SHARED_BYTES_PER_BLOCK_OPT_IN)
        }
    };
    if !fits {
        return Err(CudaError::INVALID_VALUE);
    }
    u32::try_from(requested).map_err(|_| CudaError::INVALID_VALUE)
}

/// Copies the arguments to the places that the kernel's parameters have.
///
/// # Safety
/// As for [`run`].
unsafe fn gather_parameters(
    info: &KernelInfo,
    arguments: *const *const c_void,
) -> Result<Vec<u8>, CudaError> {
    let mut bytes = vec![0; info.parameter_bytes];
    if info.parameters.is_empty() {
        return Ok(bytes);
    }
    if arguments.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    for (index, parameter) in info.parameters.iter().enumerate() {
        // SAFETY: there is one pointer for each parameter.
        let argument = unsafe { *arguments.add(index) };
        let place = bytes.get_mut(parameter.offset..parameter.offset + parameter.size);
        let (Some(place), false) = (place, argument.is_null()) else {
            return Err(CudaError::INVALID_VALUE);
        };
        // SAFETY: the argument has the size of the parameter, and `place` is a fresh buffer.
        unsafe { argument.cast::<u8>().copy_to_nonoverlapping(place.as_mut_ptr(), place.len()) };
    }
    Ok(bytes)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLaunchKernel(
    function: *const c_void,
    grid: CudaDim3,
    block: CudaDim3,
    arguments: *const *const c_void,
    shared_bytes: usize,
    stream: CudaStream,
) -> CudaError {
    let cooperative = false;
    call("cudaLaunchKernel", |api| {
        let launch = Launch {
            function,
            grid,
            block,
            arguments,
            shared_bytes,
            stream,
            cooperative,
            cluster: None,
        };
        // SAFETY: the program passes one argument for each parameter.
        unsafe { run(api, &launch) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt___cudaLaunchKernel(
    kernel: CudaKernel,
    grid: CudaDim3,
    block: CudaDim3,
    arguments: *const *const c_void,
    shared_bytes: usize,
    stream: CudaStream,
) -> CudaError {
    // SAFETY: the same contract; a kernel's handle is its host address.
    unsafe { wsrt_cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLaunchCooperativeKernel(
    function: *const c_void,
    grid: CudaDim3,
    block: CudaDim3,
    arguments: *const *const c_void,
    shared_bytes: usize,
    stream: CudaStream,
) -> CudaError {
    let cooperative = true;
    call("cudaLaunchCooperativeKernel", |api| {
        let launch = Launch {
            function,
            grid,
            block,
            arguments,
            shared_bytes,
            stream,
            cooperative,
            cluster: None,
        };
        // SAFETY: the program passes one argument for each parameter.
        unsafe { run(api, &launch) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLaunchKernelExC(
    config: *const LaunchConfig,
    function: *const c_void,
    arguments: *const *const c_void,
) -> CudaError {
    call("cudaLaunchKernelExC", |api| {
        // SAFETY: the program passes null or a configuration.
        let config = unsafe { config.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the configuration states how many attributes it has.
        let attributes = unsafe { attributes_of(config) }?;
        let (cooperative, cluster) = apply_attributes(api, attributes)?;
        let launch = Launch {
            function,
            grid: config.grid,
            block: config.block,
            arguments,
            shared_bytes: config.dynamic_shared_bytes,
            stream: config.stream,
            cooperative,
            cluster,
        };
        // SAFETY: the program passes one argument for each parameter.
        unsafe { run(api, &launch) }
    })
}

/// # Safety
/// `config.attributes` points to `config.attribute_count` attributes, if there are any.
unsafe fn attributes_of(config: &LaunchConfig) -> Result<&[LaunchAttribute], CudaError> {
    match config.attribute_count as usize {
        0 => Ok(&[]),
        _ if config.attributes.is_null() => Err(CudaError::INVALID_VALUE),
        // SAFETY: not null, and as long as the caller says.
        count => Ok(unsafe { std::slice::from_raw_parts(config.attributes, count) }),
    }
}

const ATTRIBUTE_COOPERATIVE: c_int = 2;
const ATTRIBUTE_CLUSTER_DIMENSION: c_int = 4;
const ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION: c_int = 6;
const ATTRIBUTE_PROGRAMMATIC_EVENT: c_int = 7;
const ATTRIBUTE_LAUNCH_COMPLETION_EVENT: c_int = 12;
const ATTRIBUTE_DEVICE_UPDATABLE_NODE: c_int = 13;

/// Reads the attributes that change what a launch means and says whether it is cooperative, and in
/// what clusters. The others are hints about scheduling and caches.
fn apply_attributes(
    api: &mut Api,
    attributes: &[LaunchAttribute],
) -> Result<(bool, Option<CudaDim3>), CudaError> {
    let mut cooperative = false;
    let mut cluster = None;
    for attribute in attributes {
        let words = &attribute.value.words;
        match attribute.id {
            ATTRIBUTE_COOPERATIVE => cooperative = words[0] != 0,
            ATTRIBUTE_CLUSTER_DIMENSION => {
                let [x, y, z] = [words[0], words[1], words[2]];
                cluster = Some(CudaDim3 { x, y, z });
            }
            // The launch may only overlap with its predecessor; running it afterwards is allowed,
            // but what the overlap could break stays unchecked, and so the report has to say it.
            ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION if words[0] != 0 => {
                api.session()?.not_checked(
                    "races between a launch with programmatic stream serialization and the one before",
                    "cudaLaunchKernelExC",
                    "the launch ran after the one before",
                );
            }
            ATTRIBUTE_PROGRAMMATIC_EVENT => {
                return refuse(api, "cudaLaunchKernelExC with a programmatic event");
            }
            ATTRIBUTE_LAUNCH_COMPLETION_EVENT => {
                return refuse(api, "cudaLaunchKernelExC with a launch completion event");
            }
            ATTRIBUTE_DEVICE_UPDATABLE_NODE if words[0] != 0 => {
                return refuse(api, "cudaLaunchKernelExC with a device-updatable node");
            }
            _ => {}
        }
    }
    Ok((cooperative, cluster))
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_runtime::ParameterInfo;

    fn info() -> KernelInfo {
        KernelInfo {
            name: "kernel".to_owned(),
            parameters: vec![
                ParameterInfo { offset: 0, size: 1 },
                ParameterInfo { offset: 8, size: 8 },
            ],
            parameter_bytes: 16,
            static_shared_bytes: 1024,
            registers: 32,
            local_bytes: 0,
            max_threads: 1024,
        }
    }

    #[test]
    fn arguments_land_at_the_offsets_of_their_parameters() {
        let (first, second) = (7_u8, 0x0102_0304_0506_0708_u64);
        let arguments: [*const c_void; 2] = [(&raw const first).cast(), (&raw const second).cast()];
        // SAFETY: one argument for each parameter, of its size.
        let bytes = unsafe { gather_parameters(&info(), arguments.as_ptr()) }.expect("gathered");
        assert_eq!(bytes[0], 7);
        assert_eq!(bytes[1..8], [0; 7]);
        assert_eq!(bytes[8..], second.to_ne_bytes());
    }

    #[test]
    fn a_missing_argument_is_an_invalid_value() {
        let arguments = [std::ptr::null(); 2];
        // SAFETY: null pointers are refused before they are followed.
        let result = unsafe { gather_parameters(&info(), arguments.as_ptr()) };
        assert_eq!(result.err(), Some(CudaError::INVALID_VALUE));
        // SAFETY: as above.
        let result = unsafe { gather_parameters(&info(), std::ptr::null()) };
        assert_eq!(result.err(), Some(CudaError::INVALID_VALUE));
    }

    #[test]
    fn more_shared_memory_than_usual_has_to_be_asked_for() {
        let info = info();
        assert_eq!(check_shared_bytes(&info, 47 * 1024, None), Ok(47 * 1024));
        assert!(check_shared_bytes(&info, 48 * 1024, None).is_err());
        assert_eq!(check_shared_bytes(&info, 48 * 1024, Some(64 * 1024)), Ok(48 * 1024));
        assert!(check_shared_bytes(&info, 65 * 1024, Some(64 * 1024)).is_err());
        assert!(check_shared_bytes(&info, usize::MAX, Some(64 * 1024)).is_err());
    }
}
