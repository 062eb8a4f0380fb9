//! What is remembered of one location of memory.

use super::clock::Thread;
use super::readers::Readers;

/// The moment of an access: the clock of its thread, and the instruction, which a report names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Epoch {
    pub(super) thread: Thread,
    /// 0 where nothing has happened.
    pub(super) clock: u32,
    pub(super) site: u32,
}

impl Epoch {
    /// Before everything.
    pub(super) const NONE: Epoch =
        Epoch { thread: Thread { block: 0, warp: 0, lane: 0 }, clock: 0, site: 0 };
}

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
