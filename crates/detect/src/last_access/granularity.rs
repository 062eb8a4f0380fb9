use crate::specification::settings::choice_of_numbers;
use serde::{Deserialize, Serialize};

/// A number that the detector cannot work with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{given} is not one of {known:?}")]
pub struct NotAChoice {
    given: u8,
    known: &'static [u8],
}

/// The number, if it is among those that are known.
pub(crate) fn chosen(given: u8, known: &'static [u8]) -> Result<u8, NotAChoice> {
    if known.contains(&given) { Ok(given) } else { Err(NotAChoice { given, known }) }
}

/// How many bytes share one entry: two accesses that touch different bytes of them are taken for accesses to
/// the same location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Granularity(u8);

choice_of_numbers!(Granularity);

impl Granularity {
    /// The numbers of bytes to choose from.
    pub const CHOICES: [u8; 5] = [1, 2, 4, 8, 16];

    /// The number of bytes.
    pub fn bytes(self) -> u64 {
        u64::from(self.0)
    }

    /// By how many bits an address is shifted to give the number of its granule.
    #[inline]
    pub(crate) fn shift(self) -> u32 {
        self.0.trailing_zeros()
    }

    /// The numbers of the first and the last granule of a range; none where it has no bytes.
    #[inline]
    pub(crate) fn granules(self, address: u64, bytes: u64) -> std::ops::RangeInclusive<u64> {
        let end = address.saturating_add(bytes.wrapping_sub(1));
        if bytes == 0 {
            #[expect(
                clippy::reversed_empty_ranges,
                reason = "an inclusive range without anything"
            )]
            return 1..=0;
        }
        address >> self.shift()..=end >> self.shift()
    }

    /// The first address of a granule.
    #[inline]
    pub(crate) fn address(self, granule: u64) -> u64 {
        granule << self.shift()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_powers_of_two_up_to_sixteen_are_taken() {
        for bytes in 0..=255 {
            assert_eq!(Granularity::try_from(bytes).is_ok(), [1, 2, 4, 8, 16].contains(&bytes));
        }
        let error = Granularity::try_from(3).expect_err("3 is none");
        assert_eq!(error.to_string(), "3 is not one of [1, 2, 4, 8, 16]");
        assert_eq!(Granularity::default().bytes(), 4);
    }

    #[test]
    fn a_range_has_every_granule_that_it_touches() {
        let granules = |granularity: u8, address, bytes| -> Vec<u64> {
            let granularity = Granularity::try_from(granularity).expect("a choice");
            granularity.granules(address, bytes).collect()
        };
        assert_eq!(granules(4, 8, 4), [2]);
        assert_eq!(granules(4, 6, 4), [1, 2]);
        assert_eq!(granules(4, 8, 16), [2, 3, 4, 5]);
        assert_eq!(granules(1, 8, 2), [8, 9]);
        assert_eq!(granules(16, 8, 16), [0, 1]);
        assert!(granules(4, 8, 0).is_empty());
        assert_eq!(granules(4, u64::MAX, 4).len(), 1, "the end of all addresses");
    }
}
