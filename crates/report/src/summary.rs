//! What a report says about the run as a whole.

use crate::ThreadSummary;
use serde::{Deserialize, Serialize};

/// Counts of what was checked. No times and no process numbers: the same run prints the same text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The detector.
    pub detector: String,
    /// It is one that never finds races, so that nothing was checked.
    #[serde(skip)]
    pub without_detection: bool,
    /// Kernels ran on private copies, so that their races did no harm.
    #[serde(skip)]
    pub was_safe: bool,
    /// The engine.
    pub engine: String,
    /// The seed of the schedule; the first one if there are several.
    pub seed: u64,
    /// All seeds, where several were explored; else empty.
    pub seeds: Vec<u64>,
    /// Processes that did CUDA work.
    pub processes: u64,
    /// Processes among them that did not say that they end: a signal, `_exit` or `exec`.
    #[serde(default)]
    pub unended_processes: u64,
    /// Kernel launches that were checked.
    pub launches: u64,
    /// Kernel launches that were not, because the user asked for others only.
    #[serde(default)]
    pub unwatched_launches: u64,
    /// Different kernels among them, by name.
    pub kernels: Vec<String>,
    /// Accesses by threads to shared and global memory.
    pub accesses: u64,
    /// Launches of code without line information.
    pub without_line_information: Vec<String>,
    /// Source files whose lines are not shown.
    pub unreadable_sources: Vec<UnreadableSource>,
    /// The suppressions that were given, and what each has done.
    pub suppressions: Vec<SuppressionUse>,
    /// How often each rule of the detector was applied, where that was asked for.
    pub statistics: Vec<Statistic>,
    /// How the program itself ended, where that is worth saying.
    pub program: Option<String>,
    /// What was done with threads; none where no process was checked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<ThreadSummary>,
}

/// A source file whose lines are not shown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnreadableSource {
    /// The file as the line information names it.
    pub file: String,
    /// Why not.
    pub reason: String,
}

/// What a suppression has done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuppressionUse {
    /// The file that it stands in.
    pub file: String,
    /// Its line there.
    pub line: u32,
    /// What the line says.
    pub text: String,
    /// Races that it fits.
    pub races: u64,
    /// How often they were seen.
    pub count: u64,
}

/// How often something happened in the detector.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistic {
    /// What happened.
    pub name: String,
    /// How often, or how much.
    pub value: u64,
}

impl Summary {
    /// The suppressions that fit no race.
    pub fn unused_suppressions(&self) -> impl Iterator<Item = &SuppressionUse> {
        self.suppressions.iter().filter(|suppression| suppression.races == 0)
    }

    /// Puts everything into its final order.
    pub(crate) fn sort(&mut self) {
        self.kernels.sort();
        self.kernels.dedup();
        self.without_line_information.sort();
        self.without_line_information.dedup();
        self.unreadable_sources.sort();
        self.unreadable_sources.dedup();
        self.seeds.sort_unstable();
        self.seeds.dedup();
    }
}

/// The suppressions that fit no race of any of several reports.
pub fn unused_in_all<'a>(
    summaries: impl IntoIterator<Item = &'a Summary>,
) -> Vec<&'a SuppressionUse> {
    let mut summaries = summaries.into_iter();
    let Some(first) = summaries.next() else { return Vec::new() };
    let mut unused: Vec<&SuppressionUse> = first.unused_suppressions().collect();
    for summary in summaries {
        let is_unused = |one: &&SuppressionUse| {
            summary
                .unused_suppressions()
                .any(|other| (&one.file, one.line) == (&other.file, other.line))
        };
        unused.retain(is_unused);
    }
    unused
}
