//! The calls that make graphs, change them and ask about them.

use crate::call::{Api, call};
use crate::call_site;
use crate::error::CudaError;
use crate::events::event_number;
use crate::graph_nodes::{
    CopyNode, FillNode, FillNodeParameters, HostNode, HostNodeParameters, KernelNode,
    KernelNodeParameters, NodeWork,
};
use crate::graphs::Node;
use crate::handles::{handle_of, pointer_of};
use crate::memory_types::BoxCopyParameters;
use crate::streams::answer;
use crate::symbols::{checked_copy_from_symbol, checked_copy_to_symbol};
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

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphAddKernelNode(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    count: usize,
    parameters: *const KernelNodeParameters,
) -> CudaError {
    call("cudaGraphAddKernelNode", |api| {
        // SAFETY: the program passes a description, and a place with so many nodes before.
        unsafe {
            let work = NodeWork::Kernel(KernelNode::new(api, parameters)?);
            add_node(api, &NodePlace { node, graph, after, count }, work)
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphAddMemsetNode(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    count: usize,
    parameters: *const FillNodeParameters,
) -> CudaError {
    call("cudaGraphAddMemsetNode", |api| {
        // SAFETY: the program passes a description, and a place with so many nodes before.
        unsafe {
            let parameters = parameters.as_ref().ok_or(CudaError::INVALID_VALUE)?;
            let work = NodeWork::Fill(FillNode::new(api, parameters)?);
            add_node(api, &NodePlace { node, graph, after, count }, work)
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphAddMemcpyNode(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    count: usize,
    parameters: *const BoxCopyParameters,
) -> CudaError {
    call("cudaGraphAddMemcpyNode", |api| {
        // SAFETY: the program passes a description, and a place with so many nodes before.
        unsafe {
            let parameters = parameters.as_ref().ok_or(CudaError::INVALID_VALUE)?;
            let work = NodeWork::Copy(CopyNode::of_box(api, parameters)?);
            add_node(api, &NodePlace { node, graph, after, count }, work)
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphAddMemcpyNode1D(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    count: usize,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
) -> CudaError {
    call("cudaGraphAddMemcpyNode1D", |api| {
        let work = NodeWork::Copy(CopyNode::of_bytes(api, (to, from), bytes, kind)?);
        // SAFETY: the program passes a place with so many nodes before.
        unsafe { add_node(api, &NodePlace { node, graph, after, count }, work) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphAddMemcpyNodeToSymbol(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    count: usize,
    symbol: *const c_void,
    from: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> CudaError {
    call("cudaGraphAddMemcpyNodeToSymbol", |api| {
        let sides = checked_copy_to_symbol(api, (symbol, from), (bytes, offset, kind))?;
        let work = NodeWork::Copy(CopyNode::of_bytes(api, sides, bytes, kind)?);
        // SAFETY: the program passes a place with so many nodes before.
        unsafe { add_node(api, &NodePlace { node, graph, after, count }, work) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphAddMemcpyNodeFromSymbol(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    count: usize,
    to: *mut c_void,
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> CudaError {
    call("cudaGraphAddMemcpyNodeFromSymbol", |api| {
        let sides = checked_copy_from_symbol(api, (to, symbol), (bytes, offset, kind))?;
        let work = NodeWork::Copy(CopyNode::of_bytes(api, sides, bytes, kind)?);
        // SAFETY: the program passes a place with so many nodes before.
        unsafe { add_node(api, &NodePlace { node, graph, after, count }, work) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphAddHostNode(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    count: usize,
    parameters: *const HostNodeParameters,
) -> CudaError {
    call("cudaGraphAddHostNode", |api| {
        // SAFETY: the program passes a description, and a place with so many nodes before.
        unsafe {
            let parameters = parameters.as_ref().ok_or(CudaError::INVALID_VALUE)?;
            let work = NodeWork::Host(HostNode::new(parameters)?);
            add_node(api, &NodePlace { node, graph, after, count }, work)
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphAddChildGraphNode(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    count: usize,
    inner: CudaGraph,
) -> CudaError {
    call("cudaGraphAddChildGraphNode", |api| {
        // The node has a graph of its own from now on.
        let work = NodeWork::Graph(api.graphs.clone_of(handle_of(inner))?);
        // SAFETY: the program passes a place with so many nodes before.
        unsafe { add_node(api, &NodePlace { node, graph, after, count }, work) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphAddEmptyNode(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    count: usize,
) -> CudaError {
    call("cudaGraphAddEmptyNode", |api| {
        // SAFETY: the program passes a place with so many nodes before.
        unsafe { add_node(api, &NodePlace { node, graph, after, count }, NodeWork::Empty) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphAddEventRecordNode(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    count: usize,
    event: CudaEvent,
) -> CudaError {
    call("cudaGraphAddEventRecordNode", |api| {
        api.events.note_recorded(event)?;
        let work = NodeWork::Record(event_number(event).0 as usize);
        // SAFETY: the program passes a place with so many nodes before.
        unsafe { add_node(api, &NodePlace { node, graph, after, count }, work) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphAddEventWaitNode(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    count: usize,
    event: CudaEvent,
) -> CudaError {
    call("cudaGraphAddEventWaitNode", |api| {
        api.events.check(event)?;
        let work = NodeWork::Wait(event_number(event).0 as usize);
        // SAFETY: the program passes a place with so many nodes before.
        unsafe { add_node(api, &NodePlace { node, graph, after, count }, work) }
    })
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
    // SAFETY: the type says which structure it is, here and below.
    let handle = || unsafe { of_kind.cast::<*mut c_void>().read() };
    match parameters.kind {
        // SAFETY: as above.
        0 => Ok(NodeWork::Kernel(unsafe { KernelNode::new(api, of_kind.cast()) }?)),
        1 => {
            // SAFETY: as above; flags are before the description of the copy.
            let copy = unsafe { &*of_kind.byte_add(16).cast::<BoxCopyParameters>() };
            Ok(NodeWork::Copy(CopyNode::of_box(api, copy)?))
        }
        // SAFETY: as above.
        2 => Ok(NodeWork::Fill(FillNode::new(api, unsafe { &*of_kind.cast() })?)),
        // SAFETY: as above.
        3 => Ok(NodeWork::Host(HostNode::new(unsafe { &*of_kind.cast() })?)),
        4 => Ok(NodeWork::Graph(api.graphs.clone_of(handle_of(handle()))?)),
        5 => Ok(NodeWork::Empty),
        6 => {
            api.events.check(handle())?;
            Ok(NodeWork::Wait(event_number(handle()).0 as usize))
        }
        7 => {
            api.events.note_recorded(handle())?;
            Ok(NodeWork::Record(event_number(handle()).0 as usize))
        }
        _ => refuse(
            api,
            "cudaGraphAddNode of a node that is no kernel, copy, fill, function, graph or event",
        ),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt12_cudaGraphAddNode(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    count: usize,
    parameters: *const NodeParameters,
) -> CudaError {
    call("cudaGraphAddNode", |api| {
        // SAFETY: the program passes a description, and a place with so many nodes before.
        unsafe {
            let work = work_of(api, parameters)?;
            add_node(api, &NodePlace { node, graph, after, count }, work)
        }
    })
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
/// As the entry points below.
unsafe fn add_node_with_edges(
    place: &NodePlace,
    edges: *const c_void,
    parameters: *const NodeParameters,
) -> CudaError {
    call("cudaGraphAddNode", |api| {
        // SAFETY: the program passes a description, and a place with so many nodes before.
        unsafe {
            check_edges(api, edges, place.count)?;
            let work = work_of(api, parameters)?;
            add_node(api, place, work)
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt12_cudaGraphAddNode_v2(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    edges: *const c_void,
    count: usize,
    parameters: *const NodeParameters,
) -> CudaError {
    // SAFETY: the same contract.
    unsafe { add_node_with_edges(&NodePlace { node, graph, after, count }, edges, parameters) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt13_cudaGraphAddNode(
    node: *mut CudaNode,
    graph: CudaGraph,
    after: *const CudaNode,
    edges: *const c_void,
    count: usize,
    parameters: *const NodeParameters,
) -> CudaError {
    // SAFETY: the same contract.
    unsafe { add_node_with_edges(&NodePlace { node, graph, after, count }, edges, parameters) }
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphDestroyNode(node: CudaNode) -> CudaError {
    call("cudaGraphDestroyNode", |api| api.graphs.destroy_node(handle_of(node)))
}
