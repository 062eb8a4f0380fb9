//! The calls about captures.

use crate::answer::{answer, answer_if_wanted};
use crate::call::call;
use crate::graph::entry_points::nodes_of;
use crate::handles::{handle_of, pointer_of, stream_of};
use crate::types::{CudaGraph, CudaNode, CudaStream};
use std::collections::BTreeSet;
use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use warpsan_runtime::machine::capture::{self, Status};
use warpsan_runtime::machine::error::CudaError;

/// `cudaStreamSetCaptureDependencies`; the other flag, 0, adds to them.
const SET_DEPENDENCIES: c_uint = 1;

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamBeginCapture(stream: CudaStream, mode: c_int) -> CudaError {
    call("cudaStreamBeginCapture", |machine| {
        let stream = machine.streams.name(stream_of(stream))?;
        let graph = machine.graphs.create();
        let begun = machine.captures.begin(stream, (graph, false), BTreeSet::new(), mode);
        if begun.is_err() {
            machine.graphs.destroy(graph)?;
        }
        begun
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamBeginCaptureToGraph(
    stream: CudaStream,
    graph: CudaGraph,
    after: *const CudaNode,
    _edges: *const c_void,
    count: usize,
    mode: c_int,
) -> CudaError {
    call("cudaStreamBeginCaptureToGraph", |machine| {
        let stream = machine.streams.name(stream_of(stream))?;
        machine.graphs.nodes(handle_of(graph))?;
        // SAFETY: the program passes so many nodes.
        let after = unsafe { nodes_of(after, count) }?;
        machine.captures.begin(stream, (handle_of(graph), true), after, mode)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamEndCapture(
    stream: CudaStream,
    graph: *mut CudaGraph,
) -> CudaError {
    call("cudaStreamEndCapture", |machine| {
        if graph.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let stream = machine.streams.name(stream_of(stream))?;
        let ended = machine.captures.end(stream, &mut machine.graphs);
        let made = ended.map_or(std::ptr::null_mut(), pointer_of);
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(graph, made) }?;
        ended.map(|_| ())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamIsCapturing(
    stream: CudaStream,
    status: *mut c_int,
) -> CudaError {
    call("cudaStreamIsCapturing", |machine| {
        let stream = machine.streams.name(stream_of(stream))?;
        let value = machine.captures.checked_status(stream)? as c_int;
        // SAFETY: the program passes a place for an enumerator.
        unsafe { answer(status, value) }
    })
}

/// Where the answers about a capture go; all but the status may be null.
struct InfoPlaces {
    status: *mut c_int,
    number: *mut c_ulonglong,
    graph: *mut CudaGraph,
    after: *mut *const CudaNode,
    edges: *mut *const c_void,
    count: *mut usize,
}

/// # Safety
/// The places are null or places for their answers.
unsafe fn capture_info(stream: CudaStream, places: &InfoPlaces) -> CudaError {
    call("cudaStreamGetCaptureInfo", |machine| {
        let stream = machine.streams.name(stream_of(stream))?;
        let status = machine.captures.checked_status(stream)?;
        // SAFETY: passed on from the caller, here and below.
        unsafe { answer(places.status, status as c_int) }?;
        let (Status::Active, Some(info)) = (status, machine.captures.info(stream)) else {
            return Ok(());
        };
        let (number, graph, after) = info;
        // SAFETY: the list stays until it is asked for again.
        unsafe {
            answer_if_wanted(places.number, number);
            answer_if_wanted(places.graph, pointer_of(graph));
            answer_if_wanted(places.after, after.as_ptr().cast());
            answer_if_wanted(places.edges, std::ptr::null());
            answer_if_wanted(places.count, after.len());
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt12_cudaStreamGetCaptureInfo(
    stream: CudaStream,
    status: *mut c_int,
    number: *mut c_ulonglong,
) -> CudaError {
    let null = std::ptr::null_mut();
    let places = InfoPlaces {
        status,
        number,
        graph: null,
        after: null.cast(),
        edges: null.cast(),
        count: null.cast(),
    };
    // SAFETY: the program passes places for the answers.
    unsafe { capture_info(stream, &places) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt12_cudaStreamGetCaptureInfo_v2(
    stream: CudaStream,
    status: *mut c_int,
    number: *mut c_ulonglong,
    graph: *mut CudaGraph,
    after: *mut *const CudaNode,
    count: *mut usize,
) -> CudaError {
    let edges = std::ptr::null_mut();
    // SAFETY: the program passes places for the answers.
    unsafe { capture_info(stream, &InfoPlaces { status, number, graph, after, edges, count }) }
}

/// What CUDA 13 has under the name of what CUDA 12 has as a third version.
macro_rules! gives_info {
    ($(fn $function:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $function(
            stream: CudaStream,
            status: *mut c_int,
            number: *mut c_ulonglong,
            graph: *mut CudaGraph,
            after: *mut *const CudaNode,
            edges: *mut *const c_void,
            count: *mut usize,
        ) -> CudaError {
            let places = InfoPlaces { status, number, graph, after, edges, count };
            // SAFETY: the program passes places for the answers.
            unsafe { capture_info(stream, &places) }
        }
    )*};
}

gives_info! {
    fn wsrt12_cudaStreamGetCaptureInfo_v3;
    fn wsrt13_cudaStreamGetCaptureInfo;
}

/// # Safety
/// `after` has `count` nodes.
unsafe fn update_dependencies(
    stream: CudaStream,
    after: *const CudaNode,
    count: usize,
    flags: c_uint,
) -> CudaError {
    call("cudaStreamUpdateCaptureDependencies", |machine| {
        let stream = machine.streams.name(stream_of(stream))?;
        if flags > SET_DEPENDENCIES {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: passed on from the caller.
        let after = unsafe { nodes_of(after, count) }?;
        machine.captures.set_after(stream, after, flags != SET_DEPENDENCIES)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt12_cudaStreamUpdateCaptureDependencies(
    stream: CudaStream,
    after: *const CudaNode,
    count: usize,
    flags: c_uint,
) -> CudaError {
    // SAFETY: the program passes so many nodes.
    unsafe { update_dependencies(stream, after, count, flags) }
}

/// What CUDA 13 has under the name of what CUDA 12 has as a second version.
macro_rules! updates_dependencies {
    ($(fn $function:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $function(
            stream: CudaStream,
            after: *const CudaNode,
            _edges: *const c_void,
            count: usize,
            flags: c_uint,
        ) -> CudaError {
            // SAFETY: the program passes so many nodes.
            unsafe { update_dependencies(stream, after, count, flags) }
        }
    )*};
}

updates_dependencies! {
    fn wsrt12_cudaStreamUpdateCaptureDependencies_v2;
    fn wsrt13_cudaStreamUpdateCaptureDependencies;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaThreadExchangeStreamCaptureMode(mode: *mut c_int) -> CudaError {
    call("cudaThreadExchangeStreamCaptureMode", |_| {
        if mode.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: not null, so it is an enumerator of the program, which gets the old one.
        unsafe { mode.write(capture::exchange_thread_mode(mode.read())?) };
        Ok(())
    })
}
