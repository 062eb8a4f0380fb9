//! The null detector: overhead is always measured against it.
//!
//! It can miss everything and never reports anything.

use crate::Detector;
use warpsan_event::{Batch, EventMask};
use warpsan_report::RaceSink;

/// Finds nothing and asks for nothing.
#[derive(Debug, Default)]
pub struct NoDetector;

impl Detector for NoDetector {
    fn interest(&self) -> EventMask {
        EventMask::NONE
    }

    fn batch(&mut self, _events: &Batch<'_>, _races: &mut dyn RaceSink) {}
}
