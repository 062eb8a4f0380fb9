//! The null detector: overhead is always measured against it.
//!
//! It can miss everything and never reports anything.

use crate::specification::device::DeviceRequest;
use crate::{Detector, Specification};
use warpsan_event::{Batch, EventMask};
use warpsan_report::RaceSink;

/// Any trace is enough for it.
pub static SPECIFICATION: Specification = Specification {
    finds_races: false,
    device_request: |_, is_recorded| match is_recorded {
        true => DeviceRequest::Record,
        false => DeviceRequest::LookupOnly,
    },
    replays_ordered_metadata: true,
    ..Specification::on_host("none", |_| Box::new(NoDetector))
};

/// Finds nothing and asks for nothing.
#[derive(Debug, Default)]
pub struct NoDetector;

impl Detector for NoDetector {
    fn interest(&self) -> EventMask {
        EventMask::NONE
    }

    fn batch(&mut self, _events: &Batch<'_>, _races: &mut dyn RaceSink) {}
}
