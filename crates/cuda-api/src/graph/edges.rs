//! The calls that ask for the nodes and edges of graphs, and change edges.

use crate::call::call;
use crate::graph::entry_points::{check_edges, list};
use crate::handles::handle_of;
use crate::types::{CudaGraph, CudaNode};
use std::ffi::c_void;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::state::Machine;

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphGetNodes(
    graph: CudaGraph,
    nodes: *mut CudaNode,
    count: *mut usize,
) -> CudaError {
    call("cudaGraphGetNodes", |machine| {
        let found = machine.graphs.nodes(handle_of(graph))?;
        // SAFETY: the program passes a number, and room for so many handles.
        unsafe { list(&found, nodes, count) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphGetRootNodes(
    graph: CudaGraph,
    nodes: *mut CudaNode,
    count: *mut usize,
) -> CudaError {
    call("cudaGraphGetRootNodes", |machine| {
        let found = machine.graphs.roots(handle_of(graph))?;
        // SAFETY: the program passes a number, and room for so many handles.
        unsafe { list(&found, nodes, count) }
    })
}

/// Edges of the usual type are described by zeros.
///
/// # Safety
/// `edges` is null or has room for `count` descriptions of 8 bytes.
unsafe fn describe_edges(edges: *mut c_void, count: usize) {
    if !edges.is_null() {
        // SAFETY: passed on from the caller.
        unsafe { edges.cast::<u64>().write_bytes(0, count) };
    }
}

/// # Safety
/// `count` is null or a number, and the lists are null or have room for so many handles.
unsafe fn edges(
    graph: CudaGraph,
    (from, to, data): (*mut CudaNode, *mut CudaNode, *mut c_void),
    count: *mut usize,
) -> CudaError {
    call("cudaGraphGetEdges", |machine| {
        let found = machine.graphs.edges(handle_of(graph))?;
        let (before, after): (Vec<usize>, Vec<usize>) = found.into_iter().unzip();
        if count.is_null() || from.is_null() != to.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: passed on from the caller; both lists have the same room.
        unsafe {
            let mut room = count.read();
            describe_edges(data, room.min(before.len()));
            list(&before, from, &raw mut room)?;
            list(&after, to, count)
        }
    })
}

/// # Safety
/// `count` is null or a number, and `nodes` is null or has room for so many handles.
unsafe fn neighbours(
    entry_point: &'static str,
    find: impl FnOnce(&mut Machine) -> Result<Vec<usize>, CudaError>,
    (nodes, data): (*mut CudaNode, *mut c_void),
    count: *mut usize,
) -> CudaError {
    call(entry_point, |machine| {
        let found = find(machine)?;
        if count.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: passed on from the caller.
        unsafe {
            describe_edges(data, count.read().min(found.len()));
            list(&found, nodes, count)
        }
    })
}

/// # Safety
/// The lists have `count` handles.
unsafe fn change_edges(
    entry_point: &'static str,
    graph: CudaGraph,
    (from, to, data): (*const CudaNode, *const CudaNode, *const c_void),
    count: usize,
    change: impl Fn(&mut Machine, usize, usize, usize) -> Result<(), CudaError>,
) -> CudaError {
    call(entry_point, |machine| {
        if count > 0 && (from.is_null() || to.is_null()) {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: passed on from the caller.
        unsafe { check_edges(machine, data, count) }?;
        for index in 0..count {
            // SAFETY: passed on from the caller.
            let (from, to) = unsafe { (from.add(index).read(), to.add(index).read()) };
            change(machine, handle_of(graph), handle_of(from), handle_of(to))?;
        }
        Ok(())
    })
}

fn add_edge(machine: &mut Machine, graph: usize, from: usize, to: usize) -> Result<(), CudaError> {
    machine.graphs.add_edge(graph, from, to)
}

fn remove_edge(
    machine: &mut Machine,
    graph: usize,
    from: usize,
    to: usize,
) -> Result<(), CudaError> {
    machine.graphs.remove_edge(graph, from, to)
}

fn dependencies(machine: &mut Machine, node: CudaNode) -> Result<Vec<usize>, CudaError> {
    Ok(machine.graphs.node(handle_of(node))?.after.iter().copied().collect())
}

/// The calls about edges: without data about each edge, as CUDA 12 has them first, and with it.
macro_rules! about_edges {
    ($($edges:ident $before:ident $after:ident $add:ident $remove:ident
        ($($data:ident: $kind:ty, $constant:ty)?) $value:expr, $constant_value:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $edges(
            graph: CudaGraph,
            from: *mut CudaNode,
            to: *mut CudaNode,
            $($data: $kind,)?
            count: *mut usize,
        ) -> CudaError {
            // SAFETY: the program passes a number, and room for so many handles.
            unsafe { edges(graph, (from, to, $value), count) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $before(
            node: CudaNode,
            nodes: *mut CudaNode,
            $($data: $kind,)?
            count: *mut usize,
        ) -> CudaError {
            let find = |machine: &mut Machine| dependencies(machine, node);
            // SAFETY: the program passes a number, and room for so many handles.
            unsafe { neighbours("cudaGraphNodeGetDependencies", find, (nodes, $value), count) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $after(
            node: CudaNode,
            nodes: *mut CudaNode,
            $($data: $kind,)?
            count: *mut usize,
        ) -> CudaError {
            let find = |machine: &mut Machine| machine.graphs.dependents(handle_of(node));
            // SAFETY: the program passes a number, and room for so many handles.
            unsafe { neighbours("cudaGraphNodeGetDependentNodes", find, (nodes, $value), count) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $add(
            graph: CudaGraph,
            from: *const CudaNode,
            to: *const CudaNode,
            $($data: $constant,)?
            count: usize,
        ) -> CudaError {
            let lists = (from, to, $constant_value);
            // SAFETY: the program passes so many handles.
            unsafe { change_edges("cudaGraphAddDependencies", graph, lists, count, add_edge) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $remove(
            graph: CudaGraph,
            from: *const CudaNode,
            to: *const CudaNode,
            $($data: $constant,)?
            count: usize,
        ) -> CudaError {
            let lists = (from, to, $constant_value);
            // SAFETY: the program passes so many handles.
            unsafe { change_edges("cudaGraphRemoveDependencies", graph, lists, count, remove_edge) }
        }
    )*};
}

about_edges! {
    wsrt12_cudaGraphGetEdges wsrt12_cudaGraphNodeGetDependencies
        wsrt12_cudaGraphNodeGetDependentNodes wsrt12_cudaGraphAddDependencies
        wsrt12_cudaGraphRemoveDependencies
        () std::ptr::null_mut(), std::ptr::null();
    wsrt12_cudaGraphGetEdges_v2 wsrt12_cudaGraphNodeGetDependencies_v2
        wsrt12_cudaGraphNodeGetDependentNodes_v2 wsrt12_cudaGraphAddDependencies_v2
        wsrt12_cudaGraphRemoveDependencies_v2
        (data: *mut c_void, *const c_void) data, data;
    wsrt13_cudaGraphGetEdges wsrt13_cudaGraphNodeGetDependencies
        wsrt13_cudaGraphNodeGetDependentNodes wsrt13_cudaGraphAddDependencies
        wsrt13_cudaGraphRemoveDependencies
        (data: *mut c_void, *const c_void) data, data;
}
