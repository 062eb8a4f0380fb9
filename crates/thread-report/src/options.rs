//! How a process with threads is checked.

use serde::{Deserialize, Serialize};

/// The variable of the environment that has the options, as JSON.
pub const OPTIONS_VARIABLE: &str = "WARPSAN_THREADS";

/// What the command tells a process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Bytes that shadow memory, metadata and records of accesses may take in all.
    pub memory_limit: Option<u64>,
    /// How many recorded accesses a thread keeps, so that the earlier side of a race has a stack.
    pub history: Option<u32>,
    /// The folder to write a trace to.
    pub record_trace: Option<String>,
    /// Races are not reported: the trace is all that is wanted.
    #[serde(default)]
    pub only_records: bool,
}
