//! What users can choose.

use crate::specification::settings::{
    SettingValue, Values, WrongValue, number_from, number_or_default, settings, words,
};
use serde::{Deserialize, Serialize};

settings! {
    /// Options of the detector.
    pub struct LdSettings {
        /// Private copies of what a kernel writes; with fewer than there are warps, groups of warps share one, in several rounds [default: one for each]
        pub copies: Copies = Copies::default(), "NUMBER";

        /// Megabytes for private copies; as many are used as fit [default: no limit on the CPU engine, half of what is free on a GPU]
        pub memory: MemoryLimit = MemoryLimit::default(), "MIB";

        /// What comes after a race
        pub after_race: AfterRace = AfterRace::Stop, "WHAT";

        /// Whether lanes of one instruction are checked that write to one place
        pub lanes: bool = true, "STATE";

        /// Whether the time of each part of a launch on a GPU is measured, which --stats prints; launches are waited for
        pub times: bool = false, "STATE";
    }
}

/// What happens to the rest of a launch after a race.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AfterRace {
    /// It is not checked, as in the paper: no second pass after a write-write race, no warps after blocks.
    #[default]
    Stop,
    /// It is checked all the same.
    GoOn,
}

words! {
    AfterRace {
        Stop = "stop": "The rest of the launch is run without checks, as in the paper",
        GoOn = "go-on": "It is checked to its end",
    }
}

/// How many private copies there are at most; one for each warp or block unless that is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copies(pub Option<u32>);

/// Megabytes for private copies, if users chose them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryLimit(pub Option<u32>);

impl MemoryLimit {
    /// The bytes, if users chose them.
    pub fn bytes(self) -> Option<u64> {
        self.0.map(|megabytes| u64::from(megabytes) << 20)
    }
}

// One copy alone has nothing to be compared with.
number_or_default!(Copies, 2);
number_or_default!(MemoryLimit, 1);
