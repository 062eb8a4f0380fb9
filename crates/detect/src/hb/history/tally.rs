//! The last atomic updates of words of a line.

use super::ByLane;
use super::strong_location::StrongEntry;

/// The last updates of the words of a line.
#[derive(Debug)]
pub(crate) struct Tally {
    pub(crate) words: u32,
    last: [ByLane; 32],
    /// By word, the last one of another block than the last.
    other: Option<Box<[Option<ByLane>; 32]>>,
    /// The event that was found to have nothing to be compared with.
    pub(super) event: u64,
}

impl Tally {
    pub(super) fn empty() -> Box<Tally> {
        Box::new(Tally { words: 0, last: [ByLane::NONE; 32], other: None, event: 0 })
    }

    #[inline]
    pub(super) fn set(&mut self, word: u32, update: ByLane) {
        let last = &mut self.last[word as usize];
        if self.words >> word & 1 == 1 && last.block != update.block {
            self.other.get_or_insert_with(|| Box::new([None; 32]))[word as usize] = Some(*last);
        }
        *last = update;
        self.words |= 1 << word;
    }

    /// The last update of a word, and that of another block before it, the last one first.
    pub(crate) fn entries(&self, word: u32) -> impl Iterator<Item = StrongEntry> + use<> {
        let last = (self.words >> word & 1 == 1).then(|| self.last[word as usize]);
        let other = self.other.as_ref().and_then(|other| other[word as usize]);
        last.into_iter().chain(other).map(ByLane::update_of_it)
    }

    /// Forgets the updates of some words.
    pub(super) fn clear(&mut self, words: u32) {
        self.words &= !words;
        self.event = 0;
        if let Some(other) = &mut self.other {
            for word in warpsan_model::lanes(words) {
                other[word as usize] = None;
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Tally>() + self.other.as_ref().map_or(0, |_| size_of::<[Option<ByLane>; 32]>())
    }
}

impl ByLane {
    /// The entry of an update.
    fn update_of_it(self) -> StrongEntry {
        StrongEntry {
            block: self.block,
            epoch: self.epoch,
            site: self.site,
            lanes: 1 << self.lane,
            active: self.active,
            warp: self.warp,
            held: 0,
            writes: true,
            atomic: true,
            observes: true,
            linked: true,
            object: false,
            value: None,
        }
    }
}
