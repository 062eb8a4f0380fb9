//! Events. The order of work keeps what an event stands for, and when that was done.

use crate::call::{Api, call, call_to_ask};
use crate::error::CudaError;
use crate::handles::{HandleTable, handle_of, pointer_of};
use crate::streams::answer;
use crate::types::{CudaEvent, CudaStream};
use crate::unsupported::refuse;
use std::ffi::c_uint;
use std::time::Instant;
use warpsan_runtime::{EventNumber, Wait};

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
    recorded: bool,
}

impl Events {
    /// Refuses what is not an event.
    pub(crate) fn check(&self, event: CudaEvent) -> Result<(), CudaError> {
        self.table.get(handle_of(event)).map(|_| ()).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    pub(crate) fn note_recorded(&mut self, event: CudaEvent) -> Result<(), CudaError> {
        let event =
            self.table.get_mut(handle_of(event)).ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
        event.recorded = true;
        Ok(())
    }

    /// Refuses an event that was not recorded, or has no time.
    fn check_has_time(&self, event: CudaEvent) -> Result<(), CudaError> {
        let event = self.table.get(handle_of(event));
        let has_time = event.is_some_and(|event| event.timed && event.recorded);
        if has_time { Ok(()) } else { Err(CudaError::INVALID_RESOURCE_HANDLE) }
    }
}

/// Milliseconds from one moment to the other; negative when they are the other way round.
fn elapsed(start: Instant, end: Instant) -> f32 {
    let forward = end.saturating_duration_since(start).as_secs_f32();
    let backward = start.saturating_duration_since(end).as_secs_f32();
    (forward - backward) * 1000.0
}

/// When an event happened.
fn time_of(api: &mut Api, event: CudaEvent) -> Result<Instant, CudaError> {
    api.events.check_has_time(event)?;
    api.session()?.order().time_of(event_number(event)).ok_or(CudaError::NOT_READY)
}

/// The event as the order of work knows it.
pub(crate) fn event_number(event: CudaEvent) -> EventNumber {
    EventNumber(event.addr() as u64)
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
        let handle = api.events.table.insert(Event { timed, recorded: false });
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
        api.captures.forget_event(event_number(event));
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
        api.events.note_recorded(event)?;
        if !api.captures.record(event_number(event), stream)? {
            api.session()?.order().record(event_number(event), stream);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaEventRecord(event: CudaEvent, stream: CudaStream) -> CudaError {
    wsrt_cudaEventRecordWithFlags(event, stream, 0)
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaEventSynchronize(event: CudaEvent) -> CudaError {
    call("cudaEventSynchronize", |api| {
        api.events.check(event)?;
        api.wait_for(Wait::Event(event_number(event)))
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaEventQuery(event: CudaEvent) -> CudaError {
    call_to_ask("cudaEventQuery", |api| {
        api.events.check(event)?;
        api.query(Wait::Event(event_number(event)))
    })
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cudaEventElapsedTime(
    milliseconds: *mut f32,
    start: CudaEvent,
    end: CudaEvent,
) -> CudaError {
    call("cudaEventElapsedTime", |api| {
        let elapsed = elapsed(time_of(api, start)?, time_of(api, end)?);
        // SAFETY: the program passes a place for a number.
        unsafe { answer(milliseconds, elapsed) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn time_passes_between_events_in_both_directions() {
        let start = Instant::now();
        let end = start + Duration::from_millis(2);
        assert!((elapsed(start, end) - 2.0).abs() < 0.01);
        assert!((elapsed(end, start) + 2.0).abs() < 0.01);
    }

    #[test]
    fn an_event_without_timing_or_record_has_no_time() {
        let mut events = Events::default();
        let made = |events: &mut Events, timed| {
            pointer_of(events.table.insert(Event { timed, recorded: false }))
        };
        let (timed, untimed) = (made(&mut events, true), made(&mut events, false));
        assert_eq!(events.check_has_time(timed), Err(CudaError::INVALID_RESOURCE_HANDLE));
        for event in [timed, untimed] {
            events.note_recorded(event).expect("recorded");
        }
        assert_eq!(events.check_has_time(timed), Ok(()));
        assert_eq!(events.check_has_time(untimed), Err(CudaError::INVALID_RESOURCE_HANDLE));
    }
}
