//! The shared memories of the blocks that run.

use super::Shadow;
use crate::hb::ids::BlockNumber;
use rustc_hash::FxHashMap;

/// By block, the shadow of its shared memory.
#[derive(Debug, Default)]
pub(crate) struct SharedMemories {
    /// Where each block's shadow is.
    places: FxHashMap<BlockNumber, u32>,
    /// Each is of one block, or free.
    shadows: Vec<Shadow>,
    /// Places of blocks that have ended, for others.
    free: Vec<u32>,
    /// By the low bits of the block, counted from 1: the one that was used last, and its place.
    recent: [(u32, u32); RECENT],
}

const RECENT: usize = 32;

impl SharedMemories {
    #[inline]
    fn place(&self, block: BlockNumber) -> Option<usize> {
        let (recent, place) = self.recent[block.0 as usize % RECENT];
        if recent == block.0.wrapping_add(1) {
            return Some(place as usize);
        }
        self.places.get(&block).map(|place| *place as usize)
    }

    /// That of a block, if it was used.
    #[inline]
    pub(crate) fn get(&self, block: BlockNumber) -> Option<&Shadow> {
        self.place(block).map(|place| &self.shadows[place])
    }

    /// That of a block, if it was used.
    #[inline]
    pub(crate) fn get_mut(&mut self, block: BlockNumber) -> Option<&mut Shadow> {
        self.place(block).map(|place| &mut self.shadows[place])
    }

    /// That of a block, which may be used for the first time.
    #[inline]
    pub(crate) fn get_or_begin(&mut self, block: BlockNumber) -> &mut Shadow {
        let place = match self.place(block) {
            Some(place) => place,
            None => self.begin(block),
        };
        self.recent[block.0 as usize % RECENT] = (block.0.wrapping_add(1), place as u32);
        &mut self.shadows[place]
    }

    #[cold]
    fn begin(&mut self, block: BlockNumber) -> usize {
        let place = self.free.pop().unwrap_or_else(|| {
            self.shadows.push(Shadow::default());
            self.shadows.len() as u32 - 1
        });
        self.places.insert(block, place);
        place as usize
    }

    /// Nobody can reach a block's shared memory any more.
    pub(crate) fn remove(&mut self, block: BlockNumber) {
        if let Some(place) = self.places.remove(&block) {
            self.shadows[place as usize].clear();
            self.free.push(place);
            self.recent[block.0 as usize % RECENT] = (0, 0);
        }
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        *self = SharedMemories::default();
    }

    /// Fails where an invariant is broken.
    pub(super) fn check_invariants(&self) {
        debug_assert_eq!(self.places.len() + self.free.len(), self.shadows.len());
        self.shadows.iter().for_each(Shadow::check_invariants);
    }

    /// Bytes of memory that they take.
    pub(crate) fn bytes(&self) -> u64 {
        self.shadows.iter().map(Shadow::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Entry;
    use super::*;
    use crate::hb::ids::SiteNumber;

    #[test]
    fn each_block_has_its_own_and_places_are_used_again() {
        let mut memories = SharedMemories::default();
        let entry = |site| Entry { site: SiteNumber(site), ..Entry::EMPTY }.with_cover(1);
        for block in 0..100 {
            memories.get_or_begin(BlockNumber(block)).line(0).first = entry(block);
        }
        memories.remove(BlockNumber(33));
        assert!(
            memories.get(BlockNumber(33)).is_none() && memories.get_mut(BlockNumber(1)).is_some()
        );
        assert!(memories.get_or_begin(BlockNumber(133)).line(0).first.is_empty());
        for block in (0..100).filter(|block| *block != 33) {
            let shadow = memories.get_mut(BlockNumber(block)).unwrap();
            assert_eq!(shadow.line(0).first.site, SiteNumber(block));
        }
        assert_eq!(memories.shadows.len(), 100);
    }
}
