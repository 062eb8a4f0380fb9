//! Synchronisation locations: the map S of the thesis.

use super::clock::Floors;
use crate::last_access::Reach;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// S for one location: a vector clock for each block of the grid.
#[derive(Debug, Default)]
struct Released {
    /// The clock of each block that has no own one.
    everywhere: Option<Arc<Floors>>,
    blocks: FxHashMap<u32, Arc<Floors>>,
    /// All of them together, once somebody has asked since the last release.
    joined: Option<Arc<Floors>>,
}

impl Released {
    fn acq_block(&self, block: u32) -> Option<Arc<Floors>> {
        self.blocks.get(&block).or(self.everywhere.as_ref()).cloned()
    }

    fn acq_global(&mut self, blocks_in_grid: u64) -> Option<Arc<Floors>> {
        if self.joined.is_none() {
            self.joined = self.join(blocks_in_grid);
        }
        self.joined.clone()
    }

    fn join(&self, blocks_in_grid: u64) -> Option<Arc<Floors>> {
        let is_anywhere = (self.blocks.len() as u64) < blocks_in_grid;
        let everywhere = self.everywhere.as_ref().filter(|_| is_anywhere);
        let mut all = everywhere.into_iter().chain(self.blocks.values());
        let first = all.next()?;
        let mut joined: Option<Floors> = None;
        for other in all {
            joined.get_or_insert_with(|| Floors::clone(first)).join(other);
        }
        Some(joined.map_or_else(|| Arc::clone(first), Arc::new))
    }

    fn rel_block(&mut self, block: u32, known: Arc<Floors>) {
        self.joined = None;
        self.blocks.insert(block, known);
    }

    fn rel_global(&mut self, known: Arc<Floors>) {
        self.joined = None;
        self.blocks.clear();
        self.everywhere = Some(known);
    }
}

/// A location: in the shared memory of a block, or in global memory.
pub(super) type SyncLocation = (Option<u32>, u64);

/// What was released at which location.
#[derive(Debug, Default)]
pub(super) struct Synchronisation {
    blocks_in_grid: u64,
    /// By address, by the block whose shared memory it is; none for global memory.
    locations: FxHashMap<Option<u32>, FxHashMap<u64, Released>>,
}

impl Synchronisation {
    pub(super) fn begin_launch(&mut self, blocks_in_grid: u64) {
        self.blocks_in_grid = blocks_in_grid;
        self.locations.clear();
    }

    /// ACQBLOCK and ACQGLOBAL: what a thread of a block learns at a location.
    pub(super) fn acquire(
        &mut self,
        place: SyncLocation,
        block: u32,
        reach: Reach,
    ) -> Option<Arc<Floors>> {
        let (owner, address) = place;
        let released = self.locations.get_mut(&owner)?.get_mut(&address)?;
        match reach {
            Reach::Block => released.acq_block(block),
            Reach::Device => released.acq_global(self.blocks_in_grid),
        }
    }

    /// RELBLOCK and RELGLOBAL: others may learn at a location what a thread of a block knows. It takes the place of what
    /// was there.
    pub(super) fn release(
        &mut self,
        place: SyncLocation,
        block: u32,
        reach: Reach,
        known: Arc<Floors>,
    ) {
        let (owner, address) = place;
        let released = self.locations.entry(owner).or_default().entry(address).or_default();
        match reach {
            Reach::Block => released.rel_block(block, known),
            Reach::Device => released.rel_global(known),
        }
    }

    /// The shared memory of a block is gone.
    pub(super) fn end_block(&mut self, block: u32) {
        self.locations.remove(&Some(block));
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock::{BlockClocks, Thread};
    use super::*;

    const LOCATION: SyncLocation = (None, 64);

    /// What the first lane of a block knows.
    fn of(block: u32) -> Arc<Floors> {
        Arc::new(BlockClocks::new(block, 32).warps[0].active().released_by(0))
    }

    /// The blocks of which the answer knows.
    fn blocks(answer: Option<Arc<Floors>>) -> Vec<u32> {
        let knows = |block: &u32| {
            let thread = Thread { block: *block, warp: 0, lane: 0 };
            answer.as_ref().is_some_and(|known| known.of(thread) == 1)
        };
        (0..4).filter(knows).collect()
    }

    fn synchronisation() -> Synchronisation {
        let mut synchronisation = Synchronisation::default();
        synchronisation.begin_launch(3);
        synchronisation
    }

    #[test]
    fn a_release_of_block_scope_reaches_its_block_and_acquires_of_the_grid() {
        let mut all = synchronisation();
        all.release(LOCATION, 0, Reach::Block, of(0));
        assert_eq!(blocks(all.acquire(LOCATION, 0, Reach::Block)), [0]);
        assert_eq!(blocks(all.acquire(LOCATION, 1, Reach::Block)), [0; 0]);
        assert_eq!(blocks(all.acquire(LOCATION, 1, Reach::Device)), [0]);
        assert_eq!(blocks(all.acquire((None, 68), 0, Reach::Device)), [0; 0], "elsewhere");
        assert_eq!(
            blocks(all.acquire((Some(0), 64), 0, Reach::Device)),
            [0; 0],
            "in shared memory"
        );
    }

    #[test]
    fn a_release_of_grid_scope_reaches_all_blocks() {
        let mut all = synchronisation();
        all.release(LOCATION, 0, Reach::Device, of(0));
        assert_eq!(blocks(all.acquire(LOCATION, 2, Reach::Block)), [0]);
        assert_eq!(blocks(all.acquire(LOCATION, 2, Reach::Device)), [0]);
    }

    #[test]
    fn a_release_takes_the_place_of_former_ones() {
        let mut all = synchronisation();
        all.release(LOCATION, 0, Reach::Device, of(0));
        all.release(LOCATION, 1, Reach::Block, of(1));
        assert_eq!(blocks(all.acquire(LOCATION, 1, Reach::Block)), [1]);
        assert_eq!(blocks(all.acquire(LOCATION, 2, Reach::Block)), [0]);
        assert_eq!(blocks(all.acquire(LOCATION, 2, Reach::Device)), [0, 1]);
        all.release(LOCATION, 0, Reach::Block, of(2));
        all.release(LOCATION, 2, Reach::Block, of(2));
        assert_eq!(
            blocks(all.acquire(LOCATION, 0, Reach::Device)),
            [1, 2],
            "no block has the first one"
        );
        all.release(LOCATION, 2, Reach::Device, of(2));
        assert_eq!(blocks(all.acquire(LOCATION, 1, Reach::Block)), [2]);
    }

    #[test]
    fn what_is_in_shared_memory_ends_with_its_block() {
        let mut all = synchronisation();
        all.release((Some(1), 0), 1, Reach::Block, of(1));
        all.release(LOCATION, 1, Reach::Block, of(1));
        all.end_block(1);
        assert_eq!(blocks(all.acquire((Some(1), 0), 1, Reach::Block)), [0; 0]);
        assert_eq!(blocks(all.acquire(LOCATION, 1, Reach::Block)), [1]);
    }
}
