use crate::journal::Journal;
use warpsan_detect::Detector;
use warpsan_event::{Batch, EventMask, EventSink};

/// Hands the engine's events to the detector, and what it finds to the journal.
pub(crate) struct Watch<'a> {
    pub(crate) detector: &'a mut dyn Detector,
    pub(crate) journal: &'a mut Journal,
}

impl EventSink for Watch<'_> {
    fn interest(&self) -> EventMask {
        self.detector.interest()
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        self.detector.batch(batch, self.journal);
    }
}
