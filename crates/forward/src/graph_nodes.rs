//! Kernel nodes of graphs: launches that are described now and done later.

use crate::calls::{Call, filled, filled_by};
use crate::graph_memory;
use crate::launching::plain;
use crate::wrapped::forwards;
use std::ffi::c_void;
use warpsan_gpu::{
    CUcontext, CUfunction, CUgraph, CUgraphExec, CUgraphNode, CUkernel, CUresult, GraphNodeParams,
    KernelNodeParams, KernelNodeParamsV1, LaunchCall, LaunchSource,
};

forwards! {
    fn (
        node: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        parameters: *const KernelNodeParamsV1
    ) = add: cuGraphAddKernelNode;
    fn (
        node: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        parameters: *const KernelNodeParams
    ) = add: cuGraphAddKernelNode_v2;
    fn (
        node: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        parameters: *mut GraphNodeParams
    ) = add_any: cuGraphAddNode;
    fn (
        node: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        edges: *const c_void,
        count: usize,
        parameters: *mut GraphNodeParams
    ) = add_any_with_edges: cuGraphAddNode_v2;
    fn (node: CUgraphNode, parameters: *const KernelNodeParamsV1) = set: cuGraphKernelNodeSetParams;
    fn (node: CUgraphNode, parameters: *const KernelNodeParams) = set: cuGraphKernelNodeSetParams_v2;
    fn (node: CUgraphNode, parameters: *mut GraphNodeParams) = set_any: cuGraphNodeSetParams;
    fn (
        executable: CUgraphExec,
        node: CUgraphNode,
        parameters: *const KernelNodeParamsV1
    ) = set_in: cuGraphExecKernelNodeSetParams;
    fn (
        executable: CUgraphExec,
        node: CUgraphNode,
        parameters: *const KernelNodeParams
    ) = set_in: cuGraphExecKernelNodeSetParams_v2;
    fn (
        executable: CUgraphExec,
        node: CUgraphNode,
        parameters: *mut GraphNodeParams
    ) = set_any_in: cuGraphExecNodeSetParams;
    fn (node: CUgraphNode, parameters: *mut KernelNodeParamsV1) = get: cuGraphKernelNodeGetParams;
    fn (node: CUgraphNode, parameters: *mut KernelNodeParams) = get: cuGraphKernelNodeGetParams_v2;
}

/// Calls the hook of launches for a node, and has `real` make it of the parameters that the hook leaves.
fn hooked<F>(
    call: &Call<F>,
    source: LaunchSource,
    node: CUgraphNode,
    given: KernelNodeParams,
    real: &mut dyn FnMut(&KernelNodeParams) -> (CUresult, Option<CUgraphNode>),
) -> CUresult {
    let first = given.first;
    // A kernel of a library has its own place, and only counts where there is no function.
    let function = match first.function.is_null() {
        true => CUfunction(given.kernel.0),
        false => first.function,
    };
    let mut launch = LaunchCall {
        source,
        node,
        context: if first.function.is_null() { given.context } else { CUcontext::NULL },
        shared_bytes: first.shared_bytes,
        parameters: first.parameters,
        extra: first.extra,
        ..plain(function, first.grid, first.block)
    };
    call.hooks.launch(&mut launch, &mut |launch| {
        let mut wanted = given;
        if launch.function != function {
            wanted.first.function = launch.function;
            wanted.kernel = CUkernel::NULL;
        }
        wanted.first.grid = launch.grid;
        wanted.first.block = launch.block;
        wanted.first.shared_bytes = launch.shared_bytes;
        wanted.first.parameters = launch.parameters;
        wanted.first.extra = launch.extra;
        let (answer, made) = real(&wanted);
        if answer.is_success()
            && let Some(made) = made
        {
            launch.node = made;
        }
        answer
    })
}

/// Parameters of a kernel node, in one of the forms that the driver has.
trait NodeParameters: Copy {
    /// All of them.
    fn whole(self) -> KernelNodeParams;
    /// As much of them as this form has.
    fn of(whole: &KernelNodeParams) -> Self;
}

impl NodeParameters for KernelNodeParamsV1 {
    fn whole(self) -> KernelNodeParams {
        KernelNodeParams { first: self, kernel: CUkernel::NULL, context: CUcontext::NULL }
    }

    fn of(whole: &KernelNodeParams) -> KernelNodeParamsV1 {
        whole.first
    }
}

impl NodeParameters for KernelNodeParams {
    fn whole(self) -> KernelNodeParams {
        self
    }

    fn of(whole: &KernelNodeParams) -> KernelNodeParams {
        *whole
    }
}

/// Calls the hook of launches for a kernel node, unless the driver will refuse it.
///
/// # Safety
/// `parameters` is null or those of a node, and `real` calls the driver with them, and gives a new node.
unsafe fn hooked_kernel<F, P: NodeParameters>(
    call: &Call<F>,
    source: LaunchSource,
    node: CUgraphNode,
    parameters: *const P,
    real: &mut dyn FnMut(*const P) -> (CUresult, Option<CUgraphNode>),
) -> CUresult {
    // SAFETY: null or parameters.
    match unsafe { filled(parameters.cast_mut()) } {
        Some(given) => {
            hooked(call, source, node, given.whole(), &mut |wanted| real(&P::of(wanted)))
        }
        None => real(parameters).0,
    }
}

/// The answer of a call that makes a node, with the node.
///
/// # Safety
/// `node` is null or filled after success.
unsafe fn with_node(answer: CUresult, node: *mut CUgraphNode) -> (CUresult, Option<CUgraphNode>) {
    // SAFETY: filled after success.
    (answer, unsafe { filled_by(answer, node) })
}

type Add<P> = unsafe extern "C" fn(
    *mut CUgraphNode,
    CUgraph,
    *const CUgraphNode,
    usize,
    *const P,
) -> CUresult;

unsafe fn add<P: NodeParameters>(
    call: Call<Add<P>>,
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    parameters: *const P,
) -> CUresult {
    let source = LaunchSource::NewNode(graph);
    // SAFETY: the program's own call, or what the hook has made of it.
    unsafe {
        hooked_kernel(&call, source, CUgraphNode::NULL, parameters, &mut |parameters| {
            with_node((call.real)(node, graph, after, count, parameters), node)
        })
    }
}

/// Calls the hook for a node of any type. The driver may fill parameters in, where the program sees them.
///
/// # Safety
/// `parameters` is null or those of a node, and `real` calls the driver with them, and gives the node.
unsafe fn hooked_any<F>(
    call: &Call<F>,
    source: LaunchSource,
    node: CUgraphNode,
    parameters: *mut GraphNodeParams,
    real: &mut dyn FnMut(*mut GraphNodeParams) -> (CUresult, Option<CUgraphNode>),
) -> CUresult {
    // SAFETY: null or parameters.
    let given = unsafe { filled(parameters) };
    match given.map(|given| (given.node_type, given)) {
        Some((GraphNodeParams::KERNEL, given)) => {
            // SAFETY: the type says so.
            let kernel = unsafe { given.of_type.kernel };
            hooked(call, source, node, kernel, &mut |wanted| {
                // The driver refuses parameters with anything but zeros behind those of the type.
                let mut changed = given;
                changed.of_type.kernel = *wanted;
                real(&mut changed)
            })
        }
        Some((GraphNodeParams::MEM_ALLOC, _)) => {
            let (answer, _) = real(parameters);
            // SAFETY: the type says so, and the driver has filled it in.
            unsafe { graph_memory::allocated(call, answer, &(*parameters).of_type.allocation) }
        }
        _ => real(parameters).0,
    }
}

type AddAny = unsafe extern "C" fn(
    *mut CUgraphNode,
    CUgraph,
    *const CUgraphNode,
    usize,
    *mut GraphNodeParams,
) -> CUresult;

unsafe fn add_any(
    call: Call<AddAny>,
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    count: usize,
    parameters: *mut GraphNodeParams,
) -> CUresult {
    let source = LaunchSource::NewNode(graph);
    // SAFETY: the program's own call, or what the hook has made of it.
    unsafe {
        hooked_any(&call, source, CUgraphNode::NULL, parameters, &mut |parameters| {
            with_node((call.real)(node, graph, after, count, parameters), node)
        })
    }
}

type AddAnyWithEdges = unsafe extern "C" fn(
    *mut CUgraphNode,
    CUgraph,
    *const CUgraphNode,
    *const c_void,
    usize,
    *mut GraphNodeParams,
) -> CUresult;

unsafe fn add_any_with_edges(
    call: Call<AddAnyWithEdges>,
    node: *mut CUgraphNode,
    graph: CUgraph,
    after: *const CUgraphNode,
    edges: *const c_void,
    count: usize,
    parameters: *mut GraphNodeParams,
) -> CUresult {
    let source = LaunchSource::NewNode(graph);
    // SAFETY: the program's own call, or what the hook has made of it.
    unsafe {
        hooked_any(&call, source, CUgraphNode::NULL, parameters, &mut |parameters| {
            with_node((call.real)(node, graph, after, edges, count, parameters), node)
        })
    }
}

unsafe fn set<P: NodeParameters>(
    call: Call<unsafe extern "C" fn(CUgraphNode, *const P) -> CUresult>,
    node: CUgraphNode,
    parameters: *const P,
) -> CUresult {
    // SAFETY: the program's own call, or what the hook has made of it.
    unsafe {
        hooked_kernel(&call, LaunchSource::Node, node, parameters, &mut |parameters| {
            ((call.real)(node, parameters), None)
        })
    }
}

unsafe fn set_any(
    call: Call<unsafe extern "C" fn(CUgraphNode, *mut GraphNodeParams) -> CUresult>,
    node: CUgraphNode,
    parameters: *mut GraphNodeParams,
) -> CUresult {
    // SAFETY: the program's own call, or what the hook has made of it.
    unsafe {
        hooked_any(&call, LaunchSource::Node, node, parameters, &mut |parameters| {
            ((call.real)(node, parameters), None)
        })
    }
}

unsafe fn set_in<P: NodeParameters>(
    call: Call<unsafe extern "C" fn(CUgraphExec, CUgraphNode, *const P) -> CUresult>,
    executable: CUgraphExec,
    node: CUgraphNode,
    parameters: *const P,
) -> CUresult {
    let source = LaunchSource::NodeOf(executable);
    // SAFETY: the program's own call, or what the hook has made of it.
    unsafe {
        hooked_kernel(&call, source, node, parameters, &mut |parameters| {
            ((call.real)(executable, node, parameters), None)
        })
    }
}

unsafe fn set_any_in(
    call: Call<unsafe extern "C" fn(CUgraphExec, CUgraphNode, *mut GraphNodeParams) -> CUresult>,
    executable: CUgraphExec,
    node: CUgraphNode,
    parameters: *mut GraphNodeParams,
) -> CUresult {
    // SAFETY: the program's own call, or what the hook has made of it.
    unsafe {
        hooked_any(&call, LaunchSource::NodeOf(executable), node, parameters, &mut |parameters| {
            ((call.real)(executable, node, parameters), None)
        })
    }
}

unsafe fn get<P: NodeParameters>(
    call: Call<unsafe extern "C" fn(CUgraphNode, *mut P) -> CUresult>,
    node: CUgraphNode,
    parameters: *mut P,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = (call.real)(node, parameters);
        if answer.is_success() && !parameters.is_null() {
            let mut shown = (*parameters).whole();
            call.hooks.node_queried(node, &mut shown);
            *parameters = P::of(&shown);
        }
        answer
    }
}

#[cfg(test)]
mod tests;
