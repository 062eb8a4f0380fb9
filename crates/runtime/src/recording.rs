//! A session's events and records on their way to a trace file.

use crate::record::Record;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use warpsan_detect::{Detector, Statistic};
use warpsan_event::trace::{TraceHeader, TraceWriter};
use warpsan_event::{Batch, EventMask, EventSink, KernelFacts};
use warpsan_report::{Race, RaceSink};

/// More traces of one process number than this in one folder is a mistake.
const MOST_FILES: u32 = 10_000;

/// A trace that is being written. Events come from the detector's place in the session, the rest of
/// the report from the journal.
#[derive(Debug, Clone)]
pub(crate) struct Recording {
    writer: Arc<Mutex<Option<TraceWriter<File>>>>,
}

impl Recording {
    pub(crate) fn create(file: &Path, header: &TraceHeader) -> io::Result<Recording> {
        Self::to_file(File::create(file)?, header)
    }

    /// A new trace of this process, which overwrites no other.
    pub(crate) fn create_in(folder: &Path, header: &TraceHeader) -> io::Result<Recording> {
        let process = std::process::id();
        for number in 0..MOST_FILES {
            let path = folder.join(format!("process-{process}-{number}.trace"));
            match OpenOptions::new().write(true).create_new(true).open(path) {
                Ok(file) => return Self::to_file(file, header),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("too many traces of one process"))
    }

    fn to_file(file: File, header: &TraceHeader) -> io::Result<Recording> {
        let writer = TraceWriter::new(file, header)?;
        Ok(Recording { writer: Arc::new(Mutex::new(Some(writer))) })
    }

    fn with(&self, write: impl FnOnce(&mut TraceWriter<File>)) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = &mut *writer {
            write(writer);
        }
    }

    /// What belongs to the report besides the detector's races and statistics, which a replay finds itself.
    pub(crate) fn remark(&self, record: &Record) {
        match (record, serde_json::to_string(record)) {
            (Record::Race(_) | Record::SeenAgain { .. } | Record::Statistics(_), _) => {}
            (_, Ok(text)) => self.with(|writer| writer.remark(&text)),
            (_, Err(error)) => tracing::error!("cannot write to the trace: {error}"),
        }
    }

    /// What the engine found itself, which a replay does not find.
    pub(crate) fn finding(&self, race: &Race) {
        match serde_json::to_string(&Record::Race(Box::new(race.clone()))) {
            Ok(text) => self.with(|writer| writer.remark(&text)),
            Err(error) => tracing::error!("cannot write to the trace: {error}"),
        }
    }

    /// Writes the end. Nothing is recorded after it.
    pub(crate) fn finish(&self) -> io::Result<()> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        match writer.take() {
            Some(writer) => writer.finish().map(|_| ()),
            None => Ok(()),
        }
    }
}

/// A detector whose events are recorded, all of them, whatever it asks for itself: any detector can be run again from a trace.
pub(crate) struct RecordedDetector {
    pub(crate) detector: Box<dyn Detector>,
    pub(crate) recording: Recording,
}

impl Detector for RecordedDetector {
    fn interest(&self) -> EventMask {
        EventMask::ALL | EventMask::RECONVERGENCE
    }

    fn not_covered(&self, facts: &KernelFacts) -> Option<String> {
        self.detector.not_covered(facts)
    }

    fn batch(&mut self, events: &Batch<'_>, races: &mut dyn RaceSink) {
        self.recording.with(|writer| writer.batch(events));
        self.detector.batch(events, races);
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.detector.statistics()
    }
}

/// Who decided the order of a trace's operations. The header of the trace has it as text, which [`Display`](fmt::Display)
/// writes and [`of_header`](Self::of_header) reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TraceSchedule {
    /// A schedule of the CPU engine, in one line.
    Cpu(String),
    /// The GPU.
    Gpu,
    /// The GPU, one operation after the other, recorded as far as `iguard` needs them.
    OrderedOnGpu,
}

impl TraceSchedule {
    const GPU: &str = "gpu";
    const ORDERED_ON_GPU: &str = "gpu, one operation after the other";

    /// The schedule that a header names.
    pub(crate) fn of_header(header: &TraceHeader) -> TraceSchedule {
        match &*header.schedule {
            Self::GPU => TraceSchedule::Gpu,
            Self::ORDERED_ON_GPU => TraceSchedule::OrderedOnGpu,
            line => TraceSchedule::Cpu(line.to_string()),
        }
    }
}

impl fmt::Display for TraceSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TraceSchedule::Cpu(line) => line,
            TraceSchedule::Gpu => Self::GPU,
            TraceSchedule::OrderedOnGpu => Self::ORDERED_ON_GPU,
        })
    }
}
