//! What users get: races, what was not covered, and a summary, as plain data; suppressions; and the renderers.
//!
//! - A [`Race`] has two sides ([`AccessReport`]), the memory where they overlap, a [`RaceKind`], a [`Severity`], and the
//!   sentences that say why it is a race and what would order it. A detector makes it and hands it to a [`RaceSink`].
//! - A race among threads of a process has a [`ThreadRace`] besides: threads, locks and memory. Its seed and launch are
//!   [`Replay::NONE`].
//! - An [`EntryKey`] decides which races are one entry: the kernel and the pair of source lines. A [`RaceKey`] is that with
//!   kind and severity: whoever sees a race again only adds to its count. [`add_to_entries`] makes entries of races.
//! - A [`RaceGroup`] is entries of one cause, which follow from the list of races alone ([`Report::groups`]).
//! - [`NotCovered`] is what was not checked, and why. A [`Report`] has the races, these, and a [`Summary`]; its
//!   [`Verdict`] follows from them alone, and the exit code from the verdict.
//! - [`Suppressions`] take races out of a report before it is rendered, and note in the summary what each has done.
//! - A renderer turns a report into text, JSON, SARIF, JUnit or GitHub's commands. What several of them say is in
//!   `messages`.
//!
//! The way of a launch's races: detector ▶ `RaceSink` (the journal of `runtime`) ▶ report file, as JSON ▶ the command, which
//! merges the processes into one `Report` ▶ [`Report::sort`] ▶ [`Suppressions::apply`] ▶ [`Report::hide_library_code`] ▶
//! a renderer.
//!
//! Invariants:
//! - Nothing that was not checked is called clean: a report with a `NotCovered` and no race that counts is
//!   [`Verdict::NotCovered`].
//! - The order of processes and threads does not show: the same races give the same bytes.
//! - Renderers decide nothing. What the text form says, the JSON form has as data, and [`SCHEMA_VERSION`] changes when
//!   a field of it does.

mod access;
mod entries;
mod github;
mod groups;
mod json;
mod junit;
mod key;
mod kind;
mod library_code;
mod messages;
mod named;
mod race;
mod report;
mod sarif;
mod sink;
mod summary;
mod suppressions;
mod text;
mod threads;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod snapshots;

pub use access::{AccessOrigin, AccessReport, AccessType};
pub use entries::{AlsoSeen, add_to_entries};
pub use github::render_github;
pub use groups::RaceGroup;
pub use json::{render_json, render_json_list};
pub use junit::render_junit;
pub use key::{EntryKey, RaceKey};
pub use kind::RaceKind;
pub use named::{NamedReport, Outcome};
pub use race::{
    AccessOrder, AllocationReport, ElementReport, MemoryLocation, Race, RelatedSite, Replay,
    Severity, Treatment,
};
pub use report::{Limitation, NotCovered, Report, SCHEMA_VERSION, SuppressedRace, Verdict};
pub use sarif::render_sarif;
pub use sink::RaceSink;
pub use summary::{Statistic, Summary, SuppressionUse, UnreadableSource, unused_in_all};
pub use suppressions::{SuppressionError, Suppressions, WrongSuppression};
pub use text::{render_text, render_unused_suppressions};
pub use threads::{
    LockReport, ThreadMemory, ThreadRace, ThreadReport, ThreadSide, ThreadStatistic, ThreadSummary,
};

/// A report cannot be put into its form.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// As JSON or SARIF.
    #[error("cannot write the report as JSON")]
    Json(#[from] serde_json::Error),
    /// As JUnit.
    #[error("cannot write the report as XML")]
    Xml(#[from] quick_junit::SerializeError),
}
