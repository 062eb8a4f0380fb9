//! What the paper lets its users choose, and two things that make a GPU quicker.

use crate::last_access::{Granularity, NotAChoice, chosen};
use crate::specification::settings::{choice_of_numbers, settings};
use serde::{Deserialize, Serialize};

settings! {
    /// Options of the detector, with the paper's own choices as the default.
    pub struct IguardSettings {
        /// Bytes of memory that are one location: 1, 2, 4, 8 or 16. On a GPU all but 4 make checks slower, and fewer take more
        /// memory: 24 bytes for each location
        pub granularity: Granularity = Granularity::default(), "BYTES";

        /// Threads that are remembered for each location: the last 1, 2, 4 or 8. On a GPU more than 1 make checks slower, and
        /// take 40, 64 or 112 bytes for each location
        pub history: History = History::default(), "THREADS";

        /// Whether one lane checks for all that load from, or atomically update, one address
        pub coalescing: bool = true, "SWITCH";

        /// Whether what several blocks read, or update by atomics, is left as it is when another one does the same
        pub sharing: bool = true, "SWITCH";

        /// Whether threads that want the same metadata on the GPU wait longer and longer
        pub backoff: bool = true, "SWITCH", speed_only;
    }
}

/// How many accessors an entry remembers, the last one included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct History(u8);

choice_of_numbers!(History);

impl History {
    /// The numbers of accessors to choose from.
    pub const CHOICES: [u8; 4] = [1, 2, 4, 8];

    /// The accessors besides the last one.
    pub(super) fn older(self) -> usize {
        usize::from(self.0) - 1
    }
}

impl Default for History {
    fn default() -> Self {
        History(1)
    }
}

impl TryFrom<u8> for History {
    type Error = NotAChoice;

    fn try_from(accessors: u8) -> Result<Self, NotAChoice> {
        chosen(accessors, &History::CHOICES).map(History)
    }
}

impl From<History> for u8 {
    fn from(history: History) -> u8 {
        history.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_choices_of_the_paper_are_taken() {
        for accessors in 0..=255 {
            assert_eq!(History::try_from(accessors).is_ok(), [1, 2, 4, 8].contains(&accessors));
        }
        let default = IguardSettings::default();
        assert_eq!((default.granularity.bytes(), default.history.older()), (4, 0));
        assert!(default.coalescing && default.sharing);
    }
}
