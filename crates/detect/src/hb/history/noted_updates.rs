//! The last atomic updates of the words of a block's shared memory, until they become part of its lines.

use super::{ByLane, LINE};
use crate::clock::Epoch;

/// The last updates of the words of a block's shared memory.
#[derive(Debug, Default)]
pub(crate) struct NotedUpdates {
    pub(super) lines: Vec<NotedLine>,
    /// The last update of each word: 32 for each of the lines.
    pub(super) words: Vec<ByLane>,
    /// No update that is noted is later; 0 if none is.
    latest: Epoch,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct NotedLine {
    /// The words that were updated.
    pub(super) words: u32,
    /// The epoch of the last update.
    pub(super) updated: Epoch,
    /// The epoch of the weak access that the line has, if it has no other; [`UNKNOWN`] if nobody has looked.
    pub(super) weak: Epoch,
}

/// Nobody has looked at the line's weak accesses.
pub(super) const UNKNOWN: Epoch = Epoch::MAX;
/// Later than anything that is known.
pub(super) const NOT_ALONE: Epoch = Epoch::MAX - 1;

impl NotedUpdates {
    /// Whether there are no updates after this epoch.
    #[inline]
    pub(crate) fn are_before(&self, epoch: Epoch) -> bool {
        self.latest <= epoch
    }

    /// Whether the line has no updates after this epoch.
    #[inline]
    pub(crate) fn is_line_before(&self, address: u64, epoch: Epoch) -> bool {
        let line = self.lines.get((address / LINE) as usize);
        line.is_none_or(|line| line.words == 0 || line.updated <= epoch)
    }

    /// A weak access is about to change the line.
    #[inline]
    pub(crate) fn look_again(&mut self, address: u64) {
        if let Some(line) = self.lines.get_mut((address / LINE) as usize) {
            line.weak = UNKNOWN;
        }
    }

    /// Any line may change.
    pub(crate) fn look_everywhere_again(&mut self) {
        for line in &mut self.lines {
            line.weak = UNKNOWN;
        }
    }

    /// Notes an update of the word at `address`, whose line was looked at.
    #[inline]
    pub(crate) fn note(&mut self, address: u64, update: ByLane) {
        let word = (address / 4) as usize;
        let line = &mut self.lines[word / 32];
        line.words |= 1 << (word % 32);
        line.updated = update.epoch;
        self.words[word] = update;
    }

    /// The epoch of the latest update that was noted.
    pub(crate) fn set_latest(&mut self, epoch: Epoch) {
        self.latest = self.latest.max(epoch);
    }

    /// Fails where an invariant of the fields is broken.
    pub(super) fn check_invariants(&self) {
        debug_assert_eq!(self.words.len(), self.lines.len() * 32, "32 words for each line");
        let mut noted = self.lines.iter().filter(|line| line.words != 0);
        debug_assert!(noted.all(|line| line.updated <= self.latest), "no update is later");
    }

    /// Forgets what was noted.
    pub(crate) fn clear(&mut self) {
        for line in &mut self.lines {
            line.words = 0;
        }
        self.look_everywhere_again();
        self.latest = 0;
    }

    pub(super) fn bytes(&self) -> usize {
        self.lines.capacity() * size_of::<NotedLine>() + self.words.capacity() * size_of::<ByLane>()
    }
}
