//! The calls that make graphs, change them and ask about them.

use crate::answer::answer;
use crate::call::call;
use crate::graph::node_work::{self as works, NodeParameters};
use crate::graph::nodes::{HostNodeParameters, KernelNodeParameters};
use crate::handles::{handle_of, pointer_of};
use crate::types::{CudaEvent, CudaGraph, CudaNode};
use std::collections::BTreeSet;
use std::ffi::{c_int, c_uint, c_void};
use warpsan_runtime::machine::boxes::BoxCopyParameters;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::nodes::{FillNodeParameters, NodeWork};
use warpsan_runtime::machine::state::Machine;

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
    machine: &mut Machine,
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
    let node = machine.add_node(handle_of(place.graph), after, work)?;
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
    call("cudaGraphCreate", |machine| {
        if graph.is_null() || flags != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        let made = pointer_of(machine.graphs.create());
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(graph, made) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphDestroy(graph: CudaGraph) -> CudaError {
    call("cudaGraphDestroy", |machine| machine.graphs.destroy(handle_of(graph)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphClone(clone: *mut CudaGraph, graph: CudaGraph) -> CudaError {
    call("cudaGraphClone", |machine| {
        if clone.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let made = pointer_of(machine.graphs.clone_of(handle_of(graph))?);
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
    call("cudaGraphNodeFindInClone", |machine| {
        let node = machine.graphs.in_clone(handle_of(original), handle_of(clone))?;
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(found, pointer_of(node)) }
    })
}

/// Calls that add a node of one kind.
macro_rules! adds {
    ($(fn $function:ident: $name:literal, ($($argument:ident: $kind:ty),*) => $machine:ident $work:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $function(
            node: *mut CudaNode,
            graph: CudaGraph,
            after: *const CudaNode,
            count: usize,
            $($argument: $kind),*
        ) -> CudaError {
            call($name, |$machine| {
                let work = $work?;
                // SAFETY: the program passes a place for a handle, and so many nodes before.
                unsafe { add_node($machine, &NodePlace { node, graph, after, count }, work) }
            })
        }
    )*};
}

adds! {
    fn wsrt_cudaGraphAddKernelNode: "cudaGraphAddKernelNode",
        (parameters: *const KernelNodeParameters) => machine works::kernel(machine, parameters);
    fn wsrt_cudaGraphAddMemsetNode: "cudaGraphAddMemsetNode",
        (parameters: *const FillNodeParameters) => machine works::fill(machine, parameters);
    fn wsrt_cudaGraphAddMemcpyNode: "cudaGraphAddMemcpyNode",
        (parameters: *const BoxCopyParameters) => machine works::copy_of_box(machine, parameters);
    fn wsrt_cudaGraphAddMemcpyNode1D: "cudaGraphAddMemcpyNode1D",
        (to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int)
        => machine works::copy_of_bytes(machine, (to, from), bytes, kind);
    fn wsrt_cudaGraphAddMemcpyNodeToSymbol: "cudaGraphAddMemcpyNodeToSymbol",
        (symbol: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: c_int)
        => machine works::copy_to_symbol(machine, (symbol, from), (bytes, offset, kind));
    fn wsrt_cudaGraphAddMemcpyNodeFromSymbol: "cudaGraphAddMemcpyNodeFromSymbol",
        (to: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int)
        => machine works::copy_from_symbol(machine, (to, symbol), (bytes, offset, kind));
    fn wsrt_cudaGraphAddHostNode: "cudaGraphAddHostNode",
        (parameters: *const HostNodeParameters) => machine works::function(machine, parameters);
    fn wsrt_cudaGraphAddChildGraphNode: "cudaGraphAddChildGraphNode",
        (inner: CudaGraph) => machine works::graph(machine, inner);
    fn wsrt_cudaGraphAddEmptyNode: "cudaGraphAddEmptyNode",
        () => machine Ok::<NodeWork, CudaError>(NodeWork::Empty);
    fn wsrt_cudaGraphAddEventRecordNode: "cudaGraphAddEventRecordNode",
        (event: CudaEvent) => machine works::record(machine, event);
    fn wsrt_cudaGraphAddEventWaitNode: "cudaGraphAddEventWaitNode",
        (event: CudaEvent) => machine works::wait(machine, event);
}

/// Edges of another type than the usual one, on which a kernel may begin before another has ended.
///
/// # Safety
/// `edges` is null, or has `count` descriptions of 8 bytes.
pub(crate) unsafe fn check_edges(
    machine: &mut Machine,
    edges: *const c_void,
    count: usize,
) -> Result<(), CudaError> {
    if edges.is_null() {
        return Ok(());
    }
    // SAFETY: passed on from the caller.
    let edges = unsafe { std::slice::from_raw_parts(edges.cast::<[u8; 8]>(), count) };
    if edges.iter().flatten().any(|byte| *byte != 0) {
        return machine
            .refuse("an edge of a graph on which a kernel begins before another has ended");
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
    call("cudaGraphAddNode", |machine| {
        // SAFETY: passed on from the caller.
        unsafe {
            check_edges(machine, edges, place.count)?;
            let work = works::of_any_kind(machine, parameters)?;
            add_node(machine, place, work)
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
    call("cudaGraphDestroyNode", |machine| machine.graphs.destroy_node(handle_of(node)))
}
