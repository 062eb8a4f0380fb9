//! Graphs that can be launched.

use crate::call::{Api, call};
use crate::capture;
use crate::error::CudaError;
use crate::graph_entry_points::{CudaGraph, CudaNode};
use crate::graph_nodes::NodeWork;
use crate::graphs::Executable;
use crate::handles::{handle_of, pointer_of};
use crate::host_thread;
use crate::plan::{Plan, PlanDifference, PlannedWork};
use crate::streams::answer;
use crate::types::CudaStream;
use crate::unsupported::refuse;
use std::ffi::{c_int, c_uint, c_ulonglong};
use warpsan_runtime::WorkSet;

/// `cudaGraphExec_t`, an opaque handle.
pub(crate) type CudaExecutable = *mut std::ffi::c_void;

/// `cudaGraphInstantiateParams`.
#[repr(C)]
struct InstantiateParameters {
    flags: c_ulonglong,
    upload_stream: CudaStream,
    error_node: CudaNode,
    result: c_int,
}

/// `cudaGraphExecUpdateResultInfo`.
#[repr(C)]
struct UpdateResult {
    result: c_int,
    error_node: CudaNode,
    error_from: CudaNode,
}

/// `cudaGraphExecUpdateErrorTopologyChanged` and `cudaGraphExecUpdateErrorNodeTypeChanged`.
const TOPOLOGY_CHANGED: c_int = 2;
const NODE_TYPE_CHANGED: c_int = 3;

/// # Safety
/// `executable` is null or a place for a handle.
unsafe fn instantiate(
    api: &mut Api,
    executable: *mut CudaExecutable,
    graph: CudaGraph,
    flags: u64,
) -> Result<(), CudaError> {
    /// Launched by kernels.
    const DEVICE_LAUNCH: u64 = 4;
    /// All flags that there are.
    const KNOWN: u64 = 15;
    if executable.is_null() || flags & !KNOWN != 0 {
        return Err(CudaError::INVALID_VALUE);
    }
    if flags & DEVICE_LAUNCH != 0 {
        return refuse(api, "a graph that kernels can launch");
    }
    let plan = api.graphs.plan(handle_of(graph))?;
    let made = Executable { plan, flags, launched: WorkSet::new() };
    let made = pointer_of(api.graphs.executables.insert(made));
    // SAFETY: not null, so it is a place for a handle.
    unsafe { answer(executable, made) }
}

fn executable_mut(api: &mut Api, executable: CudaExecutable) -> Result<&mut Executable, CudaError> {
    api.graphs.executables.get_mut(handle_of(executable)).ok_or(CudaError::INVALID_VALUE)
}

/// Has a node of an executable graph do something else of the same kind.
pub(crate) fn change_planned(
    api: &mut Api,
    executable: CudaExecutable,
    node: CudaNode,
    work: NodeWork,
) -> Result<(), CudaError> {
    let inner: Option<Plan> = match &work {
        NodeWork::Graph(inner) => Some(api.graphs.plan(*inner)?),
        _ => None,
    };
    let plan = &mut executable_mut(api, executable)?.plan;
    let planned = plan.node_mut(handle_of(node)).ok_or(CudaError::INVALID_VALUE)?;
    match (&mut planned.work, inner) {
        (PlannedWork::Graph(own), Some(inner)) => {
            own.update(&inner).map_err(|_| CudaError::GRAPH_EXEC_UPDATE_FAILURE)
        }
        (PlannedWork::One(own), None) if own.can_become(&work) => {
            *own = work;
            Ok(())
        }
        _ => Err(CudaError::INVALID_VALUE),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphInstantiate(
    executable: *mut CudaExecutable,
    graph: CudaGraph,
    flags: c_ulonglong,
) -> CudaError {
    call("cudaGraphInstantiate", |api| {
        // SAFETY: the program passes a place for a handle.
        unsafe { instantiate(api, executable, graph, flags) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphInstantiateWithFlags(
    executable: *mut CudaExecutable,
    graph: CudaGraph,
    flags: c_ulonglong,
) -> CudaError {
    // SAFETY: the same contract.
    unsafe { wsrt_cudaGraphInstantiate(executable, graph, flags) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphInstantiateWithParams(
    executable: *mut CudaExecutable,
    graph: CudaGraph,
    parameters: *mut InstantiateParameters,
) -> CudaError {
    call("cudaGraphInstantiateWithParams", |api| {
        // SAFETY: the program passes null or parameters, in which answers go, too.
        let parameters = unsafe { parameters.as_mut() }.ok_or(CudaError::INVALID_VALUE)?;
        parameters.error_node = std::ptr::null_mut();
        // SAFETY: the program passes a place for a handle.
        let made = unsafe { instantiate(api, executable, graph, parameters.flags) };
        parameters.result = c_int::from(made.is_err());
        made
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphExecGetFlags(
    executable: CudaExecutable,
    flags: *mut c_ulonglong,
) -> CudaError {
    call("cudaGraphExecGetFlags", |api| {
        let value = executable_mut(api, executable)?.flags;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(flags, value) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphExecUpdate(
    executable: CudaExecutable,
    graph: CudaGraph,
    result: *mut UpdateResult,
) -> CudaError {
    call("cudaGraphExecUpdate", |api| {
        let plan = api.graphs.plan(handle_of(graph))?;
        let updated = executable_mut(api, executable)?.plan.update(&plan);
        let (code, node) = match updated {
            Ok(()) => (0, 0),
            Err(PlanDifference::Edges) => (TOPOLOGY_CHANGED, 0),
            Err(PlanDifference::Kind(node)) => (NODE_TYPE_CHANGED, node),
        };
        if !result.is_null() {
            let (error_node, error_from) = (pointer_of(node), std::ptr::null_mut());
            // SAFETY: not null, so it is a place for the answer.
            unsafe { answer(result, UpdateResult { result: code, error_node, error_from }) }?;
        }
        updated.map_err(|_| CudaError::GRAPH_EXEC_UPDATE_FAILURE)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphNodeSetEnabled(
    executable: CudaExecutable,
    node: CudaNode,
    enabled: c_uint,
) -> CudaError {
    call("cudaGraphNodeSetEnabled", |api| {
        let plan = &mut executable_mut(api, executable)?.plan;
        let node = plan.node_mut(handle_of(node)).ok_or(CudaError::INVALID_VALUE)?;
        node.enabled = enabled != 0;
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphNodeGetEnabled(
    executable: CudaExecutable,
    node: CudaNode,
    enabled: *mut c_uint,
) -> CudaError {
    call("cudaGraphNodeGetEnabled", |api| {
        let plan = &mut executable_mut(api, executable)?.plan;
        let node = plan.node_mut(handle_of(node)).ok_or(CudaError::INVALID_VALUE)?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(enabled, c_uint::from(node.enabled)) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphExecChildGraphNodeSetParams(
    executable: CudaExecutable,
    node: CudaNode,
    inner: CudaGraph,
) -> CudaError {
    call("cudaGraphExecChildGraphNodeSetParams", |api| {
        change_planned(api, executable, node, NodeWork::Graph(handle_of(inner)))
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphUpload(executable: CudaExecutable, stream: CudaStream) -> CudaError {
    call("cudaGraphUpload", |api| {
        api.streams.check(stream)?;
        executable_mut(api, executable).map(|_| ())
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphLaunch(executable: CudaExecutable, stream: CudaStream) -> CudaError {
    call("cudaGraphLaunch", |api| {
        let name = api.streams.name(stream)?;
        let executable = handle_of(executable);
        if capture::is_capturing(api, stream)? {
            return refuse(api, "cudaGraphLaunch in a stream that is captured");
        }
        let known = api.graphs.executables.get(executable).ok_or(CudaError::INVALID_VALUE)?;
        let (pieces, before) = (known.plan.pieces(), known.launched.clone());
        // SAFETY: the program keeps the memory of a graph as long as a launch of it is in line.
        let launched = unsafe { api.session()?.enqueue_graph(name, &before, pieces) };
        if let Some(known) = api.graphs.executables.get_mut(executable) {
            known.launched = launched;
        }
        host_thread::watch();
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphExecDestroy(executable: CudaExecutable) -> CudaError {
    call("cudaGraphExecDestroy", |api| {
        let removed = api.graphs.executables.remove(handle_of(executable));
        removed.map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    })
}
