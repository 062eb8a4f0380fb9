//! What warpsan tells people: races, what was not covered, and a summary, as plain data; and the
//! renderers, which compute nothing.

mod json;
mod race;
mod report;
mod text;

pub use json::render_json;
pub use race::{
    AccessReport, AccessType, AllocationReport, MemoryLocation, Race, RaceKey, RaceKind, RaceSink,
    RelatedSite, Replay, Severity, Treatment,
};
pub use report::{NotCovered, Report, Summary, Verdict};
pub use text::render_text;
