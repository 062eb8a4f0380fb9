//! Moments of accesses.

use super::clock::Thread;

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
