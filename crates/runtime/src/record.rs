use serde::{Deserialize, Serialize};
use warpsan_report::{NotCovered, Race};

/// One thing that a session has to say. Records are written as they happen, so that what was found
/// is there after any end of the process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Record {
    /// A race, the first time it is seen.
    Race(Box<Race>),
    /// The race with this number, counted from 0 in the file, was seen again.
    SeenAgain {
        /// Which.
        race: usize,
        /// How often.
        times: u64,
    },
    /// Something is not checked.
    NotCovered(NotCovered),
    /// A launch begins.
    LaunchBegin {
        /// The kernel as the programmer wrote it.
        kernel: String,
        /// Whether there is line information for it.
        has_line_information: bool,
    },
    /// The launch has ended.
    LaunchEnd {
        /// Accesses by threads to shared and global memory.
        accesses: u64,
    },
    /// The session has ended in good order.
    End,
}

/// What one process had to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessReport {
    /// The races, in the order in which they were found.
    pub races: Vec<Race>,
    /// What was not checked.
    pub not_covered: Vec<NotCovered>,
    /// Launches that were begun.
    pub launches: u64,
    /// Their kernels.
    pub kernels: Vec<String>,
    /// Accesses by threads to shared and global memory.
    pub accesses: u64,
    /// Kernels without line information.
    pub without_line_information: Vec<String>,
    /// The session ended in good order.
    pub ended: bool,
}

impl ProcessReport {
    /// Puts records together.
    pub fn from_records(records: impl IntoIterator<Item = Record>) -> ProcessReport {
        let mut report = ProcessReport::default();
        let mut running: Option<String> = None;
        for record in records {
            match record {
                Record::Race(race) => report.races.push(*race),
                Record::SeenAgain { race, times } => {
                    if let Some(race) = report.races.get_mut(race) {
                        race.count += times;
                    }
                }
                Record::NotCovered(missing) => report.not_covered.push(missing),
                Record::LaunchBegin { kernel, has_line_information } => {
                    report.launches += 1;
                    if !has_line_information {
                        report.without_line_information.push(kernel.clone());
                    }
                    report.kernels.push(kernel.clone());
                    running = Some(kernel);
                }
                Record::LaunchEnd { accesses } => {
                    report.accesses += accesses;
                    running = None;
                }
                Record::End => report.ended = true,
            }
        }
        if let Some(kernel) = running {
            report.not_covered.push(NotCovered {
                what: "a launch that the end of the process cut off".to_string(),
                place: format!("kernel `{kernel}`"),
                advice: "races up to that point are reported".to_string(),
            });
        }
        report
    }
}
