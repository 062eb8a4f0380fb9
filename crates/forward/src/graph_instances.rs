//! Graphs that are made ready, updated, launched and destroyed.

use crate::calls::{Call, filled_by, stream_of};
use crate::wrapped::forwards;
use std::ffi::{c_char, c_int, c_ulonglong, c_void};
use warpsan_gpu::{CUgraph, CUgraphExec, CUgraphNode, CUresult, CUstream};

forwards! {
    fn (
        executable: *mut CUgraphExec,
        graph: CUgraph,
        error_node: *mut CUgraphNode,
        log: *mut c_char,
        log_bytes: usize
    ) = instantiate_with_log: cuGraphInstantiate, cuGraphInstantiate_v2;
    fn (executable: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong) = instantiate:
        cuGraphInstantiateWithFlags;
    fn (executable: *mut CUgraphExec, graph: CUgraph, parameters: *mut c_void) = instantiate_with_parameters:
        cuGraphInstantiateWithParams, cuGraphInstantiateWithParams_ptsz;
    fn (executable: CUgraphExec, stream: CUstream) = launch: cuGraphLaunch, cuGraphLaunch_ptsz;
    fn (executable: CUgraphExec) = destroy: cuGraphExecDestroy;
    fn (executable: CUgraphExec, graph: CUgraph, node: *mut CUgraphNode, result: *mut c_int) = update_v1:
        cuGraphExecUpdate;
    fn (executable: CUgraphExec, graph: CUgraph, result: *mut c_void) = update: cuGraphExecUpdate_v2;
    fn (graph: CUgraph) = destroy_graph: cuGraphDestroy;
}

/// Calls the hook for a graph that was made ready.
///
/// # Safety
/// `executable` is null or filled after success.
unsafe fn instantiated<F>(
    call: &Call<F>,
    answer: CUresult,
    graph: CUgraph,
    executable: *mut CUgraphExec,
) -> CUresult {
    // SAFETY: filled after success.
    if let Some(executable) = unsafe { filled_by(answer, executable) } {
        call.hooks.graph_instantiated(graph, executable);
    }
    answer
}

type InstantiateWithLog = unsafe extern "C" fn(
    *mut CUgraphExec,
    CUgraph,
    *mut CUgraphNode,
    *mut c_char,
    usize,
) -> CUresult;

unsafe fn instantiate_with_log(
    call: Call<InstantiateWithLog>,
    executable: *mut CUgraphExec,
    graph: CUgraph,
    error_node: *mut CUgraphNode,
    log: *mut c_char,
    log_bytes: usize,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = (call.real)(executable, graph, error_node, log, log_bytes);
        instantiated(&call, answer, graph, executable)
    }
}

unsafe fn instantiate(
    call: Call<unsafe extern "C" fn(*mut CUgraphExec, CUgraph, c_ulonglong) -> CUresult>,
    executable: *mut CUgraphExec,
    graph: CUgraph,
    flags: c_ulonglong,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = (call.real)(executable, graph, flags);
        instantiated(&call, answer, graph, executable)
    }
}

unsafe fn instantiate_with_parameters(
    call: Call<unsafe extern "C" fn(*mut CUgraphExec, CUgraph, *mut c_void) -> CUresult>,
    executable: *mut CUgraphExec,
    graph: CUgraph,
    parameters: *mut c_void,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = (call.real)(executable, graph, parameters);
        instantiated(&call, answer, graph, executable)
    }
}

unsafe fn launch(
    call: Call<unsafe extern "C" fn(CUgraphExec, CUstream) -> CUresult>,
    executable: CUgraphExec,
    stream: CUstream,
) -> CUresult {
    let named = stream_of(&call, stream);
    call.hooks.graph_launch(executable, named, &mut || {
        // SAFETY: the program's own call.
        unsafe { (call.real)(executable, stream) }
    })
}

unsafe fn destroy(
    call: Call<unsafe extern "C" fn(CUgraphExec) -> CUresult>,
    executable: CUgraphExec,
) -> CUresult {
    call.hooks.graph_ends(executable);
    // SAFETY: the program's own call.
    unsafe { (call.real)(executable) }
}

unsafe fn update_v1(
    call: Call<
        unsafe extern "C" fn(CUgraphExec, CUgraph, *mut CUgraphNode, *mut c_int) -> CUresult,
    >,
    executable: CUgraphExec,
    graph: CUgraph,
    node: *mut CUgraphNode,
    result: *mut c_int,
) -> CUresult {
    // SAFETY: the program's own call.
    let answer = unsafe { (call.real)(executable, graph, node, result) };
    if answer.is_success() {
        call.hooks.graph_instantiated(graph, executable);
    }
    answer
}

unsafe fn update(
    call: Call<unsafe extern "C" fn(CUgraphExec, CUgraph, *mut c_void) -> CUresult>,
    executable: CUgraphExec,
    graph: CUgraph,
    result: *mut c_void,
) -> CUresult {
    // SAFETY: the program's own call.
    let answer = unsafe { (call.real)(executable, graph, result) };
    if answer.is_success() {
        call.hooks.graph_instantiated(graph, executable);
    }
    answer
}

unsafe fn destroy_graph(
    call: Call<unsafe extern "C" fn(CUgraph) -> CUresult>,
    graph: CUgraph,
) -> CUresult {
    call.hooks.graph_destroyed(graph);
    // SAFETY: the program's own call.
    unsafe { (call.real)(graph) }
}
