//! The readers of words of a line, one by one.

use super::{ByLane, Entry};

/// The readers of the words of a line.
#[derive(Debug)]
pub(crate) struct Scattered {
    pub(super) words: u32,
    pub(super) last: [ByLane; 32],
    /// By word, a reader of another block than the last one's.
    pub(super) other: Option<Box<[Option<ByLane>; 32]>>,
}

impl Scattered {
    pub(super) fn empty() -> Box<Scattered> {
        Box::new(Scattered { words: 0, last: [ByLane::NONE; 32], other: None })
    }

    #[inline]
    pub(super) fn entries(&self, word: u32) -> impl Iterator<Item = Entry> + use<> {
        let other = self.other.as_ref().and_then(|other| other[word as usize]);
        let last = self.last[word as usize];
        std::iter::once(last).chain(other).map(move |reader| reader.read_of(word))
    }

    /// Forgets the reads of whole words. Those of a part stay: they were compared with what took the part,
    /// and comparing them again does no harm.
    pub(super) fn forget(&mut self, words: u32) {
        self.words &= !words;
        if let Some(other) = &mut self.other {
            for word in warpsan_model::lanes(words) {
                other[word as usize] = None;
            }
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let other = self.other.as_ref().map_or(0, |_| size_of::<[Option<ByLane>; 32]>());
        size_of::<Scattered>() + other
    }
}

impl ByLane {
    /// The entry of a read.
    #[inline]
    pub(super) fn read_of(self, word: u32) -> Entry {
        Entry {
            block: self.block,
            epoch: self.epoch,
            site: self.site,
            lanes: 1 << self.lane,
            active: self.active,
            warp: self.warp,
            ..Entry::EMPTY
        }
        .with_cover(0xf << (word * 4))
    }
}
