//! What the paper lets its users choose.

use crate::last_access::{Granularity, NotAChoice, chosen};
use serde::{Deserialize, Serialize};

/// Options of the detector, with the paper's own choices as the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct IguardSettings {
    /// How much memory shares one entry.
    pub granularity: Granularity,
    /// How many accessors an entry remembers.
    pub history: History,
    /// One lane checks for all lanes of an instruction that load from, or atomically update, the same
    /// address.
    pub coalescing: bool,
    /// Who reads, or updates by an atomic of device scope, what several blocks use in the same way already, is
    /// checked, but not noted.
    pub sharing: bool,
}

impl Default for IguardSettings {
    fn default() -> Self {
        IguardSettings {
            granularity: Granularity::default(),
            history: History::default(),
            coalescing: true,
            sharing: true,
        }
    }
}

/// How many accessors an entry remembers, the last one included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct History(u8);

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
