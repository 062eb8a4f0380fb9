//! What is remembered of one location of memory.

use super::epoch::Epoch;
use super::readers::Readers;

/// The last reads of a location.
#[derive(Debug, Clone)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) enum Reads {
    /// All others were before this one.
    Exclusive(Epoch),
    /// Some were concurrent.
    Shared(Readers),
}

/// R and W of the thesis for one location.
#[derive(Debug, Clone)]
#[cfg_attr(test, derive(PartialEq))]
pub(super) struct Location {
    pub(super) write: Epoch,
    /// The last write was an atomic one.
    pub(super) is_atomic: bool,
    pub(super) reads: Reads,
}

impl Default for Location {
    fn default() -> Self {
        Location { write: Epoch::NONE, is_atomic: false, reads: Reads::Exclusive(Epoch::NONE) }
    }
}
