//! Reductions of words of a line, by who made them.

use super::strong_location::StrongEntry;
use crate::clock::Epoch;
use crate::hb::ids::{BlockNumber, SiteNumber};

/// Reductions of one warp with one instruction in one epoch: by word of the line, the lanes.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    pub(crate) block: BlockNumber,
    pub(crate) epoch: Epoch,
    pub(crate) site: SiteNumber,
    pub(crate) active: u32,
    pub(crate) warp: u8,
    /// The words that any lane used: those whose lanes are not zero.
    pub(crate) words: u32,
    pub(crate) lanes: [u32; 32],
}

impl Sheet {
    pub(super) fn clear(&mut self, words: u32) {
        for word in warpsan_model::lanes(words & self.words) {
            self.lanes[word as usize] = 0;
        }
        self.words &= !words;
    }

    /// Fails where an invariant of the fields is broken.
    pub(super) fn check_invariants(&self) {
        let used = |word: u32| self.lanes[word as usize] != 0;
        debug_assert!(self.words != 0, "no sheet is empty");
        debug_assert!(
            (0..32).all(|word| used(word) == (self.words >> word & 1 == 1)),
            "the words are those that any lane used"
        );
    }

    pub(super) fn recount(&mut self) {
        self.words = (0..32)
            .fold(0, |words, word| words | u32::from(self.lanes[word as usize] != 0) << word);
    }

    /// The reductions of one word.
    pub(crate) fn entry(&self, word: u32) -> Option<StrongEntry> {
        let lanes = self.lanes[word as usize];
        (lanes != 0).then_some(StrongEntry {
            block: self.block,
            epoch: self.epoch,
            site: self.site,
            lanes,
            active: self.active,
            warp: self.warp,
            held: 0,
            writes: true,
            atomic: true,
            observes: false,
            linked: true,
            object: false,
            value: None,
        })
    }
}

/// The words that have any of the bytes.
pub(crate) fn words_of(cover: u128) -> u32 {
    (0..32).fold(0, |words, word| words | u32::from(cover >> (word * 4) & 0xf != 0) << word)
}

/// The words all of whose bytes are there.
pub(super) fn whole_words_of(cover: u128) -> u32 {
    !words_of(!cover)
}
