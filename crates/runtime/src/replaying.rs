//! From a trace file to any detector.

use crate::journal::Journal;
use crate::record::{ProcessReport, Record};
use crate::recording::TraceSchedule;
use crate::{Options, SessionError};
use std::io::Read;
use warpsan_event::trace::{TraceReader, TraceStep};
use warpsan_event::{Event, EventBuffer};
use warpsan_report::{NotCovered, RaceSink};

/// Runs a detector over a trace. Of the options, those count that are about the detector; the seed is
/// that of the trace. A trace that cannot be read to its end is named in the report as not
/// covered from there on.
pub fn replay<R: Read>(
    trace: &mut TraceReader<R>,
    options: &Options,
) -> Result<ProcessReport, SessionError> {
    let seed = trace.header().seed;
    let options = Options { seed, ..options.clone() };
    let mut detector = options.detector();
    let mut journal = Journal::to_memory();
    let is_for_iguard = TraceSchedule::of_header(trace.header()) == TraceSchedule::OrderedOnGpu;
    if is_for_iguard && !options.detector.replays_ordered_metadata {
        journal.not_covered(NotCovered {
            what: "a trace that was recorded for the detector iguard: it has no accesses of shared memory"
                .to_string(),
            place: "the trace".to_string(),
            advice: "record it with the detector that is to be asked".to_string(),
        });
    }
    let mut buffer = EventBuffer::new();
    let mut session_ended = false;
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
                Ok(Record::UnsupportedDriverFunction(missing)) => {
                    journal.unsupported_driver_function(missing);
                }
                Ok(Record::Race(race)) => journal.race(*race),
                Ok(record) => {
                    session_ended |= matches!(record, Record::End);
                    journal.write(record);
                }
                Err(error) => journal.not_covered(NotCovered {
                    what: format!("a remark in the trace cannot be read: {error}"),
                    place: "the trace".to_string(),
                    advice: "use the warpsan that made the trace".to_string(),
                }),
            },
            Ok(TraceStep::End) => {
                if !session_ended {
                    journal.not_covered(NotCovered {
                        what: "what came at the end of the trace: the remark that ends every recording is missing"
                            .to_string(),
                        place: "the trace".to_string(),
                        advice: "record it again".to_string(),
                    });
                }
                break;
            }
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
        journal.statistics(detector.statistics());
    }
    Ok(journal.into_report())
}

#[cfg(test)]
mod tests;
