//! What the paper lets its users choose.

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

/// A number that the detector cannot work with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{given} is not one of {known:?}")]
pub struct NotAChoice {
    given: u8,
    known: &'static [u8],
}

fn chosen(given: u8, known: &'static [u8]) -> Result<u8, NotAChoice> {
    if known.contains(&given) { Ok(given) } else { Err(NotAChoice { given, known }) }
}

/// How many bytes share one entry: two accesses that touch different bytes of them are taken for accesses to
/// the same location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Granularity(u8);

impl Granularity {
    /// The numbers of bytes to choose from.
    pub const CHOICES: [u8; 5] = [1, 2, 4, 8, 16];

    /// The number of bytes.
    pub fn bytes(self) -> u64 {
        u64::from(self.0)
    }

    /// By how many bits an address is shifted to give the number of its granule.
    pub(super) fn shift(self) -> u32 {
        self.0.trailing_zeros()
    }
}

impl Default for Granularity {
    fn default() -> Self {
        Granularity(4)
    }
}

impl TryFrom<u8> for Granularity {
    type Error = NotAChoice;

    fn try_from(bytes: u8) -> Result<Self, NotAChoice> {
        chosen(bytes, &Granularity::CHOICES).map(Granularity)
    }
}

impl From<Granularity> for u8 {
    fn from(granularity: Granularity) -> u8 {
        granularity.0
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
        for bytes in 0..=255 {
            assert_eq!(Granularity::try_from(bytes).is_ok(), [1, 2, 4, 8, 16].contains(&bytes));
            assert_eq!(History::try_from(bytes).is_ok(), [1, 2, 4, 8].contains(&bytes));
        }
        let error = Granularity::try_from(3).expect_err("3 is none");
        assert_eq!(error.to_string(), "3 is not one of [1, 2, 4, 8, 16]");
        let default = IguardSettings::default();
        assert_eq!((default.granularity.bytes(), default.history.older()), (4, 0));
        assert!(default.coalescing && default.sharing);
    }
}
