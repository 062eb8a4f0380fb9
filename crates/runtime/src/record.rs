//! The records of a report file, and the report of a process that they add up to.

use crate::statistics::add_statistics;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use warpsan_report::{Limitation, NotCovered, Race, Statistic, add_to_entries};

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
    /// The same, and what it is about is a function of the driver that is not supported.
    UnsupportedDriverFunction(NotCovered),
    /// Something that the engine checks in no program.
    Limitation(Limitation),
    /// A launch begins.
    LaunchBegin {
        /// The kernel as the programmer wrote it.
        kernel: String,
        /// Whether there is line information for it.
        has_line_information: bool,
        /// The detector does not hear of it, because the user asked for others only.
        #[serde(default)]
        unwatched: bool,
    },
    /// The launch has ended.
    LaunchEnd {
        /// Accesses by threads to shared and global memory.
        accesses: u64,
    },
    /// Whether work is queued from now on, which is lost if the process ends without warning.
    WorkWaits(bool),
    /// What the detector counted, where that was asked for.
    Statistics(Vec<Statistic>),
    /// The session has ended in good order.
    End,
}

/// What one process had to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessReport {
    /// The races, in the order in which their lines were found; each pair of lines once.
    pub races: Vec<Race>,
    /// What was not checked.
    pub not_covered: Vec<NotCovered>,
    /// Those of `not_covered` that are functions of the driver.
    pub unsupported_driver_functions: Vec<NotCovered>,
    /// What the engine checks in no program.
    pub limitations: Vec<Limitation>,
    /// Launches that were begun and watched.
    pub launches: u64,
    /// Launches that were not watched, as the user asked.
    pub unwatched_launches: u64,
    /// Their kernels, each once.
    pub kernels: Vec<String>,
    /// Accesses by threads to shared and global memory.
    pub accesses: u64,
    /// Kernels without line information, each once.
    pub without_line_information: Vec<String>,
    /// What the detector counted, where that was asked for.
    pub statistics: Vec<Statistic>,
    /// The session ended in good order.
    pub ended: bool,
}

impl ProcessReport {
    /// Puts records together.
    pub fn from_records(records: impl IntoIterator<Item = Record>) -> ProcessReport {
        let mut gathered = Gathered::default();
        for record in records {
            gathered.add(record);
        }
        gathered.into_report()
    }
}

/// Records on their way to a report. Needs memory for what is different among them, however many
/// there are.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    report: ProcessReport,
    /// As the records have them: those of one pair of lines may have several kinds.
    races: Vec<Race>,
    kernels: HashSet<String>,
    /// The kernel of the launch that has not ended.
    running: Option<String>,
    work_waits: bool,
}

impl Gathered {
    pub(crate) fn add(&mut self, record: Record) {
        let report = &mut self.report;
        match record {
            Record::Race(race) => self.races.push(*race),
            Record::SeenAgain { race, times } => {
                if let Some(race) = self.races.get_mut(race) {
                    race.count = race.count.saturating_add(times);
                }
            }
            Record::NotCovered(missing) => report.not_covered.push(missing),
            Record::UnsupportedDriverFunction(missing) => {
                report.unsupported_driver_functions.push(missing.clone());
                report.not_covered.push(missing);
            }
            Record::Limitation(limitation) => report.limitations.push(limitation),
            Record::LaunchBegin { unwatched: true, .. } => report.unwatched_launches += 1,
            Record::LaunchBegin { kernel, has_line_information, unwatched: false } => {
                report.launches += 1;
                if self.kernels.insert(kernel.clone()) {
                    report.kernels.push(kernel.clone());
                    if !has_line_information {
                        report.without_line_information.push(kernel.clone());
                    }
                }
                self.running = Some(kernel);
            }
            Record::LaunchEnd { accesses } => {
                report.accesses += accesses;
                self.running = None;
            }
            Record::WorkWaits(waits) => self.work_waits = waits,
            Record::Statistics(statistics) => add_statistics(&mut report.statistics, statistics),
            Record::End => report.ended = true,
        }
    }

    pub(crate) fn into_report(self) -> ProcessReport {
        let Gathered { mut report, races, running, work_waits, .. } = self;
        add_to_entries(&mut report.races, races);
        if work_waits {
            report.not_covered.push(NotCovered {
                what: "work that was queued when the process ended without warning".to_string(),
                place: "the end of the process".to_string(),
                advice: "let the program wait for the device before it ends".to_string(),
            });
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
