//! Streams, events, and what the host waits for.

use super::reporting::{then, waited, work};
use crate::calls::{Call, filled_by, stream_of};
use crate::wrapped::forwards;
use std::ffi::{c_int, c_uint};
use warpsan_gpu::{CUevent, CUresult, CUstream, OrderStep};

forwards! {
    fn (place: *mut CUstream, flags: c_uint) = create: cuStreamCreate;
    fn (place: *mut CUstream, flags: c_uint, priority: c_int) = create_with_priority:
        cuStreamCreateWithPriority;
    fn (place: *mut CUstream, part: usize, flags: c_uint, priority: c_int) = create_in_part:
        cuGreenCtxStreamCreate;
    fn (stream: CUstream) = destroy: cuStreamDestroy, cuStreamDestroy_v2;
    fn (event: CUevent) = destroy_event: cuEventDestroy, cuEventDestroy_v2;
    fn (event: CUevent, stream: CUstream) = record: cuEventRecord, cuEventRecord_ptsz;
    fn (event: CUevent, stream: CUstream, flags: c_uint) = record_with_flags:
        cuEventRecordWithFlags, cuEventRecordWithFlags_ptsz;
    fn (context: usize, event: CUevent) = record_context: cuCtxRecordEvent, cuGreenCtxRecordEvent;
    fn (stream: CUstream, event: CUevent, flags: c_uint) = wait:
        cuStreamWaitEvent, cuStreamWaitEvent_ptsz;
    fn (context: usize, event: CUevent) = wait_in_context: cuCtxWaitEvent, cuGreenCtxWaitEvent;
    fn (stream: CUstream) = synchronize:
        cuStreamSynchronize, cuStreamSynchronize_ptsz, cuStreamQuery, cuStreamQuery_ptsz;
    fn (event: CUevent) = synchronize_event: cuEventSynchronize, cuEventQuery;
    fn (milliseconds: *mut f32, start: CUevent, end: CUevent) = time:
        cuEventElapsedTime, cuEventElapsedTime_v2;
    fn () = synchronize_context: cuCtxSynchronize;
    fn (context: usize) = synchronize_one: cuCtxSynchronize_v2;
    fn (stream: CUstream, function: usize, data: usize) = call_host:
        cuLaunchHostFunc, cuLaunchHostFunc_ptsz;
    fn (stream: CUstream, function: usize, data: usize, flags: c_uint) = call_back:
        cuStreamAddCallback, cuStreamAddCallback_ptsz;
    fn (stream: CUstream, address: usize, bytes: usize, flags: c_uint) = attach:
        cuStreamAttachMemAsync, cuStreamAttachMemAsync_ptsz;
    fn (executable: usize, stream: CUstream) = upload: cuGraphUpload, cuGraphUpload_ptsz;
    fn (thing: usize) = give_back:
        cuArrayDestroy, cuMipmappedArrayDestroy, cuMemFree, cuCtxDetach, cuGreenCtxDestroy,
        cuDestroyExternalMemory, cuMemPoolDestroy;
}

then! { fn create(place: *mut CUstream, flags: c_uint) |call| made(call, place) }

then! {
    fn create_with_priority(place: *mut CUstream, flags: c_uint, priority: c_int)
        |call| made(call, place)
}

then! {
    fn create_in_part(place: *mut CUstream, part: usize, flags: c_uint, priority: c_int)
        |call| made(call, place)
}

/// A stream was made, and `place` filled.
fn made<F>(call: &Call<F>, place: *mut CUstream) {
    // SAFETY: the driver has filled it.
    if let Some(stream) = unsafe { filled_by(CUresult::SUCCESS, place) } {
        call.hooks.ordered(OrderStep::StreamMade(stream));
    }
}

/// Reported before, since the handle may be that of another stream as soon as this one is gone.
unsafe fn destroy(
    call: Call<unsafe extern "C" fn(CUstream) -> CUresult>,
    stream: CUstream,
) -> CUresult {
    call.hooks.ordered(OrderStep::StreamEnded(stream));
    // SAFETY: the program's own call.
    unsafe { (call.real)(stream) }
}

/// Reported before, for the same reason.
unsafe fn destroy_event(
    call: Call<unsafe extern "C" fn(CUevent) -> CUresult>,
    event: CUevent,
) -> CUresult {
    call.hooks.ordered(OrderStep::EventEnded(event));
    // SAFETY: the program's own call.
    unsafe { (call.real)(event) }
}

then! {
    fn record(event: CUevent, stream: CUstream)
        |call| call.hooks.ordered(OrderStep::Recorded { event, stream: stream_of(call, stream) })
}

then! {
    fn record_with_flags(event: CUevent, stream: CUstream, flags: c_uint) |call| {
        /// A graph that is captured records the event, whenever it is launched.
        const EXTERNAL: c_uint = 1;
        call.hooks.ordered(match flags & EXTERNAL {
            0 => OrderStep::Recorded { event, stream: stream_of(call, stream) },
            _ => OrderStep::RecordedElsewhere(event),
        })
    }
}

// It stands for all streams of a context.
then! {
    fn record_context(context: usize, event: CUevent)
        |call| call.hooks.ordered(OrderStep::RecordedElsewhere(event))
}

then! {
    fn wait(stream: CUstream, event: CUevent, flags: c_uint)
        |call| call.hooks.ordered(OrderStep::StreamWaits { stream: stream_of(call, stream), event })
}

// All streams of a context wait.
then! {
    fn wait_in_context(context: usize, event: CUevent)
        |call| call.hooks.ordered(OrderStep::HostWaitedForAll)
}

then! {
    fn synchronize(stream: CUstream)
        |call| call.hooks.ordered(OrderStep::HostWaitedForStream(stream_of(call, stream)))
}

then! {
    fn synchronize_event(event: CUevent)
        |call| call.hooks.ordered(OrderStep::HostWaitedForEvent(event))
}

// The driver answers the time between two events only when they have happened.
then! {
    fn time(milliseconds: *mut f32, start: CUevent, end: CUevent)
        |call| for event in [start, end] {
            call.hooks.ordered(OrderStep::HostWaitedForEvent(event));
        }
}

then! { fn synchronize_context() |call| call.hooks.ordered(OrderStep::HostWaitedForAll) }

then! { fn synchronize_one(context: usize) |call| call.hooks.ordered(OrderStep::HostWaitedForAll) }

// The function runs when what is in the stream is done, and may let others know at any time from now on.
then! {
    fn call_host(stream: CUstream, function: usize, data: usize) |call| waited(call, stream)
}

then! {
    fn call_back(stream: CUstream, function: usize, data: usize, flags: c_uint)
        |call| waited(call, stream)
}

then! {
    fn attach(stream: CUstream, address: usize, bytes: usize, flags: c_uint)
        |call| work(call, stream)
}

then! { fn upload(executable: usize, stream: CUstream) |call| work(call, stream) }

// What is given back nothing may use any more.
then! { fn give_back(thing: usize) |call| call.hooks.ordered(OrderStep::HostWaitedForAll) }
