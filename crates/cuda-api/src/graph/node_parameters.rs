//! The calls that ask what nodes of graphs do, and change it: in a graph, or in one that can be launched.

use crate::answer::answer;
use crate::call::call;
use crate::graph::node_work::{self as works, NodeParameters};
use crate::graph::nodes::{HostNodeParameters, KernelNodeParameters};
use crate::handles::{handle_of, pointer_of};
use crate::types::{CudaEvent, CudaExecutable, CudaGraph, CudaNode};
use std::ffi::{c_int, c_void};
use warpsan_runtime::machine::boxes::BoxCopyParameters;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::nodes::{FillNodeParameters, NodeWork};
use warpsan_runtime::machine::state::Machine;

/// Has a node do something else of the same kind.
fn change(machine: &mut Machine, node: CudaNode, work: NodeWork) -> Result<(), CudaError> {
    let node = machine.graphs.node_mut(handle_of(node))?;
    if node.work.kind() != work.kind() {
        return Err(CudaError::INVALID_VALUE);
    }
    node.work = work;
    Ok(())
}

/// What a node does.
fn work(machine: &Machine, node: CudaNode) -> Result<&NodeWork, CudaError> {
    Ok(&machine.graphs.node(handle_of(node))?.work)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGraphNodeGetType(node: CudaNode, kind: *mut c_int) -> CudaError {
    call("cudaGraphNodeGetType", |machine| {
        let value = work(machine, node)?.kind();
        // SAFETY: the program passes a place for an enumerator.
        unsafe { answer(kind, value) }
    })
}

/// Calls that give a part of what a node of one kind does.
macro_rules! gives {
    ($(fn $function:ident: $name:literal, $kind:ident($work:ident) => $value:expr, $answer:ty;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $function(node: CudaNode, place: *mut $answer) -> CudaError {
            call($name, |machine| {
                let NodeWork::$kind($work) = work(machine, node)? else {
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
        Kernel(work) => KernelNodeParameters::of(work), KernelNodeParameters;
    fn wsrt_cudaGraphMemcpyNodeGetParams: "cudaGraphMemcpyNodeGetParams",
        Copy(work) => work.parameters, BoxCopyParameters;
    fn wsrt_cudaGraphMemsetNodeGetParams: "cudaGraphMemsetNodeGetParams",
        Fill(work) => work.parameters, FillNodeParameters;
    fn wsrt_cudaGraphHostNodeGetParams: "cudaGraphHostNodeGetParams",
        Host(work) => HostNodeParameters::of(work), HostNodeParameters;
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
        ($($argument:ident: $kind:ty),*) => $machine:ident $work:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $function(node: CudaNode, $($argument: $kind),*) -> CudaError {
            call($name, |$machine| {
                let work = $work?;
                change($machine, node, work)
            })
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $planned(
            executable: CudaExecutable,
            node: CudaNode,
            $($argument: $kind),*
        ) -> CudaError {
            call($planned_name, |$machine| {
                let work = $work?;
                $machine.change_planned(handle_of(executable), handle_of(node), work)
            })
        }
    )*};
}

changes! {
    fn wsrt_cudaGraphKernelNodeSetParams: "cudaGraphKernelNodeSetParams",
    fn wsrt_cudaGraphExecKernelNodeSetParams: "cudaGraphExecKernelNodeSetParams",
        (parameters: *const KernelNodeParameters) => machine works::kernel(machine, parameters);
    fn wsrt_cudaGraphMemcpyNodeSetParams: "cudaGraphMemcpyNodeSetParams",
    fn wsrt_cudaGraphExecMemcpyNodeSetParams: "cudaGraphExecMemcpyNodeSetParams",
        (parameters: *const BoxCopyParameters) => machine works::copy_of_box(machine, parameters);
    fn wsrt_cudaGraphMemsetNodeSetParams: "cudaGraphMemsetNodeSetParams",
    fn wsrt_cudaGraphExecMemsetNodeSetParams: "cudaGraphExecMemsetNodeSetParams",
        (parameters: *const FillNodeParameters) => machine works::fill(machine, parameters);
    fn wsrt_cudaGraphHostNodeSetParams: "cudaGraphHostNodeSetParams",
    fn wsrt_cudaGraphExecHostNodeSetParams: "cudaGraphExecHostNodeSetParams",
        (parameters: *const HostNodeParameters) => machine works::function(machine, parameters);
    fn wsrt_cudaGraphMemcpyNodeSetParams1D: "cudaGraphMemcpyNodeSetParams1D",
    fn wsrt_cudaGraphExecMemcpyNodeSetParams1D: "cudaGraphExecMemcpyNodeSetParams1D",
        (to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int)
        => machine works::copy_of_bytes(machine, (to, from), bytes, kind);
    fn wsrt_cudaGraphMemcpyNodeSetParamsToSymbol: "cudaGraphMemcpyNodeSetParamsToSymbol",
    fn wsrt_cudaGraphExecMemcpyNodeSetParamsToSymbol: "cudaGraphExecMemcpyNodeSetParamsToSymbol",
        (symbol: *const c_void, from: *const c_void, bytes: usize, offset: usize, kind: c_int)
        => machine works::copy_to_symbol(machine, (symbol, from), (bytes, offset, kind));
    fn wsrt_cudaGraphMemcpyNodeSetParamsFromSymbol: "cudaGraphMemcpyNodeSetParamsFromSymbol",
    fn wsrt_cudaGraphExecMemcpyNodeSetParamsFromSymbol: "cudaGraphExecMemcpyNodeSetParamsFromSymbol",
        (to: *mut c_void, symbol: *const c_void, bytes: usize, offset: usize, kind: c_int)
        => machine works::copy_from_symbol(machine, (to, symbol), (bytes, offset, kind));
    fn wsrt_cudaGraphEventRecordNodeSetEvent: "cudaGraphEventRecordNodeSetEvent",
    fn wsrt_cudaGraphExecEventRecordNodeSetEvent: "cudaGraphExecEventRecordNodeSetEvent",
        (event: CudaEvent) => machine works::record(machine, event);
    fn wsrt_cudaGraphEventWaitNodeSetEvent: "cudaGraphEventWaitNodeSetEvent",
    fn wsrt_cudaGraphExecEventWaitNodeSetEvent: "cudaGraphExecEventWaitNodeSetEvent",
        (event: CudaEvent) => machine works::wait(machine, event);
    fn wsrt_cudaGraphNodeSetParams: "cudaGraphNodeSetParams",
    fn wsrt_cudaGraphExecNodeSetParams: "cudaGraphExecNodeSetParams",
        (parameters: *const NodeParameters) => machine works::of_any_kind(machine, parameters);
}
