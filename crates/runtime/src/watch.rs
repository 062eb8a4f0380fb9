use crate::journal::Journal;
use warpsan_detect::Detector;
use warpsan_event::{Batch, EventMask, EventSink};

/// Hands the engine's events to the detector, and what it finds to the journal.
pub(crate) struct Watch<'a> {
    pub(crate) detector: &'a mut dyn Detector,
    pub(crate) journal: &'a mut Journal,
    /// A launch that is not watched emits nothing.
    pub(crate) is_watched: bool,
}

impl EventSink for Watch<'_> {
    fn interest(&self) -> EventMask {
        match self.is_watched {
            true => self.detector.interest(),
            false => EventMask::NONE,
        }
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        self.detector.batch(batch, self.journal);
    }
}
