use crate::{Race, RaceKey, Severity};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the JSON form. Raised when a field changes its meaning or goes away.
const SCHEMA: u32 = 1;

/// Everything that a run has to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The version of the JSON form.
    pub schema: u32,
    /// The races, worst first, then by place.
    pub races: Vec<Race>,
    /// What could not be checked.
    pub not_covered: Vec<NotCovered>,
    /// What was done.
    pub summary: Summary,
}

/// Something that was not checked, so that "no race" does not speak of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NotCovered {
    /// What it is.
    pub what: String,
    /// Where: a kernel with its line, or an API call.
    #[serde(rename = "where")]
    pub place: String,
    /// What the reader can do about it.
    pub advice: String,
}

/// Counts of what was checked. No times and no process numbers: the same run prints the same text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The detector.
    pub detector: String,
    /// The engine.
    pub engine: String,
    /// The seed of the schedule.
    pub seed: u64,
    /// Processes that did CUDA work.
    pub processes: u64,
    /// Kernel launches.
    pub launches: u64,
    /// Different kernels among them, by name.
    pub kernels: Vec<String>,
    /// Accesses by threads to shared and global memory.
    pub accesses: u64,
    /// Launches of code without line information.
    pub without_line_information: Vec<String>,
    /// How the program itself ended, where that is worth saying.
    pub program: Option<String>,
}

/// What a report amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing found, and everything was checked.
    Clean,
    /// Races.
    Races,
    /// Nothing found, but not everything was checked.
    NotCovered,
}

impl Report {
    /// An empty report.
    pub fn new(summary: Summary) -> Report {
        Report { schema: SCHEMA, races: Vec::new(), not_covered: Vec::new(), summary }
    }

    /// What it amounts to; `strict` counts warnings as errors.
    pub fn verdict(&self, strict: bool) -> Verdict {
        let least = if strict { Severity::Warning } else { Severity::Error };
        if self.races.iter().any(|race| race.severity >= least) {
            Verdict::Races
        } else if !self.not_covered.is_empty() {
            Verdict::NotCovered
        } else {
            Verdict::Clean
        }
    }

    /// Adds the races of one process to those there are; the same pair of lines counts as one.
    pub fn add_races(&mut self, races: impl IntoIterator<Item = Race>) {
        let mut known: BTreeMap<RaceKey, usize> =
            self.races.iter().enumerate().map(|(index, race)| (race.key(), index)).collect();
        for race in races {
            match known.get(&race.key()) {
                Some(&index) => self.races[index].count += race.count,
                None => {
                    known.insert(race.key(), self.races.len());
                    self.races.push(race);
                }
            }
        }
    }

    /// Puts everything into its final order.
    pub fn sort(&mut self) {
        self.races.sort_by_cached_key(|race| (std::cmp::Reverse(race.severity), race.key()));
        self.not_covered.sort();
        self.not_covered.dedup();
        self.summary.kernels.sort();
        self.summary.kernels.dedup();
        self.summary.without_line_information.sort();
        self.summary.without_line_information.dedup();
    }
}
