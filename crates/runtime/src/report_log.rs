//! What processes write to the log of a run: framed records, appended one by one.
//!
//! A frame is the payload's length and checksum, four bytes each, then the payload, which is JSON. A process that is
//! killed leaves whole frames and at most one that is cut off.

pub use crate::record::ProcessReport;
use crate::record::Record;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use warpsan_evidence::{Evidence, Lost, Stream, StreamKind, frame, read_frames};
use warpsan_report::NotCovered;

/// What is known of the processes of a run, whether they do CUDA work or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcessNote {
    /// The run begins.
    Run {
        /// How to check, as JSON.
        options: String,
        /// The command that does the same again.
        command: String,
    },
    /// A program is about to be started.
    Starts {
        /// The number of this announcement.
        start: u64,
        /// The program as it was named.
        program: String,
    },
    /// It could not be started.
    NotStarted {
        /// The announcement.
        start: u64,
    },
    /// Our library is in a process, before any instruction of the program.
    Entered {
        /// The announcement; 0 if there was none.
        start: u64,
        /// The process.
        process: u32,
        /// The number of the stream that says so: later ones have higher numbers.
        stream: u64,
    },
}

/// A stream that frames are appended to.
#[derive(Debug)]
pub(crate) struct Frames<'a, T> {
    stream: Stream<'a>,
    payload: PhantomData<fn(&T)>,
}

/// Where a session writes its records.
pub(crate) type SessionLog = Frames<'static, Record>;
/// Where notes on processes are written.
pub(crate) type ProcessNotes<'a> = Frames<'a, ProcessNote>;

impl<'a, T: Serialize> Frames<'a, T> {
    pub(crate) fn new(stream: Stream<'a>) -> Frames<'a, T> {
        Frames { stream, payload: PhantomData }
    }

    pub(crate) fn append(&mut self, record: &T) -> Result<(), Lost> {
        // Numbers, texts and lists of them always become JSON.
        let payload = serde_json::to_vec(record).unwrap_or_default();
        let Some(frame) = frame(&payload) else { return Err(self.stream.lose()) };
        self.stream.append(&frame)
    }
}

/// The reports of all sessions of a run, in the order in which they began.
pub fn process_reports(evidence: &Evidence) -> Vec<ProcessReport> {
    let report = |bytes: &[u8]| {
        let (records, whole) = frames(bytes);
        let mut report = ProcessReport::from_records(records);
        if !whole {
            report.not_covered.push(NotCovered {
                what: "the end of a process's report, which is cut off or damaged".to_string(),
                place: "a process of the program".to_string(),
                advice: "see whether the process was killed, and run it again".to_string(),
            });
        }
        report
    };
    evidence.of(StreamKind::Session).map(report).collect()
}

/// All that is known of the processes of a run.
pub fn process_notes(evidence: &Evidence) -> Vec<ProcessNote> {
    evidence.of(StreamKind::Process).flat_map(|bytes| frames(bytes).0).collect()
}

/// The whole records at the start of a stream, and whether that was all.
fn frames<T: DeserializeOwned>(bytes: &[u8]) -> (Vec<T>, bool) {
    read_frames(bytes, |payload| serde_json::from_slice(payload).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_evidence::LogKeeper;

    fn evidence(sessions: &[&[Record]]) -> Evidence {
        let keeper = LogKeeper::in_memory().unwrap();
        for records in sessions {
            let mut log = Frames::new(keeper.log().stream(StreamKind::Session));
            for record in *records {
                log.append(record).unwrap();
            }
        }
        keeper.evidence()
    }

    fn begin() -> Record {
        Record::LaunchBegin { kernel: "k".into(), has_line_information: true, unwatched: false }
    }

    #[test]
    fn each_stream_is_a_session_and_counts_add_up() {
        let whole = [begin(), Record::LaunchEnd { accesses: 7 }, Record::End];
        let reports = process_reports(&evidence(&[&whole, &[begin()]]));
        assert_eq!(reports.len(), 2);
        assert_eq!((reports[0].launches, reports[0].accesses, reports[0].ended), (1, 7, true));
        assert!(reports[0].not_covered.is_empty());
        assert!(!reports[1].ended);
        assert_eq!(reports[1].not_covered[0].place, "kernel `k`", "a launch that was cut off");
    }

    #[test]
    fn a_stream_cut_off_anywhere_keeps_its_whole_frames() {
        let evidence = evidence(&[&[begin(), Record::LaunchEnd { accesses: 7 }, Record::End]]);
        let whole = &evidence.streams[0].1;
        let frames = |bytes: &[u8]| frames::<Record>(bytes);
        let mut counts: Vec<usize> =
            (0..=whole.len()).map(|length| frames(&whole[..length]).0.len()).collect();
        assert!(counts.is_sorted());
        counts.dedup();
        assert_eq!(counts, [0, 1, 2, 3]);
        let mut damaged = whole.clone();
        // The first byte behind the length and the checksum.
        damaged[8] ^= 1;
        assert_eq!(frames(&damaged), (Vec::new(), false));
        assert!(frames(whole).1);
    }
}
