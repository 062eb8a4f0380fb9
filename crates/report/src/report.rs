//! A report as plain data: the races, what was not covered, the summary, and the verdict that follows from them.

use crate::groups::groups;
use crate::{Race, RaceGroup, Summary, add_to_entries};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The version of the JSON form. Raised when a field changes its meaning or goes away; not when one is
/// added, which readers have to pass over. `schema/report-3.json` says what a report of this version
/// has.
pub const SCHEMA_VERSION: u32 = 3;

/// Everything that a run has to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The version of the JSON form.
    pub schema: u32,
    /// The races, worst first, then by place.
    pub races: Vec<Race>,
    /// Races that a suppression asked not to report.
    pub suppressed: Vec<SuppressedRace>,
    /// Races within the toolkit's own headers, where they are not to be reported.
    #[serde(default)]
    pub library: Vec<Race>,
    /// What could not be checked.
    pub not_covered: Vec<NotCovered>,
    /// What the engine checks in no program. It changes no verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limitations: Vec<Limitation>,
    /// What was done.
    pub summary: Summary,
    /// The file or program that it is about, where the reader may want to know. It is no part of the
    /// JSON form.
    #[serde(skip)]
    pub name: Option<String>,
    /// The command that shows the races of a seed again. It is no part of the JSON form: a trace
    /// that is replayed gives the same report by another command.
    #[serde(skip)]
    pub replay_commands: BTreeMap<u64, String>,
    /// The command that ran the program, for races among threads, which have no seed. It is no part of the JSON form.
    #[serde(skip)]
    pub thread_command: Option<String>,
}

/// A race that is not reported, as was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuppressedRace {
    /// The file and line of the first suppression that fits.
    pub suppression: String,
    /// The race.
    pub race: Race,
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

/// Something that the engine checks in no program. It is stated and changes no verdict, since a program cannot help it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Limitation {
    /// What it is.
    pub what: String,
    /// What the reader can do about it.
    pub advice: String,
}

/// What a report amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing found, and everything was checked that the engine checks.
    Clean,
    /// Races.
    Races,
    /// Nothing found, but not everything was checked.
    NotCovered,
}

impl Report {
    /// An empty report.
    pub fn new(summary: Summary) -> Report {
        Report {
            schema: SCHEMA_VERSION,
            races: Vec::new(),
            suppressed: Vec::new(),
            library: Vec::new(),
            not_covered: Vec::new(),
            limitations: Vec::new(),
            summary,
            name: None,
            replay_commands: BTreeMap::new(),
            thread_command: None,
        }
    }

    /// What it amounts to; `strict` counts warnings as errors.
    pub fn verdict(&self, strict: bool) -> Verdict {
        if self.races.iter().any(|race| race.severity.counts(strict)) {
            Verdict::Races
        } else if !self.not_covered.is_empty() {
            Verdict::NotCovered
        } else {
            Verdict::Clean
        }
    }

    /// Adds the races of one process to those there are. A pair of lines is one entry, under however many kinds it
    /// was seen.
    pub fn add_races(&mut self, races: impl IntoIterator<Item = Race>) {
        add_to_entries(&mut self.races, races);
    }

    /// The reported races by their causes.
    pub fn groups(&self) -> Vec<RaceGroup<'_>> {
        groups(&self.races)
    }

    /// The command that shows a race again: that of its own seed, which need not be the run's.
    pub fn replay_command(&self, race: &Race) -> Option<&str> {
        if race.threads.is_some() {
            return self.thread_command.as_deref();
        }
        self.replay_commands.get(&race.replay.seed).map(String::as_str)
    }

    /// Every race that was found, also those that are not reported.
    pub fn all_races(&self) -> impl Iterator<Item = &Race> {
        let suppressed = self.suppressed.iter().map(|suppressed| &suppressed.race);
        self.races.iter().chain(suppressed).chain(&self.library)
    }

    /// Every race that was found, also those that are not reported, to add to them.
    pub fn all_races_mut(&mut self) -> impl Iterator<Item = &mut Race> {
        let suppressed = self.suppressed.iter_mut().map(|suppressed| &mut suppressed.race);
        self.races.iter_mut().chain(suppressed).chain(&mut self.library)
    }

    /// Takes the races within the toolkit's own headers out of those that are reported. They change no verdict: who
    /// reads the report can do nothing about them.
    pub fn hide_library_code(&mut self) {
        let (library, races) =
            std::mem::take(&mut self.races).into_iter().partition(Race::is_library_code);
        self.races = races;
        self.library.extend::<Vec<Race>>(library);
    }

    /// Puts everything into its final form and order, when all races are there.
    pub fn sort(&mut self) {
        self.races.sort_by_cached_key(|race| (Reverse(race.severity), race.key()));
        self.not_covered.sort();
        self.not_covered.dedup();
        self.limitations.sort();
        self.limitations.dedup();
        self.summary.sort();
    }
}
