//! Names that are known to be of the same epoch.
//!
//! What a name stands for does not change, and no name is used twice. So a thread that has found once that metadata say that it has
//! read a location in this epoch, or written it, need not look at them again before its next epoch.

use warpsan_thread_clock::Epoch;

use crate::slot::Word;

/// Names by their bits, each with the epoch in which it was found.
pub(crate) struct RepeatedNames {
    entries: [(Word, Epoch); Self::ENTRIES],
}

impl Default for RepeatedNames {
    fn default() -> Self {
        Self { entries: [(Word::EMPTY, Epoch::NONE); Self::ENTRIES] }
    }
}

impl RepeatedNames {
    const ENTRIES: usize = 512;

    #[inline(always)]
    fn place(name: Word) -> usize {
        (name.bits() >> 2 ^ name.bits() >> 8) as usize % Self::ENTRIES
    }

    /// Whether a name is known to be of this epoch.
    #[inline(always)]
    pub(super) fn has(&self, name: Word, now: Epoch) -> bool {
        self.entries[Self::place(name)] == (name, now)
    }

    /// A name was found to be of this epoch, for all bytes of a word.
    #[inline(always)]
    pub(super) fn add(&mut self, name: Word, now: Epoch) {
        self.entries[Self::place(name)] = (name, now);
    }
}
