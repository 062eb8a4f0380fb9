//! The calls about streams. Work is queued by the call that asks for it, and done when somebody waits for it.

use crate::answer::{answer, answer_if_wanted};
use crate::call::{call, call_to_ask};
use crate::graph::nodes::{HostFn, host_node};
use crate::handles::{event_of, pointer_of, stream_of};
use crate::process::program_function::ProgramFunction;
use crate::types::{CudaEvent, CudaStream};
use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::sync::Arc;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::nodes::NodeWork;
use warpsan_runtime::machine::streams::{
    GREATEST_PRIORITY, LEAST_PRIORITY, NON_BLOCKING, StreamProperties,
};
use warpsan_runtime::{Task, Wait};

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamCreateWithPriority(
    stream: *mut CudaStream,
    flags: c_uint,
    priority: c_int,
) -> CudaError {
    call("cudaStreamCreateWithPriority", |machine| {
        if stream.is_null() || flags & !NON_BLOCKING != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        // A priority outside the range is moved to its nearest end.
        let priority = priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY);
        let made = machine.create_stream(StreamProperties { flags, priority })?;
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(stream, pointer_of(made.0)) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamCreateWithFlags(
    stream: *mut CudaStream,
    flags: c_uint,
) -> CudaError {
    // SAFETY: the same contract.
    unsafe { wsrt_cudaStreamCreateWithPriority(stream, flags, LEAST_PRIORITY) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamCreate(stream: *mut CudaStream) -> CudaError {
    // SAFETY: the same contract.
    unsafe { wsrt_cudaStreamCreateWithPriority(stream, 0, LEAST_PRIORITY) }
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamDestroy(stream: CudaStream) -> CudaError {
    call("cudaStreamDestroy", |machine| machine.destroy_stream(stream_of(stream)))
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamSynchronize(stream: CudaStream) -> CudaError {
    call("cudaStreamSynchronize", |machine| {
        let stream = machine.streams.name(stream_of(stream))?;
        machine.wait_for(Wait::Stream(stream))
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamQuery(stream: CudaStream) -> CudaError {
    call_to_ask("cudaStreamQuery", |machine| {
        let stream = machine.streams.name(stream_of(stream))?;
        machine.query(Wait::Stream(stream))
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamWaitEvent(
    stream: CudaStream,
    event: CudaEvent,
    _flags: c_uint,
) -> CudaError {
    call("cudaStreamWaitEvent", |machine| {
        machine.wait_for_event(stream_of(stream), event_of(event))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamGetFlags(stream: CudaStream, flags: *mut c_uint) -> CudaError {
    call("cudaStreamGetFlags", |machine| {
        let value = machine.streams.properties(stream_of(stream))?.flags;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(flags, value) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamGetPriority(
    stream: CudaStream,
    priority: *mut c_int,
) -> CudaError {
    call("cudaStreamGetPriority", |machine| {
        let value = machine.streams.properties(stream_of(stream))?.priority;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(priority, value) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamGetId(stream: CudaStream, id: *mut c_ulonglong) -> CudaError {
    call("cudaStreamGetId", |machine| {
        machine.streams.check(stream_of(stream))?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(id, stream.addr() as c_ulonglong) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamGetDevice(stream: CudaStream, device: *mut c_int) -> CudaError {
    call("cudaStreamGetDevice", |machine| {
        machine.streams.check(stream_of(stream))?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(device, 0) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaDeviceGetStreamPriorityRange(
    least: *mut c_int,
    greatest: *mut c_int,
) -> CudaError {
    call("cudaDeviceGetStreamPriorityRange", |_| {
        for (place, value) in [(least, LEAST_PRIORITY), (greatest, GREATEST_PRIORITY)] {
            // SAFETY: the program passes null or a place for a number.
            unsafe { answer_if_wanted(place, value) };
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLaunchHostFunc(
    stream: CudaStream,
    function: Option<HostFn>,
    data: *mut c_void,
) -> CudaError {
    call("cudaLaunchHostFunc", |machine| {
        let stream = stream_of(stream);
        let function = host_node(function, data)?;
        if machine.is_capturing(stream)? {
            return machine.capture(stream, NodeWork::Host(function));
        }
        machine.submit(stream, Task::HostFunction(function.function))
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaStreamAddCallback(
    stream: CudaStream,
    callback: Option<unsafe extern "C" fn(CudaStream, CudaError, *mut c_void)>,
    data: *mut c_void,
    flags: c_uint,
) -> CudaError {
    call("cudaStreamAddCallback", |machine| {
        let callback = callback.filter(|_| flags == 0).ok_or(CudaError::INVALID_VALUE)?;
        let name = machine.streams.name(stream_of(stream))?;
        machine.captures.check_wait(Wait::Stream(name))?;
        let (handle, data) = (stream.expose_provenance(), data.expose_provenance());
        let task = Task::HostFunction(Arc::new(move || {
            let function = callback as *const c_void;
            let arguments = [handle, CudaError::SUCCESS.0 as usize, data];
            // SAFETY: the program passes a function for these arguments.
            unsafe { ProgramFunction { function, arguments }.call() };
        }));
        machine.submit(stream_of(stream), task)
    })
}
