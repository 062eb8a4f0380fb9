//! What nodes of graphs do, as programs describe it.

use crate::graph::nodes::{HostNodeParameters, KernelNodeParameters, host_node, kernel_node};
use crate::handles::{event_of, handle_of};
use crate::memory::copy::copy_request;
use crate::memory::symbols::{checked_copy_from_symbol, checked_copy_to_symbol};
use crate::types::{CudaEvent, CudaGraph};
use std::ffi::{c_int, c_void};
use warpsan_runtime::machine::boxes::BoxCopyParameters;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::nodes::{FillNodeParameters, NodeWork};
use warpsan_runtime::machine::state::Machine;

/// What a program describes: null, or a structure.
fn described<'a, T>(parameters: *const T) -> Result<&'a T, CudaError> {
    // SAFETY: the program passes null or a description, which stays during the call.
    unsafe { parameters.as_ref() }.ok_or(CudaError::INVALID_VALUE)
}

pub(crate) fn kernel(
    machine: &mut Machine,
    parameters: *const KernelNodeParameters,
) -> Result<NodeWork, CudaError> {
    // SAFETY: the program passes one argument for each parameter of the kernel.
    unsafe { kernel_node(machine, described(parameters)?) }
}

pub(crate) fn copy_of_box(
    machine: &mut Machine,
    parameters: *const BoxCopyParameters,
) -> Result<NodeWork, CudaError> {
    machine.box_copy_node(described(parameters)?)
}

pub(crate) fn copy_of_bytes(
    machine: &mut Machine,
    (to, from): (*mut c_void, *const c_void),
    bytes: usize,
    kind: c_int,
) -> Result<NodeWork, CudaError> {
    // SAFETY: the program keeps the memory of a graph as long as a launch of it is queued.
    machine.copy_node(unsafe { copy_request(to, from, bytes, kind) })
}

pub(crate) fn copy_to_symbol(
    machine: &mut Machine,
    sides: (*const c_void, *const c_void),
    how: (usize, usize, c_int),
) -> Result<NodeWork, CudaError> {
    let sides = checked_copy_to_symbol(machine, sides, how)?;
    copy_of_bytes(machine, sides, how.0, how.2)
}

pub(crate) fn copy_from_symbol(
    machine: &mut Machine,
    sides: (*mut c_void, *const c_void),
    how: (usize, usize, c_int),
) -> Result<NodeWork, CudaError> {
    let sides = checked_copy_from_symbol(machine, sides, how)?;
    copy_of_bytes(machine, sides, how.0, how.2)
}

pub(crate) fn fill(
    machine: &mut Machine,
    parameters: *const FillNodeParameters,
) -> Result<NodeWork, CudaError> {
    machine.fill_node(described(parameters)?)
}

pub(crate) fn function(
    _: &mut Machine,
    parameters: *const HostNodeParameters,
) -> Result<NodeWork, CudaError> {
    let HostNodeParameters { function, data } = *described(parameters)?;
    Ok(NodeWork::Host(host_node(function, data)?))
}

pub(crate) fn graph(machine: &mut Machine, inner: CudaGraph) -> Result<NodeWork, CudaError> {
    // The node has a graph of its own from now on.
    Ok(NodeWork::Graph(machine.graphs.clone_of(handle_of(inner))?))
}

pub(crate) fn record(machine: &mut Machine, event: CudaEvent) -> Result<NodeWork, CudaError> {
    machine.events.note_recorded(event_of(event))?;
    Ok(NodeWork::Record(handle_of(event)))
}

pub(crate) fn wait(machine: &mut Machine, event: CudaEvent) -> Result<NodeWork, CudaError> {
    machine.events.check(event_of(event))?;
    Ok(NodeWork::Wait(handle_of(event)))
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
pub(crate) fn of_any_kind(
    machine: &mut Machine,
    parameters: *const NodeParameters,
) -> Result<NodeWork, CudaError> {
    let parameters = described(parameters)?;
    let of_kind: *const c_void = parameters.of_kind.as_ptr().cast();
    // SAFETY: the type says which structure it is; those of graphs and events begin with a handle.
    let handle = || unsafe { of_kind.cast::<*mut c_void>().read() };
    match parameters.kind {
        0 => kernel(machine, of_kind.cast()),
        // Flags are before the description of the copy.
        1 => copy_of_box(machine, of_kind.wrapping_byte_add(16).cast()),
        2 => fill(machine, of_kind.cast()),
        3 => function(machine, of_kind.cast()),
        4 => graph(machine, handle()),
        5 => Ok(NodeWork::Empty),
        6 => wait(machine, handle()),
        7 => record(machine, handle()),
        _ => machine
            .refuse("a node of a graph that is no kernel, copy, fill, function, graph or event"),
    }
}
