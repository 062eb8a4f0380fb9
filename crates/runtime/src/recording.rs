//! A session's events and records on their way to a trace file, and from there to any detector.

use crate::journal::Journal;
use crate::record::{ProcessReport, Record};
use crate::session::detector_of;
use crate::{Options, SessionError};
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use warpsan_detect::{Detector, Statistic};
use warpsan_event::trace::{TraceHeader, TraceReader, TraceStep, TraceWriter};
use warpsan_event::{Batch, Event, EventBuffer, EventMask, EventSink, KernelFacts};
use warpsan_report::{NotCovered, RaceSink};

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

    /// What belongs to the report besides races and statistics, which a replay finds itself.
    pub(crate) fn remark(&self, record: &Record) {
        match (record, serde_json::to_string(record)) {
            (Record::Race(_) | Record::SeenAgain { .. } | Record::Statistics(_), _) => {}
            (_, Ok(text)) => self.with(|writer| writer.remark(&text)),
            (_, Err(error)) => tracing::error!("cannot write to the trace: {error}"),
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

/// A detector whose events are recorded, all of them, whatever it asks for itself.
pub(crate) struct RecordedDetector {
    pub(crate) detector: Box<dyn Detector>,
    pub(crate) recording: Recording,
}

impl Detector for RecordedDetector {
    fn interest(&self) -> EventMask {
        EventMask::ALL
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

/// The schedule of a trace of operations that a device made one after the other, told as far as `iguard` needs them.
pub(crate) const ORDERED_ON_GPU: &str = "gpu, one operation after the other";

/// Runs a detector over a trace. Of the options, those count that are about the detector; the seed is
/// that of the trace. A trace that cannot be read to its end is named in the report as not
/// covered from there on.
pub fn replay<R: Read>(
    trace: &mut TraceReader<R>,
    options: &Options,
) -> Result<ProcessReport, SessionError> {
    let seed = trace.header().seed;
    let options = Options { seed, ..options.clone() };
    let mut detector = detector_of(&options)?;
    let mut journal = Journal::to_memory();
    let is_for_iguard = trace.header().schedule == ORDERED_ON_GPU;
    if is_for_iguard && !matches!(options.detector.as_str(), "iguard" | "none") {
        journal.not_covered(NotCovered {
            what: "a trace that was recorded for the detector iguard: it has no accesses of shared memory"
                .to_string(),
            place: "the trace".to_string(),
            advice: "record it with the detector that is to be asked".to_string(),
        });
    }
    let mut buffer = EventBuffer::new();
    loop {
        match trace.read(&mut buffer) {
            Ok(TraceStep::Events) => {
                for event in buffer.batch().events() {
                    if let Event::LaunchBegin { facts, .. } = event {
                        journal.not_covered_by_detector(&*detector, facts);
                    }
                }
                detector.batch(&buffer.batch(), &mut journal);
            }
            Ok(TraceStep::Remark(text)) => match serde_json::from_str(&text) {
                Ok(Record::NotCovered(missing)) => journal.not_covered(missing),
                Ok(record) => journal.write(record),
                Err(error) => journal.not_covered(NotCovered {
                    what: format!("a remark in the trace cannot be read: {error}"),
                    place: "the trace".to_string(),
                    advice: "use the warpsan that made the trace".to_string(),
                }),
            },
            Ok(TraceStep::End) => break,
            Err(error) => {
                journal.not_covered(NotCovered {
                    what: error.to_string(),
                    place: "the trace".to_string(),
                    advice: "races up to that point are reported".to_string(),
                });
                break;
            }
        }
    }
    if options.statistics {
        journal.statistics(&*detector);
    }
    Ok(journal.into_report())
}

#[cfg(test)]
mod tests;
