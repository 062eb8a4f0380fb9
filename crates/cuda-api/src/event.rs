//! The calls about events.

use crate::answer::answer;
use crate::call::{call, call_to_ask};
use crate::handles::{event_of, pointer_of, stream_of};
use crate::types::{CudaEvent, CudaStream};
use std::ffi::c_uint;
use warpsan_runtime::Wait;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::events::elapsed;

/// `cudaEventDisableTiming`.
const DISABLE_TIMING: c_uint = 2;
/// `cudaEventInterprocess`, which other processes could wait for.
const INTERPROCESS: c_uint = 4;
/// `cudaEventBlockingSync`, a hint about how to wait.
const BLOCKING_SYNC: c_uint = 1;

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaEventCreateWithFlags(
    event: *mut CudaEvent,
    flags: c_uint,
) -> CudaError {
    call("cudaEventCreateWithFlags", |machine| {
        if event.is_null() || flags & !(BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS) != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        if flags & INTERPROCESS != 0 {
            return machine.refuse("cudaEventCreateWithFlags with cudaEventInterprocess");
        }
        let timed = flags & DISABLE_TIMING == 0;
        let made = machine.events.create(timed);
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(event, pointer_of(made.0 as usize)) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaEventCreate(event: *mut CudaEvent) -> CudaError {
    // SAFETY: the same contract.
    unsafe { wsrt_cudaEventCreateWithFlags(event, 0) }
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaEventDestroy(event: CudaEvent) -> CudaError {
    call("cudaEventDestroy", |machine| machine.destroy_event(event_of(event)))
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaEventRecordWithFlags(
    event: CudaEvent,
    stream: CudaStream,
    _flags: c_uint,
) -> CudaError {
    call("cudaEventRecord", |machine| machine.record_event(event_of(event), stream_of(stream)))
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaEventRecord(event: CudaEvent, stream: CudaStream) -> CudaError {
    wsrt_cudaEventRecordWithFlags(event, stream, 0)
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaEventSynchronize(event: CudaEvent) -> CudaError {
    call("cudaEventSynchronize", |machine| {
        machine.events.check(event_of(event))?;
        machine.wait_for(Wait::Event(event_of(event)))
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaEventQuery(event: CudaEvent) -> CudaError {
    call_to_ask("cudaEventQuery", |machine| {
        machine.events.check(event_of(event))?;
        machine.query(Wait::Event(event_of(event)))
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cudaEventElapsedTime(
    milliseconds: *mut f32,
    start: CudaEvent,
    end: CudaEvent,
) -> CudaError {
    call("cudaEventElapsedTime", |machine| {
        let start = machine.time_of(event_of(start))?;
        let elapsed = elapsed(start, machine.time_of(event_of(end))?);
        // SAFETY: the program passes a place for a number.
        unsafe { answer(milliseconds, elapsed) }
    })
}
