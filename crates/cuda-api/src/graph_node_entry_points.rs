//! The calls that ask what nodes of graphs do, and change it.

use crate::call::{Api, call};
use crate::error::CudaError;
use crate::events::event_number;
use crate::graph_entry_points::{CudaGraph, CudaNode, NodeParameters, work_of};
use crate::graph_launch::{CudaExecutable, change_planned};
use crate::graph_nodes::{
    CopyNode, FillNode, FillNodeParameters, HostNode, HostNodeParameters, KernelNode,
    KernelNodeParameters, NodeWork,
};
use crate::handles::{handle_of, pointer_of};
use crate::memory_types::BoxCopyParameters;
use crate::streams::answer;
use crate::symbols::{checked_copy_from_symbol, checked_copy_to_symbol};
use crate::types::CudaEvent;
use std::ffi::{c_int, c_void};

/// Has a node do something else of the same kind.
fn change(api: &mut Api, node: CudaNode, work: NodeWork) -> Result<(), CudaError> {
    let node = api.graphs.node_mut(handle_of(node))?;
    if node.work.kind() != work.kind() {
        return Err(CudaError::INVALID_VALUE);
    }
    node.work = work;
    Ok(())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphNodeGetType(node: CudaNode, kind: *mut c_int) -> CudaError {
    call("cudaGraphNodeGetType", |api| {
        let value = api.graphs.node(handle_of(node))?.work.kind();
        // SAFETY: the program passes a place for an enumerator.
        unsafe { answer(kind, value) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphChildGraphNodeGetGraph(
    node: CudaNode,
    graph: *mut CudaGraph,
) -> CudaError {
    call("cudaGraphChildGraphNodeGetGraph", |api| {
        let NodeWork::Graph(inner) = api.graphs.node(handle_of(node))?.work else {
            return Err(CudaError::INVALID_VALUE);
        };
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(graph, pointer_of(inner)) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphKernelNodeGetParams(
    node: CudaNode,
    parameters: *mut KernelNodeParameters,
) -> CudaError {
    call("cudaGraphKernelNodeGetParams", |api| {
        let NodeWork::Kernel(work) = &api.graphs.node(handle_of(node))?.work else {
            return Err(CudaError::INVALID_VALUE);
        };
        let described = work.parameters();
        // SAFETY: the program passes a place for the description.
        unsafe { answer(parameters, described) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphMemcpyNodeGetParams(
    node: CudaNode,
    parameters: *mut BoxCopyParameters,
) -> CudaError {
    call("cudaGraphMemcpyNodeGetParams", |api| {
        let NodeWork::Copy(work) = &api.graphs.node(handle_of(node))?.work else {
            return Err(CudaError::INVALID_VALUE);
        };
        let described = work.parameters();
        // SAFETY: the program passes a place for the description.
        unsafe { answer(parameters, described) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphMemsetNodeGetParams(
    node: CudaNode,
    parameters: *mut FillNodeParameters,
) -> CudaError {
    call("cudaGraphMemsetNodeGetParams", |api| {
        let NodeWork::Fill(work) = &api.graphs.node(handle_of(node))?.work else {
            return Err(CudaError::INVALID_VALUE);
        };
        let described = work.parameters();
        // SAFETY: the program passes a place for the description.
        unsafe { answer(parameters, described) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphHostNodeGetParams(
    node: CudaNode,
    parameters: *mut HostNodeParameters,
) -> CudaError {
    call("cudaGraphHostNodeGetParams", |api| {
        let NodeWork::Host(work) = &api.graphs.node(handle_of(node))?.work else {
            return Err(CudaError::INVALID_VALUE);
        };
        let described = work.parameters();
        // SAFETY: the program passes a place for the description.
        unsafe { answer(parameters, described) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphKernelNodeSetParams(
    node: CudaNode,
    parameters: *const KernelNodeParameters,
) -> CudaError {
    call("cudaGraphKernelNodeSetParams", |api| {
        // SAFETY: the program passes a description.
        let work = NodeWork::Kernel(unsafe { KernelNode::new(api, parameters) }?);
        change(api, node, work)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphExecKernelNodeSetParams(
    executable: CudaExecutable,
    node: CudaNode,
    parameters: *const KernelNodeParameters,
) -> CudaError {
    call("cudaGraphExecKernelNodeSetParams", |api| {
        // SAFETY: the program passes a description.
        let work = NodeWork::Kernel(unsafe { KernelNode::new(api, parameters) }?);
        change_planned(api, executable, node, work)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphMemcpyNodeSetParams(
    node: CudaNode,
    parameters: *const BoxCopyParameters,
) -> CudaError {
    call("cudaGraphMemcpyNodeSetParams", |api| {
        // SAFETY: the program passes null or a description.
        let parameters = unsafe { parameters.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        let work = NodeWork::Copy(CopyNode::of_box(api, parameters)?);
        change(api, node, work)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphExecMemcpyNodeSetParams(
    executable: CudaExecutable,
    node: CudaNode,
    parameters: *const BoxCopyParameters,
) -> CudaError {
    call("cudaGraphExecMemcpyNodeSetParams", |api| {
        // SAFETY: the program passes null or a description.
        let parameters = unsafe { parameters.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        let work = NodeWork::Copy(CopyNode::of_box(api, parameters)?);
        change_planned(api, executable, node, work)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphMemsetNodeSetParams(
    node: CudaNode,
    parameters: *const FillNodeParameters,
) -> CudaError {
    call("cudaGraphMemsetNodeSetParams", |api| {
        // SAFETY: the program passes null or a description.
        let parameters = unsafe { parameters.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        let work = NodeWork::Fill(FillNode::new(api, parameters)?);
        change(api, node, work)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphExecMemsetNodeSetParams(
    executable: CudaExecutable,
    node: CudaNode,
    parameters: *const FillNodeParameters,
) -> CudaError {
    call("cudaGraphExecMemsetNodeSetParams", |api| {
        // SAFETY: the program passes null or a description.
        let parameters = unsafe { parameters.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        let work = NodeWork::Fill(FillNode::new(api, parameters)?);
        change_planned(api, executable, node, work)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphHostNodeSetParams(
    node: CudaNode,
    parameters: *const HostNodeParameters,
) -> CudaError {
    call("cudaGraphHostNodeSetParams", |api| {
        // SAFETY: the program passes null or a description.
        let parameters = unsafe { parameters.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        let work = NodeWork::Host(HostNode::new(parameters)?);
        change(api, node, work)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphExecHostNodeSetParams(
    executable: CudaExecutable,
    node: CudaNode,
    parameters: *const HostNodeParameters,
) -> CudaError {
    call("cudaGraphExecHostNodeSetParams", |api| {
        // SAFETY: the program passes null or a description.
        let parameters = unsafe { parameters.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        let work = NodeWork::Host(HostNode::new(parameters)?);
        change_planned(api, executable, node, work)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphMemcpyNodeSetParams1D(
    node: CudaNode,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
) -> CudaError {
    call("cudaGraphMemcpyNodeSetParams1D", |api| {
        let work = NodeWork::Copy(CopyNode::of_bytes(api, (to, from), bytes, kind)?);
        change(api, node, work)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphExecMemcpyNodeSetParams1D(
    executable: CudaExecutable,
    node: CudaNode,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
) -> CudaError {
    call("cudaGraphExecMemcpyNodeSetParams1D", |api| {
        let work = NodeWork::Copy(CopyNode::of_bytes(api, (to, from), bytes, kind)?);
        change_planned(api, executable, node, work)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphMemcpyNodeSetParamsToSymbol(
    node: CudaNode,
    symbol: *const c_void,
    from: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> CudaError {
    call("cudaGraphMemcpyNodeSetParamsToSymbol", |api| {
        let sides = checked_copy_to_symbol(api, (symbol, from), (bytes, offset, kind))?;
        let work = NodeWork::Copy(CopyNode::of_bytes(api, sides, bytes, kind)?);
        change(api, node, work)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphExecMemcpyNodeSetParamsToSymbol(
    executable: CudaExecutable,
    node: CudaNode,
    symbol: *const c_void,
    from: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> CudaError {
    call("cudaGraphExecMemcpyNodeSetParamsToSymbol", |api| {
        let sides = checked_copy_to_symbol(api, (symbol, from), (bytes, offset, kind))?;
        let work = NodeWork::Copy(CopyNode::of_bytes(api, sides, bytes, kind)?);
        change_planned(api, executable, node, work)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphMemcpyNodeSetParamsFromSymbol(
    node: CudaNode,
    to: *mut c_void,
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> CudaError {
    call("cudaGraphMemcpyNodeSetParamsFromSymbol", |api| {
        let sides = checked_copy_from_symbol(api, (to, symbol), (bytes, offset, kind))?;
        let work = NodeWork::Copy(CopyNode::of_bytes(api, sides, bytes, kind)?);
        change(api, node, work)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    executable: CudaExecutable,
    node: CudaNode,
    to: *mut c_void,
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> CudaError {
    call("cudaGraphExecMemcpyNodeSetParamsFromSymbol", |api| {
        let sides = checked_copy_from_symbol(api, (to, symbol), (bytes, offset, kind))?;
        let work = NodeWork::Copy(CopyNode::of_bytes(api, sides, bytes, kind)?);
        change_planned(api, executable, node, work)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphEventRecordNodeGetEvent(
    node: CudaNode,
    event: *mut CudaEvent,
) -> CudaError {
    call("cudaGraphEventRecordNodeGetEvent", |api| {
        let NodeWork::Record(value) = api.graphs.node(handle_of(node))?.work else {
            return Err(CudaError::INVALID_VALUE);
        };
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(event, pointer_of(value)) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphEventRecordNodeSetEvent(node: CudaNode, event: CudaEvent) -> CudaError {
    call("cudaGraphEventRecordNodeSetEvent", |api| {
        api.events.note_recorded(event)?;
        let work = NodeWork::Record(event_number(event).0 as usize);
        change(api, node, work)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphExecEventRecordNodeSetEvent(
    executable: CudaExecutable,
    node: CudaNode,
    event: CudaEvent,
) -> CudaError {
    call("cudaGraphExecEventRecordNodeSetEvent", |api| {
        api.events.note_recorded(event)?;
        let work = NodeWork::Record(event_number(event).0 as usize);
        change_planned(api, executable, node, work)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphEventWaitNodeGetEvent(
    node: CudaNode,
    event: *mut CudaEvent,
) -> CudaError {
    call("cudaGraphEventWaitNodeGetEvent", |api| {
        let NodeWork::Wait(value) = api.graphs.node(handle_of(node))?.work else {
            return Err(CudaError::INVALID_VALUE);
        };
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(event, pointer_of(value)) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphEventWaitNodeSetEvent(node: CudaNode, event: CudaEvent) -> CudaError {
    call("cudaGraphEventWaitNodeSetEvent", |api| {
        api.events.check(event)?;
        let work = NodeWork::Wait(event_number(event).0 as usize);
        change(api, node, work)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphExecEventWaitNodeSetEvent(
    executable: CudaExecutable,
    node: CudaNode,
    event: CudaEvent,
) -> CudaError {
    call("cudaGraphExecEventWaitNodeSetEvent", |api| {
        api.events.check(event)?;
        let work = NodeWork::Wait(event_number(event).0 as usize);
        change_planned(api, executable, node, work)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphNodeSetParams(
    node: CudaNode,
    parameters: *const NodeParameters,
) -> CudaError {
    call("cudaGraphNodeSetParams", |api| {
        // SAFETY: the program passes null or a description.
        let work = unsafe { work_of(api, parameters) }?;
        change(api, node, work)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphExecNodeSetParams(
    executable: CudaExecutable,
    node: CudaNode,
    parameters: *const NodeParameters,
) -> CudaError {
    call("cudaGraphExecNodeSetParams", |api| {
        // SAFETY: the program passes null or a description.
        let work = unsafe { work_of(api, parameters) }?;
        change_planned(api, executable, node, work)
    })
}
