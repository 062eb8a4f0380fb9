//! Memory that graphs take when they run.

use crate::calls::Call;
use crate::wrapped::forwards;
use warpsan_gpu::{
    Allocation, AllocationKind, CUgraph, CUgraphNode, CUresult, CUstream, MemAllocNodeParams,
};

forwards! {
    fn (
        node: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        parameters: *mut MemAllocNodeParams
    ) = add: cuGraphAddMemAllocNode;
}

/// Calls the hook for memory that a node will take; its address is known when the node is made.
pub(crate) fn allocated<F>(
    call: &Call<F>,
    answer: CUresult,
    parameters: &MemAllocNodeParams,
) -> CUresult {
    if answer.is_success() && parameters.address != 0 {
        call.hooks.allocated(&Allocation {
            address: parameters.address,
            bytes: parameters.bytes as u64,
            kind: AllocationKind::Graph,
            stream: CUstream::NULL,
        });
    }
    answer
}

type Add = unsafe extern "C" fn(
    *mut CUgraphNode,
    CUgraph,
    *const CUgraphNode,
    usize,
    *mut MemAllocNodeParams,
) -> CUresult;

unsafe fn add(
    call: Call<Add>,
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    parameters: *mut MemAllocNodeParams,
) -> CUresult {
    // SAFETY: the program's own call.
    let answer = unsafe { (call.real)(node, graph, after, count, parameters) };
    // SAFETY: after success the driver has filled the parameters in.
    if answer.is_success() { allocated(&call, answer, unsafe { &*parameters }) } else { answer }
}
