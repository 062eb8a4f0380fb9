//! Events. The order of work keeps what an event stands for, and when that was done.

use super::error::CudaError;
use super::handles::HandleTable;
use crate::EventNumber;
use std::time::Instant;

/// The events that the program has made.
#[derive(Default)]
pub struct Events {
    table: HandleTable<Event>,
}

struct Event {
    timed: bool,
    recorded: bool,
}

impl Events {
    /// Makes an event, with a time or without.
    pub fn create(&mut self, timed: bool) -> EventNumber {
        EventNumber(self.table.insert(Event { timed, recorded: false }) as u64)
    }

    /// Takes an event away.
    pub fn destroy(&mut self, event: EventNumber) -> Result<(), CudaError> {
        let removed = self.table.remove(event.0 as usize);
        removed.map(|_| ()).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    /// Refuses what is not an event.
    pub fn check(&self, event: EventNumber) -> Result<(), CudaError> {
        self.get(event).map(|_| ()).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    /// An event is recorded.
    pub fn note_recorded(&mut self, event: EventNumber) -> Result<(), CudaError> {
        let event = self.table.get_mut(event.0 as usize);
        event.ok_or(CudaError::INVALID_RESOURCE_HANDLE)?.recorded = true;
        Ok(())
    }

    /// Refuses an event that was not recorded, or has no time.
    pub fn check_has_time(&self, event: EventNumber) -> Result<(), CudaError> {
        let has_time = self.get(event).is_some_and(|event| event.timed && event.recorded);
        if has_time { Ok(()) } else { Err(CudaError::INVALID_RESOURCE_HANDLE) }
    }

    fn get(&self, event: EventNumber) -> Option<&Event> {
        self.table.get(event.0 as usize)
    }
}

/// Milliseconds from one moment to the other; negative when they are the other way round.
pub fn elapsed(start: Instant, end: Instant) -> f32 {
    let forward = end.saturating_duration_since(start).as_secs_f32();
    let backward = start.saturating_duration_since(end).as_secs_f32();
    (forward - backward) * 1000.0
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
        let (timed, untimed) = (events.create(true), events.create(false));
        assert_eq!(events.check_has_time(timed), Err(CudaError::INVALID_RESOURCE_HANDLE));
        for event in [timed, untimed] {
            events.note_recorded(event).expect("recorded");
        }
        assert_eq!(events.check_has_time(timed), Ok(()));
        assert_eq!(events.check_has_time(untimed), Err(CudaError::INVALID_RESOURCE_HANDLE));
    }
}
