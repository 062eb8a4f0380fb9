use serde::{Deserialize, Serialize};

/// Warp instructions that one launch may take: a few minutes of the CPU engine.
const MAX_INSTRUCTIONS: u64 = 4_000_000_000;

/// How a session checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The detector's name.
    pub detector: String,
    /// Determines the schedule of every launch.
    pub seed: u64,
    /// Warp instructions after which a launch is given up.
    pub max_instructions: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { detector: "hb".to_string(), seed: 1, max_instructions: MAX_INSTRUCTIONS }
    }
}
