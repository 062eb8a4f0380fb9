//! The journal of a process: what detectors and sessions report becomes records, each thing once. They go to the log of
//! the run at once, or stay in memory for a session inside of the command itself.

mod refusal;

pub use refusal::Refusal;

use crate::record::{Gathered, ProcessReport, Record};
use crate::recording::Recording;
use crate::report_log::SessionLog;
use std::collections::HashMap;
use warpsan_detect::{Detector, Statistic as Counted};
use warpsan_event::KernelFacts;
use warpsan_report::{NotCovered, Race, RaceKey, RaceSink, Statistic};

/// Where records go.
#[derive(Debug)]
enum Destination {
    /// To the log of the run, at once.
    Log(SessionLog),
    /// To memory, for a session inside of the command itself.
    Memory(Box<Gathered>),
}

/// How often a race was seen.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// As the records say that were written.
    written: u64,
    /// Since the last of them.
    unwritten: u64,
}

/// Takes what is found and writes it down, each thing once.
#[derive(Debug)]
pub(crate) struct Journal {
    destination: Destination,
    races: HashMap<RaceKey, usize>,
    /// How often each race was seen, by its number.
    seen: Vec<Seen>,
    not_covered: Vec<NotCovered>,
    /// Takes what is written, too.
    pub(crate) recording: Option<Recording>,
}

impl Journal {
    pub(crate) fn to_log(log: SessionLog) -> Journal {
        Self::new(Destination::Log(log))
    }

    pub(crate) fn to_memory() -> Journal {
        Self::new(Destination::Memory(Box::default()))
    }

    fn new(destination: Destination) -> Journal {
        Journal {
            destination,
            races: HashMap::new(),
            seen: Vec::new(),
            not_covered: Vec::new(),
            recording: None,
        }
    }

    pub(crate) fn write(&mut self, record: Record) {
        if matches!(record, Record::LaunchEnd { .. } | Record::End) {
            self.write_counts();
        }
        if let Some(recording) = &self.recording {
            recording.remark(&record);
        }
        self.keep(record);
    }

    fn keep(&mut self, record: Record) {
        match &mut self.destination {
            // What is lost is counted by the log, so that nobody takes the run for clean.
            Destination::Log(log) => {
                if let Err(error) = log.append(&record) {
                    tracing::error!("a part of the report is lost: {error}");
                }
            }
            Destination::Memory(gathered) => gathered.add(record),
        }
    }

    pub(crate) fn not_covered(&mut self, missing: NotCovered) {
        if self.is_new(&missing) {
            self.write(Record::NotCovered(missing));
        }
    }

    /// Names something that warpsan does not do, so that an error can say so to the program.
    pub(crate) fn refuse(&mut self, missing: NotCovered) -> Refusal {
        let refusal = Refusal::named(format!("{}: {}", missing.place, missing.what));
        self.not_covered(missing);
        refusal
    }

    /// The same of a function of the driver.
    pub(crate) fn refuse_driver_function(&mut self, missing: NotCovered) -> Refusal {
        let refusal = Refusal::named(missing.what.clone());
        self.unsupported_driver_function(missing);
        refusal
    }

    pub(crate) fn unsupported_driver_function(&mut self, missing: NotCovered) {
        if self.is_new(&missing) {
            self.write(Record::UnsupportedDriverFunction(missing));
        }
    }

    /// What the detector does not know about in this kernel.
    pub(crate) fn not_covered_by_detector(&mut self, detector: &dyn Detector, facts: &KernelFacts) {
        let Some(what) = detector.not_covered(facts) else { return };
        let missing = NotCovered {
            what,
            place: format!("kernel `{}`", facts.display_name),
            advice:
                "races in this kernel may be missed, and accesses that are ordered may be reported"
                    .to_string(),
        };
        self.not_checked(missing);
    }

    /// Each thing is reported once.
    fn is_new(&mut self, missing: &NotCovered) -> bool {
        let new = !self.not_covered.contains(missing);
        if new {
            tracing::warn!("not checked: {}, {}", missing.what, missing.place);
            self.not_covered.push(missing.clone());
        }
        new
    }

    /// Writes down what a detector has counted so far.
    pub(crate) fn statistics(&mut self, counted: Vec<Counted>) {
        let statistic = |Counted { name, value }| Statistic { name: name.to_string(), value };
        let statistics = counted.into_iter().map(statistic).collect();
        self.write(Record::Statistics(statistics));
    }

    /// Writes down how often races were seen that were seen again since.
    fn write_counts(&mut self) {
        for race in 0..self.seen.len() {
            self.write_count(race);
        }
    }

    fn write_count(&mut self, race: usize) {
        let Seen { written, unwritten } = &mut self.seen[race];
        let times = std::mem::take(unwritten);
        *written = written.saturating_add(times);
        if times > 0 {
            self.write(Record::SeenAgain { race, times });
        }
    }

    /// The report of a session in memory.
    pub(crate) fn into_report(mut self) -> ProcessReport {
        self.write_counts();
        match self.destination {
            Destination::Memory(gathered) => gathered.into_report(),
            Destination::Log(_) => ProcessReport::default(),
        }
    }
}

impl Journal {
    /// Takes what the engine found itself. No detector finds it in a trace, so that it is recorded.
    pub(crate) fn found_by_engine(&mut self, race: Race) {
        if let Some(recording) = &self.recording {
            recording.finding(&race);
        }
        self.race(race);
    }
}

impl RaceSink for Journal {
    fn race(&mut self, race: Race) {
        let key = race.key();
        if self.races.contains_key(&key) {
            self.seen_again(&key, race.count);
        } else {
            self.races.insert(key, self.races.len());
            self.seen.push(Seen { written: race.count, unwritten: 0 });
            self.write(Record::Race(Box::new(race)));
        }
    }

    fn seen_again(&mut self, key: &RaceKey, times: u64) {
        let Some(&race) = self.races.get(key) else { return };
        let seen = &mut self.seen[race];
        seen.unwritten = seen.unwritten.saturating_add(times);
        // Few records add up to a large number: each at least doubles what was written before.
        if seen.unwritten >= seen.written {
            self.write_count(race);
        }
    }

    /// Another detector may have checked it: it is not recorded.
    fn not_checked(&mut self, missing: NotCovered) {
        if self.is_new(&missing) {
            self.keep(Record::NotCovered(missing));
        }
    }
}

#[cfg(test)]
mod tests;
