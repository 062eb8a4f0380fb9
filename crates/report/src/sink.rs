//! Where detectors hand over what they find.

use crate::{NotCovered, Race, RaceKey};

/// Takes races as they are found.
pub trait RaceSink {
    /// Takes one race.
    fn race(&mut self, race: Race);

    /// The race was seen once more: `key` is that of a race given before.
    fn seen_again(&mut self, key: &RaceKey, times: u64);

    /// Something was not checked, which nobody could know before the kernel ran.
    fn not_checked(&mut self, missing: NotCovered);
}
