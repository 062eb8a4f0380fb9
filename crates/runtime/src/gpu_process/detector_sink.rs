//! The sink for what kernels on the GPU ship: a detector of the host, and a trace.

use super::SharedJournal;
use super::ordering::ShippedOrder;
use crate::Options;
use crate::emission::emit_order;
use crate::recording::{RecordedDetector, Recording, TraceSchedule};
use std::sync::{Arc, Mutex, PoisonError};
use warpsan_detect::Detector;
use warpsan_detect::none::NoDetector;
use warpsan_event::trace::TraceHeader;
use warpsan_event::{Batch, Event, EventBuffer, EventMask, EventSink};
use warpsan_gpu::SharedSink;
use warpsan_model::DeviceAddress;
use warpsan_report::NotCovered;

/// Hands events to the detector, and what it finds to the report.
struct DetectorSink {
    detector: Box<dyn Detector>,
    journal: SharedJournal,
    order: Arc<ShippedOrder>,
}

impl EventSink for DetectorSink {
    fn interest(&self) -> EventMask {
        self.detector.interest()
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        let mut journal = self.journal.lock();
        for event in batch.events() {
            // Each launch has batches of its own, so that nothing in this one comes before its beginning.
            if let Event::LaunchBegin { launch, facts, .. } = event {
                let position = self.order.take_position(launch);
                emit_order(&mut *self.detector, &mut journal, launch, &position);
                journal.not_covered_by_detector(&*self.detector, facts);
            }
        }
        self.detector.batch(batch, &mut *journal);
    }
}

/// The sink of a process: the detector of the options, or none where the device itself detects and only a trace is
/// wanted.
pub(super) fn sink(
    options: &Options,
    journal: &SharedJournal,
    device_detects: bool,
    order: Arc<ShippedOrder>,
) -> SharedSink {
    let mut detector: Box<dyn Detector> = match device_detects {
        true => Box::new(NoDetector),
        false => options.detector(),
    };
    if let Some(folder) = &options.record_trace {
        let schedule = match device_detects {
            true => TraceSchedule::OrderedOnGpu,
            false => TraceSchedule::Gpu,
        };
        let header = TraceHeader {
            seed: options.seed,
            schedule: schedule.to_string(),
            command: folder.command.clone(),
        };
        match Recording::create_in(&folder.path, &header) {
            Ok(recording) => {
                journal.lock().recording = Some(recording.clone());
                detector = Box::new(RecordedDetector { detector, recording });
            }
            Err(error) => journal.lock().not_covered(NotCovered {
                what: format!("the trace of a process could not be written: {error}"),
                place: folder.path.display().to_string(),
                advice: "the process itself was checked".to_string(),
            }),
        }
    }
    let sink: Box<dyn EventSink + Send> =
        Box::new(DetectorSink { detector, journal: journal.clone(), order });
    Arc::new(Mutex::new(sink))
}

/// Emits that the program has got memory.
pub(super) fn emit_allocation(sink: &SharedSink, address: u64, bytes: u64, label: &str) {
    let mut buffer = EventBuffer::new();
    buffer.push(Event::Allocation { address: DeviceAddress(address), bytes, label });
    sink.lock().unwrap_or_else(PoisonError::into_inner).buffer(&mut buffer);
}

/// Emits that it has given memory back.
pub(super) fn emit_free(sink: &SharedSink, address: u64) {
    let mut buffer = EventBuffer::new();
    buffer.push(Event::Free { address: DeviceAddress(address) });
    sink.lock().unwrap_or_else(PoisonError::into_inner).buffer(&mut buffer);
}

#[cfg(test)]
mod tests;
