//! Events. Work is done when a call returns, so recording an event means taking the time; the order of work
//! keeps what the event stands for.

use crate::call::{Api, call};
use crate::error::CudaError;
use crate::handles::{HandleTable, handle_of, pointer_of};
use crate::streams::answer;
use crate::types::{CudaEvent, CudaStream};
use crate::unsupported::refuse;
use std::ffi::c_uint;
use std::time::Instant;
use warpsan_runtime::EventNumber;

/// `cudaEventDisableTiming`.
const DISABLE_TIMING: c_uint = 2;
/// `cudaEventInterprocess`, which other processes could wait for.
const INTERPROCESS: c_uint = 4;
/// `cudaEventBlockingSync`, a hint about how to wait.
const BLOCKING_SYNC: c_uint = 1;

/// The events that the program has made.
#[derive(Default)]
pub(crate) struct Events {
    table: HandleTable<Event>,
}

struct Event {
    timed: bool,
    recorded: Option<Instant>,
}

impl Events {
    /// Refuses what is not an event.
    pub(crate) fn check(&self, event: CudaEvent) -> Result<(), CudaError> {
        self.table.get(handle_of(event)).map(|_| ()).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    fn record(&mut self, event: CudaEvent) -> Result<(), CudaError> {
        let event =
            self.table.get_mut(handle_of(event)).ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
        event.recorded = Some(Instant::now());
        Ok(())
    }

    fn recorded(&self, event: CudaEvent) -> Result<Instant, CudaError> {
        let event = self.table.get(handle_of(event)).ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
        match (event.timed, event.recorded) {
            (true, Some(time)) => Ok(time),
            _ => Err(CudaError::INVALID_RESOURCE_HANDLE),
        }
    }

    /// Milliseconds from one event to the other; negative when they were recorded the other way.
    fn elapsed(&self, start: CudaEvent, end: CudaEvent) -> Result<f32, CudaError> {
        let (start, end) = (self.recorded(start)?, self.recorded(end)?);
        let forward = end.saturating_duration_since(start).as_secs_f32();
        let backward = start.saturating_duration_since(end).as_secs_f32();
        Ok((forward - backward) * 1000.0)
    }
}

/// The event as the order of work knows it.
pub(crate) fn event_number(event: CudaEvent) -> EventNumber {
    EventNumber(event.addr() as u64)
}

/// The host knows that an event has happened.
fn wait_for(api: &mut Api, event: CudaEvent) -> Result<(), CudaError> {
    api.events.check(event)?;
    api.session()?.order().finish_event(event_number(event));
    Ok(())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaEventCreateWithFlags(
    event: *mut CudaEvent,
    flags: c_uint,
) -> CudaError {
    call("cudaEventCreateWithFlags", |api| {
        if event.is_null() || flags & !(BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS) != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        if flags & INTERPROCESS != 0 {
            return refuse(api, "cudaEventCreateWithFlags with cudaEventInterprocess");
        }
        let timed = flags & DISABLE_TIMING == 0;
        let handle = api.events.table.insert(Event { timed, recorded: None });
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(event, pointer_of(handle)) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaEventCreate(event: *mut CudaEvent) -> CudaError {
    // SAFETY: the same contract.
    unsafe { wsrt_cudaEventCreateWithFlags(event, 0) }
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaEventDestroy(event: CudaEvent) -> CudaError {
    call("cudaEventDestroy", |api| {
        let removed = api.events.table.remove(handle_of(event));
        removed.ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
        api.session()?.order().end_event(event_number(event));
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaEventRecordWithFlags(
    event: CudaEvent,
    stream: CudaStream,
    _flags: c_uint,
) -> CudaError {
    call("cudaEventRecord", |api| {
        let stream = api.streams.name(stream)?;
        api.events.record(event)?;
        api.session()?.order().record(event_number(event), stream);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaEventRecord(event: CudaEvent, stream: CudaStream) -> CudaError {
    wsrt_cudaEventRecordWithFlags(event, stream, 0)
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaEventSynchronize(event: CudaEvent) -> CudaError {
    call("cudaEventSynchronize", |api| wait_for(api, event))
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaEventQuery(event: CudaEvent) -> CudaError {
    call("cudaEventQuery", |api| wait_for(api, event))
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cudaEventElapsedTime(
    milliseconds: *mut f32,
    start: CudaEvent,
    end: CudaEvent,
) -> CudaError {
    call("cudaEventElapsedTime", |api| {
        let elapsed = api.events.elapsed(start, end)?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(milliseconds, elapsed) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_between_events() {
        let mut events = Events::default();
        let first = pointer_of(events.table.insert(Event { timed: true, recorded: None }));
        let second = pointer_of(events.table.insert(Event { timed: true, recorded: None }));
        assert_eq!(events.elapsed(first, second), Err(CudaError::INVALID_RESOURCE_HANDLE));
        events.record(first).expect("recorded");
        std::thread::sleep(std::time::Duration::from_millis(2));
        events.record(second).expect("recorded");
        assert!(events.elapsed(first, second).expect("both recorded") >= 2.0);
        assert!(events.elapsed(second, first).expect("both recorded") <= -2.0);
    }

    #[test]
    fn an_event_without_timing_has_no_time() {
        let mut events = Events::default();
        let event = pointer_of(events.table.insert(Event { timed: false, recorded: None }));
        events.record(event).expect("recorded");
        assert_eq!(events.elapsed(event, event), Err(CudaError::INVALID_RESOURCE_HANDLE));
    }
}
