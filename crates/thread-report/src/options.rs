//! What the command asks of the library in a checked process.

use serde::{Deserialize, Serialize};

/// The variable of the environment that has the [`Options`], as JSON.
pub const OPTIONS_VARIABLE: &str = "WARPSAN_THREADS";

/// How threads are checked. What is not said is left to the library.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The most memory that the detector may use, in bytes.
    pub memory_limit: Option<u64>,
    /// How many of its last accesses each thread keeps a record of.
    pub history: Option<u32>,
    /// The folder that traces are written to.
    pub record_trace: Option<String>,
}
