//! The structures by which programs describe kernels and functions as nodes of graphs.

use crate::execution::launch::gather_parameters;
use crate::process::program_function::ProgramFunction;
use crate::types::CudaDim3;
use std::ffi::{c_uint, c_void};
use std::sync::Arc;
use warpsan_runtime::QueuedLaunch;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::launches::{LaunchAttributes, LaunchRequest};
use warpsan_runtime::machine::nodes::{HostNode, KernelNode, NodeWork};
use warpsan_runtime::machine::state::Machine;
use warpsan_runtime::machine::streams::StreamHandle;

/// `cudaKernelNodeParams`, and its second version, which is laid out alike.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct KernelNodeParameters {
    pub(crate) function: *const c_void,
    pub(crate) grid: CudaDim3,
    pub(crate) block: CudaDim3,
    pub(crate) shared_bytes: c_uint,
    pub(crate) arguments: *const *const c_void,
    pub(crate) extra: *const *const c_void,
}

impl KernelNodeParameters {
    /// The description of a node, as a program may ask for it.
    pub(crate) fn of(node: &KernelNode) -> Self {
        let QueuedLaunch { grid, block, dynamic_shared_bytes, .. } = node.launch;
        KernelNodeParameters {
            function: std::ptr::with_exposed_provenance(node.function),
            grid: grid.into(),
            block: block.into(),
            shared_bytes: dynamic_shared_bytes,
            arguments: node.arguments().as_ptr().cast(),
            extra: std::ptr::null(),
        }
    }
}

/// A node that launches a kernel.
///
/// # Safety
/// The parameters have one argument for each parameter of the kernel.
pub(crate) unsafe fn kernel_node(
    machine: &mut Machine,
    parameters: &KernelNodeParameters,
) -> Result<NodeWork, CudaError> {
    if !parameters.extra.is_null() {
        return machine.refuse("a kernel node with arguments in one buffer");
    }
    machine.kernel_node(&LaunchRequest {
        function: parameters.function.expose_provenance(),
        grid: parameters.grid.into(),
        block: parameters.block.into(),
        shared_bytes: parameters.shared_bytes as usize,
        stream: StreamHandle::DEFAULT,
        attributes: LaunchAttributes::default(),
        // SAFETY: passed on from the caller.
        parameters: &|info| unsafe { gather_parameters(info, parameters.arguments) },
    })
}

/// `cudaHostFn_t`.
pub(crate) type HostFn = unsafe extern "C" fn(*mut c_void);

/// `cudaHostNodeParams`, and its second version.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct HostNodeParameters {
    pub(crate) function: Option<HostFn>,
    pub(crate) data: *mut c_void,
}

impl HostNodeParameters {
    /// The description of a node, as a program may ask for it.
    pub(crate) fn of(node: &HostNode) -> Self {
        let (function, data) = node.described;
        let function: *const c_void = std::ptr::with_exposed_provenance(function);
        // SAFETY: the address is that of such a function, from `host_node`.
        let function = unsafe { std::mem::transmute::<*const c_void, HostFn>(function) };
        let data = std::ptr::with_exposed_provenance_mut(data);
        HostNodeParameters { function: Some(function), data }
    }
}

/// A node that calls a function of the host, which the program passes with its argument.
pub(crate) fn host_node(
    function: Option<HostFn>,
    data: *mut c_void,
) -> Result<HostNode, CudaError> {
    let function = function.ok_or(CudaError::INVALID_VALUE)?;
    let data = data.expose_provenance();
    let described = ((function as *const c_void).expose_provenance(), data);
    let call = move || {
        let function = function as *const c_void;
        let call = ProgramFunction { function, arguments: [data, 0, 0] };
        // SAFETY: the program passes a function for this argument.
        unsafe { call.call() };
    };
    Ok(HostNode { function: Arc::new(call), described })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// Sizes and offsets as the C compiler gives them for the headers of 12.9 and 13.0.
    #[test]
    fn the_layouts_are_those_of_the_headers() {
        assert_eq!(size_of::<KernelNodeParameters>(), 56);
        assert_eq!(offset_of!(KernelNodeParameters, arguments), 40);
        assert_eq!(size_of::<HostNodeParameters>(), 16);
    }
}
