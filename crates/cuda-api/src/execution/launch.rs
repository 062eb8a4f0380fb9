//! Launching kernels.

use crate::call::call;
use crate::execution::launch_attributes::{attributes_of, read_attributes};
use crate::handles::stream_of;
use crate::types::{CudaDim3, CudaKernel, CudaStream, LaunchConfig};
use std::ffi::c_void;
use warpsan_runtime::KernelInfo;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::launches::{LaunchAttributes, LaunchRequest};
use warpsan_runtime::machine::state::Machine;

/// Launches a kernel without attributes, but for those that the call itself stands for.
///
/// # Safety
/// As for [`gather_parameters`].
unsafe fn launch(
    machine: &mut Machine,
    function: *const c_void,
    (grid, block): (CudaDim3, CudaDim3),
    arguments: *const *const c_void,
    (shared_bytes, stream): (usize, CudaStream),
    attributes: LaunchAttributes,
) -> Result<(), CudaError> {
    machine.launch(&LaunchRequest {
        function: function.addr(),
        grid: grid.into(),
        block: block.into(),
        shared_bytes,
        stream: stream_of(stream),
        attributes,
        // SAFETY: passed on from the caller.
        parameters: &|info| unsafe { gather_parameters(info, arguments) },
    })
}

/// Copies the arguments to the places that the kernel's parameters have.
///
/// # Safety
/// `arguments` is null, or points to one pointer for each of the kernel's parameters, each null or to a value of the
/// parameter's size.
pub(crate) unsafe fn gather_parameters(
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
    call("cudaLaunchKernel", |machine| {
        let (shape, how) = ((grid, block), (shared_bytes, stream));
        let attributes = LaunchAttributes::default();
        // SAFETY: the program passes one argument for each parameter.
        unsafe { launch(machine, function, shape, arguments, how, attributes) }
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
    call("cudaLaunchCooperativeKernel", |machine| {
        let (shape, how) = ((grid, block), (shared_bytes, stream));
        let attributes = LaunchAttributes { cooperative: true, ..LaunchAttributes::default() };
        // SAFETY: the program passes one argument for each parameter.
        unsafe { launch(machine, function, shape, arguments, how, attributes) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLaunchKernelExC(
    config: *const LaunchConfig,
    function: *const c_void,
    arguments: *const *const c_void,
) -> CudaError {
    call("cudaLaunchKernelExC", |machine| {
        // SAFETY: the program passes null or a configuration.
        let config = unsafe { config.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the configuration states how many attributes it has.
        let attributes = unsafe { attributes_of(config) }?;
        let attributes = read_attributes(machine, attributes)?;
        let (shape, how) =
            ((config.grid, config.block), (config.dynamic_shared_bytes, config.stream));
        // SAFETY: the program passes one argument for each parameter.
        unsafe { launch(machine, function, shape, arguments, how, attributes) }
    })
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
            cluster: None,
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
}
