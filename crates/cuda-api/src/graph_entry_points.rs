//! The calls that make graphs, change them and ask about them.

use crate::call::{Api, call};
use crate::call_site;
use crate::error::CudaError;
use crate::graph_node_entry_points as works;
use crate::graph_nodes::{FillNodeParameters, HostNodeParameters, KernelNodeParameters, NodeWork};
use crate::graphs::Node;
use crate::handles::{handle_of, pointer_of};
use crate::memory_types::BoxCopyParameters;
use crate::streams::answer;
use crate::types::CudaEvent;
use crate::unsupported::refuse;
use std::collections::BTreeSet;
use std::ffi::{c_int, c_uint, c_void};
use warpsan_runtime::ApiCall;

/// `cudaGraph_t`, an opaque handle.
pub(crate) type CudaGraph = *mut c_void;
/// `cudaGraphNode_t`, an opaque handle.
pub(crate) type CudaNode = *mut c_void;

/// Where a new node goes, and what it is after.
pub(crate) struct NodePlace {
    pub(crate) node: *mut CudaNode,
    pub(crate) graph: CudaGraph,
    pub(crate) after: *const CudaNode,
    pub(crate) count: usize,
}

/// Handles of nodes that a program passes.
///
/// # Safety
/// `nodes` has `count` handles.
pub(crate) unsafe fn nodes_of(
    nodes: *const CudaNode,
    count: usize,
) -> Result<BTreeSet<usize>, CudaError> {
    match count {
        0 => Ok(BTreeSet::new()),
        _ if nodes.is_null() => Err(CudaError::INVALID_VALUE),
        // SAFETY: not null, and as long as the caller says.
        _ => Ok(unsafe { std::slice::from_raw_parts(nodes, count) }
            .iter()
            .map(|node| handle_of(*node))
            .collect()),
    }
}

/// Adds a node to a graph.
///
/// # Safety
/// `place.node` is null or a place for a handle, and `place.after` has `place.count` handles.
pub(crate) unsafe fn add_node(
    api: &mut Api,
    place: &NodePlace,
    work: NodeWork,
) -> Result<(), CudaError> {
    if place.node.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: passed on from the caller.
    let after = unsafe { nodes_of(place.after, place.count) }?;
    // A node that is named twice is refused.
    if after.len() != place.count {
        return Err(CudaError::INVALID_VALUE);
    }
    let call = ApiCall { name: api.entry_point.clone(), frames: call_site::here() };
    let node = api.graphs.add(handle_of(place.graph), Node::new(work, after, call))?;
    // SAFETY: not null, so it is a place for a handle.
    unsafe { answer(place.node, pointer_of(node)) }
}

/// Writes handles to a list of the program's, or says how many there are. More room than there are handles is
/// filled with null.
///
/// # Safety
/// `count` is null or a number, and `list` is null or has room for so many handles.
pub(crate) unsafe fn list(
    handles: &[usize],
    list: *mut CudaNode,
    count: *mut usize,
) -> Result<(), CudaError> {
    if count.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    if !list.is_null() {
        // SAFETY: passed on from the caller.
        let room = unsafe { count.read() };
        for index in 0..room {
            let handle = handles.get(index).map_or(std::ptr::null_mut(), |node| pointer_of(*node));
            // SAFETY: there is room for so many.
            unsafe { list.add(index).write(handle) };
        }
    }
    // SAFETY: not null, so it is a number of the program's.
    unsafe { count.write(handles.len()) };
    Ok(())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphCreate(graph: *mut CudaGraph, flags: c_uint) -> CudaError {
    call("cudaGraphCreate", |api| {
        if graph.is_null() || flags != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        let made = pointer_of(api.graphs.create());
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(graph, made) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphDestroy(graph: CudaGraph) -> CudaError {
    call("cudaGraphDestroy", |api| api.graphs.destroy(handle_of(graph)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphClone(clone: *mut CudaGraph, graph: CudaGraph) -> CudaError {
    call("cudaGraphClone", |api| {
        if clone.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let made = pointer_of(api.graphs.clone_of(handle_of(graph))?);
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(clone, made) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphNodeFindInClone(
    found: *mut CudaNode,
    original: CudaNode,
    clone: CudaGraph,
) -> CudaError {
    call("cudaGraphNodeFindInClone", |api| {
        let node = api.graphs.in_clone(handle_of(original), handle_of(clone))?;
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(found, pointer_of(node)) }
    })
}

/// Calls that add a node of one kind.
macro_rules! adds {
    ($(fn $function:ident: $name:literal, ($($argument:ident: $kind:ty),*) => $api:ident $work:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $function(
            node: *mut CudaNode,
            graph: CudaGraph,
            after: *const CudaNode,
            count: usize,
            $($argument: $kind),*
        ) -> CudaError {
            call($name, |$api| {
                let work = $work?;
                // SAFETY: the program passes a place for a handle, and so many nodes before.
                unsafe { add_node($api, &NodePlace { node, graph, after, count }, work) }
            })
        }
    )*};
}

adds! {
    fn wsrt_cudaGraphAddKernelNode: "cudaGraphAddKernelNode",
        (parameters: *const KernelNodeParameters) => api works::kernel(api, parameters);
    fn wsrt_cudaGraphAddMemsetNode: "cudaGraphAddMemsetNode",
        (parameters: *const FillNodeParameters) => api works::fill(api, parameters);
    fn wsrt_cudaGraphAddMemcpyNode: "cudaGraphAddMemcpyNode",
        (parameters: *const BoxCopyParameters) => api works::copy_of_box(api, parameters);
    fn wsrt_cudaGraphAddMemcpyNode1D: "cudaGraphAddMemcpyNode1D",
        (to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int)
        => api works::copy_of_bytes(api, (to, from), bytes, kind);
    fn wsrt_cudaGraphAddMemcpyNodeToSymbol: "cudaGraphAddMemcpyNodeToSymbol",
        (symbol: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: c_int)
        => api works::copy_to_symbol(api, (symbol, from), (bytes, offset, kind));
    fn wsrt_cudaGraphAddMemcpyNodeFromSymbol: "cudaGraphAddMemcpyNodeFromSymbol",
        (to: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int)
        => api works::copy_from_symbol(api, (to, symbol), (bytes, offset, kind));
    fn wsrt_cudaGraphAddHostNode: "cudaGraphAddHostNode",
        (parameters: *const HostNodeParameters) => api works::function(api, parameters);
    fn wsrt_cudaGraphAddChildGraphNode: "cudaGraphAddChildGraphNode",
        (inner: CudaGraph) => api works::graph(api, inner);
    fn wsrt_cudaGraphAddEmptyNode: "cudaGraphAddEmptyNode",
        () => api Ok::<NodeWork, CudaError>(NodeWork::Empty);
    fn wsrt_cudaGraphAddEventRecordNode: "cudaGraphAddEventRecordNode",
        (event: CudaEvent) => api works::record(api, event);
    fn wsrt_cudaGraphAddEventWaitNode: "cudaGraphAddEventWaitNode",
        (event: CudaEvent) => api works::wait(api, event);
}

/// `cudaGraphNodeParams`: a type, and a union that begins with the structure of that type.
#[repr(C)]
pub(crate) struct NodeParameters {
    kind: c_int,
    reserved: [c_int; 3],
    of_kind: [u64; 29],
    reserved_too: u64,
}

/// What a node of any kind does.
///
/// # Safety
/// `parameters` is null or a description.
pub(crate) unsafe fn work_of(
    api: &mut Api,
    parameters: *const NodeParameters,
) -> Result<NodeWork, CudaError> {
    // SAFETY: passed on from the caller.
    let parameters = unsafe { parameters.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    let of_kind: *const c_void = parameters.of_kind.as_ptr().cast();
    // SAFETY: the type says which structure it is; those of graphs and events begin with a handle.
    let handle = || unsafe { of_kind.cast::<*mut c_void>().read() };
    match parameters.kind {
        0 => works::kernel(api, of_kind.cast()),
        // Flags are before the description of the copy.
        1 => works::copy_of_box(api, of_kind.wrapping_byte_add(16).cast()),
        2 => works::fill(api, of_kind.cast()),
        3 => works::function(api, of_kind.cast()),
        4 => works::graph(api, handle()),
        5 => Ok(NodeWork::Empty),
        6 => works::wait(api, handle()),
        7 => works::record(api, handle()),
        _ => {
            refuse(api, "a node of a graph that is no kernel, copy, fill, function, graph or event")
        }
    }
}

/// Edges of another type than the usual one, on which a kernel may begin before another has ended.
///
/// # Safety
/// `edges` is null, or has `count` descriptions of 8 bytes.
pub(crate) unsafe fn check_edges(
    api: &mut Api,
    edges: *const c_void,
    count: usize,
) -> Result<(), CudaError> {
    if edges.is_null() {
        return Ok(());
    }
    // SAFETY: passed on from the caller.
    let edges = unsafe { std::slice::from_raw_parts(edges.cast::<[u8; 8]>(), count) };
    if edges.iter().flatten().any(|byte| *byte != 0) {
        return refuse(api, "an edge of a graph on which a kernel begins before another has ended");
    }
    Ok(())
}

/// # Safety
/// The program passes a place for a handle, so many nodes before, and null or a description.
unsafe fn add_any_node(
    place: &NodePlace,
    edges: *const c_void,
    parameters: *const NodeParameters,
) -> CudaError {
    call("cudaGraphAddNode", |api| {
        // SAFETY: passed on from the caller.
        unsafe {
            check_edges(api, edges, place.count)?;
            let work = work_of(api, parameters)?;
            add_node(api, place, work)
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt12_cudaGraphAddNode(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    count: usize,
    parameters: *const NodeParameters,
) -> CudaError {
    let place = NodePlace { node, graph, after, count };
    // SAFETY: the same contract.
    unsafe { add_any_node(&place, std::ptr::null(), parameters) }
}

/// What CUDA 13 has under the name of what CUDA 12 has as a second version.
macro_rules! adds_any {
    ($(fn $function:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $function(
            node: *mut CudaNode,
            graph: CudaGraph,
            after: *const CudaNode,
            edges: *const c_void,
            count: usize,
            parameters: *const NodeParameters,
        ) -> CudaError {
            let place = NodePlace { node, graph, after, count };
            // SAFETY: the same contract.
            unsafe { add_any_node(&place, edges, parameters) }
        }
    )*};
}

adds_any! {
    fn wsrt12_cudaGraphAddNode_v2;
    fn wsrt13_cudaGraphAddNode;
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphDestroyNode(node: CudaNode) -> CudaError {
    call("cudaGraphDestroyNode", |api| api.graphs.destroy_node(handle_of(node)))
}
