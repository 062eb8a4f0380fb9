//! Atomic updates of a block's shared memory that are not looked at before they have to be.
//!
//! As with reads that are pending: between two barriers a block may make very many, as histograms do, and
//! after the second nobody needs to know who. Each observes the one before it, so the last one of each word
//! stands for all.

use super::noted_updates::{NOT_ALONE, NotedLine, UNKNOWN};
use super::{ByLane, LINE, Shadow};
use crate::clock::Epoch;
use crate::hb::ids::BlockNumber;

impl Shadow {
    /// Whether the line of an address has nothing but weak accesses of one kind by its block, up to an epoch.
    #[inline]
    pub(crate) fn has_only_weak_before(
        &mut self,
        address: u64,
        block: BlockNumber,
        known: Epoch,
    ) -> bool {
        let number = (address / LINE) as usize;
        match self.updates.lines.get(number) {
            Some(line) if line.weak != UNKNOWN => line.weak <= known,
            _ => self.look_at_line(address, block) <= known,
        }
    }

    #[cold]
    fn look_at_line(&mut self, address: u64, block: BlockNumber) -> Epoch {
        let line = self.line(address);
        let weak = match line.first.is_empty() {
            _ if line.more.is_some() => NOT_ALONE,
            true => 0,
            false if line.first.is_of_block(block) => line.first.epoch,
            false => NOT_ALONE,
        };
        let number = (address / LINE) as usize;
        let updates = &mut self.updates;
        if updates.lines.len() <= number {
            let unknown = NotedLine { words: 0, updated: 0, weak: UNKNOWN };
            updates.lines.resize(number + 1, unknown);
            updates.words.resize((number + 1) * 32, ByLane::NONE);
        }
        updates.lines[number].weak = weak;
        weak
    }

    /// Makes what was noted part of the lines.
    pub(crate) fn remember_updates(&mut self) {
        let updates = std::mem::take(&mut self.updates);
        for (number, noted) in updates.lines.iter().enumerate() {
            for word in warpsan_model::lanes(noted.words) {
                let line = self.line(number as u64 * LINE);
                line.set_update(word, updates.words[number * 32 + word as usize]);
            }
        }
        self.updates = updates;
        self.updates.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::Entry;
    use super::*;

    fn update(epoch: Epoch, lane: u8) -> ByLane {
        ByLane { epoch, lane, ..ByLane::NONE }
    }

    #[test]
    fn the_last_update_of_a_word_is_what_is_remembered() {
        let mut shadow = Shadow::default();
        assert!(shadow.has_only_weak_before(400, BlockNumber(0), 0));
        for lane in 0..20 {
            shadow.updates.note(400, update(3, lane));
        }
        shadow.updates.set_latest(3);
        assert!(shadow.updates.are_before(3) && !shadow.updates.are_before(2));
        assert!(!shadow.updates.is_line_before(511, 2) && shadow.updates.is_line_before(512, 0));
        shadow.remember_updates();
        assert!(shadow.updates.is_line_before(400, 0));
        let tally = shadow.line(400).strong().unwrap().tally.as_ref().unwrap();
        let lanes: Vec<u32> = tally.entries(4).map(|entry| entry.lanes).collect();
        assert_eq!((tally.words, lanes), (1 << 4, vec![1 << 19]));
        assert!(
            !shadow.has_only_weak_before(400, BlockNumber(0), 100),
            "the tally has to be looked at now"
        );
    }

    #[test]
    fn a_line_is_looked_at_again_after_a_weak_access() {
        let mut shadow = Shadow::default();
        let write = |block| {
            Entry { block: BlockNumber(block), epoch: 5, writes: true, ..Entry::EMPTY }
                .with_cover(15)
        };
        assert!(shadow.has_only_weak_before(0, BlockNumber(7), 0));
        shadow.line(0).replace(write(7));
        shadow.updates.look_again(0);
        assert!(
            !shadow.has_only_weak_before(0, BlockNumber(7), 4)
                && shadow.has_only_weak_before(0, BlockNumber(7), 5)
        );
        shadow.line(0).replace(write(8));
        shadow.updates.look_again(0);
        assert!(!shadow.has_only_weak_before(0, BlockNumber(7), 1000), "another block's");
    }
}
