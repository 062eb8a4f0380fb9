//! What warpsan tells people: races, what was not covered, and a summary, as plain data; suppressions;
//! and the renderers, which compute nothing.

mod github;
mod json;
mod junit;
mod key;
mod kind;
mod named;
mod race;
mod report;
mod sarif;
mod summary;
mod suppressions;
mod text;
mod words;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod snapshots;

pub use github::render_github;
pub use json::{render_json, render_json_list};
pub use junit::render_junit;
pub use key::RaceKey;
pub use kind::RaceKind;
pub use named::{NamedReport, Outcome};
pub use race::{
    AccessReport, AccessType, AllocationReport, ElementReport, MemoryLocation, Race, RaceSink,
    RelatedSite, Replay, Severity, Treatment,
};
pub use report::{Limitation, NotCovered, Report, SCHEMA_VERSION, SuppressedRace, Verdict};
pub use sarif::render_sarif;
pub use summary::{Statistic, Summary, SuppressionUse, UnreadableSource, unused_in_all};
pub use suppressions::{SuppressionError, Suppressions};
pub use text::{render_text, render_unused_suppressions};

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
