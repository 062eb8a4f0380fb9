//! The calls that ask what nodes of graphs do, and change it: in a graph, or in one that can be launched.

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

/// What a node does.
fn work(api: &Api, node: CudaNode) -> Result<&NodeWork, CudaError> {
    Ok(&api.graphs.node(handle_of(node))?.work)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphNodeGetType(node: CudaNode, kind: *mut c_int) -> CudaError {
    call("cudaGraphNodeGetType", |api| {
        let value = work(api, node)?.kind();
        // SAFETY: the program passes a place for an enumerator.
        unsafe { answer(kind, value) }
    })
}

/// Calls that give a part of what a node of one kind does.
macro_rules! gives {
    ($(fn $function:ident: $name:literal, $kind:ident($work:ident) => $value:expr, $answer:ty;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $function(node: CudaNode, place: *mut $answer) -> CudaError {
            call($name, |api| {
                let NodeWork::$kind($work) = work(api, node)? else {
                    return Err(CudaError::INVALID_VALUE);
                };
                let value = $value;
                // SAFETY: the program passes a place for the answer.
                unsafe { answer(place, value) }
            })
        }
    )*};
}

gives! {
    fn wsrt_cudaGraphKernelNodeGetParams: "cudaGraphKernelNodeGetParams",
        Kernel(work) => work.parameters(), KernelNodeParameters;
    fn wsrt_cudaGraphMemcpyNodeGetParams: "cudaGraphMemcpyNodeGetParams",
        Copy(work) => work.parameters(), BoxCopyParameters;
    fn wsrt_cudaGraphMemsetNodeGetParams: "cudaGraphMemsetNodeGetParams",
        Fill(work) => work.parameters(), FillNodeParameters;
    fn wsrt_cudaGraphHostNodeGetParams: "cudaGraphHostNodeGetParams",
        Host(work) => work.parameters(), HostNodeParameters;
    fn wsrt_cudaGraphChildGraphNodeGetGraph: "cudaGraphChildGraphNodeGetGraph",
        Graph(graph) => pointer_of(*graph), CudaGraph;
    fn wsrt_cudaGraphEventRecordNodeGetEvent: "cudaGraphEventRecordNodeGetEvent",
        Record(event) => pointer_of(*event), CudaEvent;
    fn wsrt_cudaGraphEventWaitNodeGetEvent: "cudaGraphEventWaitNodeGetEvent",
        Wait(event) => pointer_of(*event), CudaEvent;
}

/// Calls that have a node do something else: each as one for a node of a graph, and one for a node of a graph that
/// can be launched.
macro_rules! changes {
    ($(fn $function:ident: $name:literal, fn $planned:ident: $planned_name:literal,
        ($($argument:ident: $kind:ty),*) => $api:ident $work:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $function(node: CudaNode, $($argument: $kind),*) -> CudaError {
            call($name, |$api| {
                let work = $work?;
                change($api, node, work)
            })
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $planned(
            executable: CudaExecutable,
            node: CudaNode,
            $($argument: $kind),*
        ) -> CudaError {
            call($planned_name, |$api| {
                let work = $work?;
                change_planned($api, executable, node, work)
            })
        }
    )*};
}

changes! {
    fn wsrt_cudaGraphKernelNodeSetParams: "cudaGraphKernelNodeSetParams",
    fn wsrt_cudaGraphExecKernelNodeSetParams: "cudaGraphExecKernelNodeSetParams",
        (parameters: *const KernelNodeParameters) => api kernel(api, parameters);
    fn wsrt_cudaGraphMemcpyNodeSetParams: "cudaGraphMemcpyNodeSetParams",
    fn wsrt_cudaGraphExecMemcpyNodeSetParams: "cudaGraphExecMemcpyNodeSetParams",
        (parameters: *const BoxCopyParameters) => api copy_of_box(api, parameters);
    fn wsrt_cudaGraphMemsetNodeSetParams: "cudaGraphMemsetNodeSetParams",
    fn wsrt_cudaGraphExecMemsetNodeSetParams: "cudaGraphExecMemsetNodeSetParams",
        (parameters: *const FillNodeParameters) => api fill(api, parameters);
    fn wsrt_cudaGraphHostNodeSetParams: "cudaGraphHostNodeSetParams",
    fn wsrt_cudaGraphExecHostNodeSetParams: "cudaGraphExecHostNodeSetParams",
        (parameters: *const HostNodeParameters) => api function(api, parameters);
    fn wsrt_cudaGraphMemcpyNodeSetParams1D: "cudaGraphMemcpyNodeSetParams1D",
    fn wsrt_cudaGraphExecMemcpyNodeSetParams1D: "cudaGraphExecMemcpyNodeSetParams1D",
        (to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int)
        => api copy_of_bytes(api, (to, from), bytes, kind);
    fn wsrt_cudaGraphMemcpyNodeSetParamsToSymbol: "cudaGraphMemcpyNodeSetParamsToSymbol",
    fn wsrt_cudaGraphExecMemcpyNodeSetParamsToSymbol: "cudaGraphExecMemcpyNodeSetParamsToSymbol",
        (symbol: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: c_int)
        => api copy_to_symbol(api, (symbol, from), (bytes, offset, kind));
    fn wsrt_cudaGraphMemcpyNodeSetParamsFromSymbol: "cudaGraphMemcpyNodeSetParamsFromSymbol",
    fn wsrt_cudaGraphExecMemcpyNodeSetParamsFromSymbol: "cudaGraphExecMemcpyNodeSetParamsFromSymbol",
        (to: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int)
        => api copy_from_symbol(api, (to, symbol), (bytes, offset, kind));
    fn wsrt_cudaGraphEventRecordNodeSetEvent: "cudaGraphEventRecordNodeSetEvent",
    fn wsrt_cudaGraphExecEventRecordNodeSetEvent: "cudaGraphExecEventRecordNodeSetEvent",
        (event: CudaEvent) => api record(api, event);
    fn wsrt_cudaGraphEventWaitNodeSetEvent: "cudaGraphEventWaitNodeSetEvent",
    fn wsrt_cudaGraphExecEventWaitNodeSetEvent: "cudaGraphExecEventWaitNodeSetEvent",
        (event: CudaEvent) => api wait(api, event);
    fn wsrt_cudaGraphNodeSetParams: "cudaGraphNodeSetParams",
    fn wsrt_cudaGraphExecNodeSetParams: "cudaGraphExecNodeSetParams",
        (parameters: *const NodeParameters) => api of_any_kind(api, parameters);
}

/// What a program describes: null, or a structure.
fn described<'a, T>(parameters: *const T) -> Result<&'a T, CudaError> {
    // SAFETY: the program passes null or a description, which stays during the call.
    unsafe { parameters.as_ref() }.ok_or(CudaError::INVALID_VALUE)
}

pub(crate) fn kernel(
    api: &mut Api,
    parameters: *const KernelNodeParameters,
) -> Result<NodeWork, CudaError> {
    // SAFETY: the program passes one argument for each parameter of the kernel.
    Ok(NodeWork::Kernel(unsafe { KernelNode::new(api, described(parameters)?) }?))
}

pub(crate) fn copy_of_box(
    api: &mut Api,
    parameters: *const BoxCopyParameters,
) -> Result<NodeWork, CudaError> {
    Ok(NodeWork::Copy(CopyNode::of_box(api, described(parameters)?)?))
}

pub(crate) fn copy_of_bytes(
    api: &mut Api,
    sides: (*mut c_void, *const c_void),
    bytes: usize,
    kind: c_int,
) -> Result<NodeWork, CudaError> {
    Ok(NodeWork::Copy(CopyNode::of_bytes(api, sides, bytes, kind)?))
}

pub(crate) fn copy_to_symbol(
    api: &mut Api,
    sides: (*const c_void, *const c_void),
    how: (usize, usize, c_int),
) -> Result<NodeWork, CudaError> {
    let sides = checked_copy_to_symbol(api, sides, how)?;
    copy_of_bytes(api, sides, how.0, how.2)
}

pub(crate) fn copy_from_symbol(
    api: &mut Api,
    sides: (*mut c_void, *const c_void),
    how: (usize, usize, c_int),
) -> Result<NodeWork, CudaError> {
    let sides = checked_copy_from_symbol(api, sides, how)?;
    copy_of_bytes(api, sides, how.0, how.2)
}

pub(crate) fn fill(
    api: &mut Api,
    parameters: *const FillNodeParameters,
) -> Result<NodeWork, CudaError> {
    Ok(NodeWork::Fill(FillNode::new(api, described(parameters)?)?))
}

pub(crate) fn function(
    _: &mut Api,
    parameters: *const HostNodeParameters,
) -> Result<NodeWork, CudaError> {
    Ok(NodeWork::Host(HostNode::new(described(parameters)?)?))
}

pub(crate) fn graph(api: &mut Api, inner: CudaGraph) -> Result<NodeWork, CudaError> {
    // The node has a graph of its own from now on.
    Ok(NodeWork::Graph(api.graphs.clone_of(handle_of(inner))?))
}

pub(crate) fn record(api: &mut Api, event: CudaEvent) -> Result<NodeWork, CudaError> {
    api.events.note_recorded(event)?;
    Ok(NodeWork::Record(event_number(event).0 as usize))
}

pub(crate) fn wait(api: &mut Api, event: CudaEvent) -> Result<NodeWork, CudaError> {
    api.events.check(event)?;
    Ok(NodeWork::Wait(event_number(event).0 as usize))
}

fn of_any_kind(api: &mut Api, parameters: *const NodeParameters) -> Result<NodeWork, CudaError> {
    // SAFETY: the program passes null or a description.
    unsafe { work_of(api, parameters) }
}
