//! Graphs that can be launched.

use crate::answer::answer;
use crate::call::call;
use crate::handles::{handle_of, pointer_of, stream_of};
use crate::types::{CudaExecutable, CudaGraph, CudaNode, CudaStream};
use std::ffi::{c_int, c_uint, c_ulonglong};
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::nodes::NodeWork;
use warpsan_runtime::machine::plan::PlanDifference;
use warpsan_runtime::machine::state::Machine;

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
    machine: &mut Machine,
    executable: *mut CudaExecutable,
    graph: CudaGraph,
    flags: u64,
) -> Result<(), CudaError> {
    if executable.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    let made = machine.instantiate(handle_of(graph), flags)?;
    // SAFETY: not null, so it is a place for a handle.
    unsafe { answer(executable, pointer_of(made)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphInstantiate(
    executable: *mut CudaExecutable,
    graph: CudaGraph,
    flags: c_ulonglong,
) -> CudaError {
    call("cudaGraphInstantiate", |machine| {
        // SAFETY: the program passes a place for a handle.
        unsafe { instantiate(machine, executable, graph, flags) }
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
    call("cudaGraphInstantiateWithParams", |machine| {
        // SAFETY: the program passes null or parameters, in which answers go, too.
        let parameters = unsafe { parameters.as_mut() }.ok_or(CudaError::INVALID_VALUE)?;
        parameters.error_node = std::ptr::null_mut();
        // SAFETY: the program passes a place for a handle.
        let made = unsafe { instantiate(machine, executable, graph, parameters.flags) };
        parameters.result = c_int::from(made.is_err());
        made
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphExecGetFlags(
    executable: CudaExecutable,
    flags: *mut c_ulonglong,
) -> CudaError {
    call("cudaGraphExecGetFlags", |machine| {
        let value = machine.executable_mut(handle_of(executable))?.flags;
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
    call("cudaGraphExecUpdate", |machine| {
        let plan = machine.graphs.plan(handle_of(graph))?;
        let updated = machine.executable_mut(handle_of(executable))?.plan.update(&plan);
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
    call("cudaGraphNodeSetEnabled", |machine| {
        let plan = &mut machine.executable_mut(handle_of(executable))?.plan;
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
    call("cudaGraphNodeGetEnabled", |machine| {
        let plan = &mut machine.executable_mut(handle_of(executable))?.plan;
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
    call("cudaGraphExecChildGraphNodeSetParams", |machine| {
        let work = NodeWork::Graph(handle_of(inner));
        machine.change_planned(handle_of(executable), handle_of(node), work)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphUpload(executable: CudaExecutable, stream: CudaStream) -> CudaError {
    call("cudaGraphUpload", |machine| {
        machine.streams.check(stream_of(stream))?;
        machine.executable_mut(handle_of(executable)).map(|_| ())
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphLaunch(executable: CudaExecutable, stream: CudaStream) -> CudaError {
    call("cudaGraphLaunch", |machine| {
        machine.launch_graph(handle_of(executable), stream_of(stream))
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaGraphExecDestroy(executable: CudaExecutable) -> CudaError {
    call("cudaGraphExecDestroy", |machine| {
        let removed = machine.graphs.executables.remove(handle_of(executable));
        removed.map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    })
}
