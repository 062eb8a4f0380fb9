//! Events that no engine makes: what happens outside of kernels, on its way to the detector.

use crate::journal::Journal;
use crate::order::OrderPosition;
use warpsan_detect::Detector;
use warpsan_event::{Event, EventBuffer, EventMask};
use warpsan_model::LaunchId;

/// Hands the detector what happened outside of kernels.
pub(crate) fn emit(detector: &mut dyn Detector, journal: &mut Journal, events: &[Event<'_>]) {
    emit_with(detector, journal, |buffer| {
        for event in events {
            buffer.push(*event);
        }
    });
}

/// Hands the detector the events that are put into a buffer.
pub(crate) fn emit_with(
    detector: &mut dyn Detector,
    journal: &mut Journal,
    fill: impl FnOnce(&mut EventBuffer),
) {
    if detector.interest().contains(EventMask::STRUCTURE) {
        let mut buffer = EventBuffer::new();
        fill(&mut buffer);
        detector.batch(&buffer.batch(), journal);
    }
}

/// Hands the detector what a launch is after, where that is not simply everything.
pub(crate) fn emit_order(
    detector: &mut dyn Detector,
    journal: &mut Journal,
    launch: LaunchId,
    OrderPosition { open, after, after_wait, perhaps_after }: &OrderPosition,
) {
    if !open.is_empty() {
        let order = Event::LaunchOrder { launch, after, after_wait, perhaps_after, open };
        emit(detector, journal, &[order]);
    }
}
