//! What warps and blocks have done to synchronise: the fence file, the barriers of blocks, the lock tables of warps.

use super::locks::LockTable;
use super::settings::BlockIds;
use crate::last_access::blocks::Blocks;
use crate::last_access::follower::Warps;
use crate::last_access::{Fences, Reach};
use rustc_hash::FxHashMap;
use warpsan_model::Geometry;

#[derive(Debug, Default)]
struct Warp {
    locks: LockTable,
    /// How often lanes have met, modulo 256.
    meetings: u8,
}

/// A warp as an access finds it.
#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    /// The lanes that have not ended.
    pub(super) live: u32,
    pub(super) barrier: u8,
    pub(super) fences: Fences,
    pub(super) locks: u16,
    pub(super) meetings: u8,
}

/// The state of one launch.
#[derive(Debug)]
pub(super) struct Synchronisation {
    ids: BlockIds,
    blocks: Blocks<Warp>,
    /// By block and warp, also of blocks that have ended: who comes later still asks for them. What is not there
    /// has executed no fence.
    fence_file: FxHashMap<u32, Box<[Fences]>>,
}

impl Synchronisation {
    pub(super) fn new(ids: BlockIds) -> Synchronisation {
        Synchronisation { ids, blocks: Blocks::default(), fence_file: FxHashMap::default() }
    }

    /// A launch begins.
    pub(super) fn begin_launch(&mut self, geometry: &Geometry) {
        self.blocks.begin_launch(geometry);
        self.fence_file.clear();
    }

    /// A warp, for its accesses; none if there is no such warp.
    #[inline]
    pub(super) fn view(&mut self, block: u32, warp: u32) -> Option<View> {
        let fences = self.fences(block, warp);
        let state = self.blocks.block(block);
        let barrier = state.barrier;
        let warp = state.warps.get(warp as usize)?;
        Some(View {
            live: warp.live,
            barrier,
            fences,
            locks: warp.state.locks.summary(),
            meetings: warp.state.meetings,
        })
    }

    /// What the fence file has for a warp.
    #[inline]
    pub(super) fn fences(&self, block: u32, warp: u32) -> Fences {
        let warps = self.fence_file.get(&self.ids.key(block));
        warps.and_then(|warps| warps.get(warp as usize)).copied().unwrap_or_default()
    }

    /// A warp executed a compare-and-swap, and may have taken a lock.
    pub(super) fn compare_and_swap(&mut self, block: u32, warp: u32, address: u64, reach: Reach) {
        if let Some(warp) = self.blocks.warp(block, warp) {
            warp.state.locks.insert(address, reach);
        }
    }

    /// A warp executed an exchange, and may have given a lock back.
    pub(super) fn exchange(&mut self, block: u32, warp: u32, address: u64, reach: Reach) {
        if let Some(warp) = self.blocks.warp(block, warp) {
            warp.state.locks.remove(address, reach);
        }
    }
}

impl Warps for Synchronisation {
    /// A warp executed a fence, or something that is as good as one: it is counted, and locks that the warp took are
    /// held from now on.
    fn fence(&mut self, block: u32, warp: u32, _lanes: u32, reach: Reach) {
        let warps = self.blocks.warps_per_block() as usize;
        let file = self.fence_file.entry(self.ids.key(block));
        let file = file.or_insert_with(|| vec![Fences::default(); warps].into());
        if let Some(fences) = file.get_mut(warp as usize) {
            fences.count(reach);
        }
        if let Some(warp) = self.blocks.warp(block, warp) {
            warp.state.locks.activate(reach);
        }
    }

    /// A phase of a block barrier is complete. If it is none of the whole block, it counts as a fence of block scope
    /// of each warp that took part.
    fn block_barrier(&mut self, block: u32, participants: &[u64]) {
        if self.blocks.block(block).count_barrier(participants) {
            return;
        }
        for (warp, lanes) in (0..).zip(participants) {
            if *lanes != 0 {
                self.fence(block, warp, *lanes as u32, Reach::Block);
                self.warp_barrier(block, warp);
            }
        }
    }

    /// Lanes of a warp met.
    fn warp_barrier(&mut self, block: u32, warp: u32) {
        if let Some(warp) = self.blocks.warp(block, warp) {
            warp.state.meetings = warp.state.meetings.wrapping_add(1);
        }
    }

    /// Lanes have ended.
    fn end_lanes(&mut self, block: u32, warp: u32, mask: u32) {
        self.blocks.end_lanes(block, warp, mask);
    }

    /// A block has ended.
    fn end_block(&mut self, block: u32) {
        self.blocks.end_block(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Reach::{Block, Device};
    use warpsan_model::Dim3;

    const ALL: u64 = u32::MAX as u64;

    /// Blocks of two warps.
    fn launch(ids: BlockIds) -> Synchronisation {
        let mut state = Synchronisation::new(ids);
        state.begin_launch(&Geometry { grid: Dim3::new(1000, 1, 1), block: Dim3::new(64, 1, 1) });
        state
    }

    #[test]
    fn fences_are_counted_by_warp_and_scope_and_outlive_the_block() {
        let mut state = launch(BlockIds::Wide);
        state.fence(2, 1, 1, Device);
        state.fence(2, 1, 1, Block);
        state.fence(2, 1, 1, Block);
        state.end_block(2);
        assert_eq!(state.fences(2, 1), Fences { device: 1, block: 2 });
        assert_eq!((state.fences(2, 0), state.fences(258, 1)), Default::default());
        (0..62).for_each(|_| state.fence(2, 1, 1, Block));
        assert_eq!(state.fences(2, 1).block, 0, "64 fences come round");
    }

    #[test]
    fn narrow_numbers_share_a_place_in_the_fence_file() {
        let mut state = launch(BlockIds::Paper);
        state.fence(2, 1, 1, Device);
        assert_eq!(state.fences(258, 1).device, 1);
        assert_eq!(state.fences(3, 1).device, 0);
    }

    #[test]
    fn only_barriers_of_all_that_live_count() {
        let barrier = |state: &mut Synchronisation| state.view(0, 0).expect("a warp").barrier;
        let mut state = launch(BlockIds::Wide);
        state.block_barrier(0, &[ALL, ALL]);
        assert_eq!((barrier(&mut state), state.fences(0, 0)), (1, Fences::default()));
        state.block_barrier(0, &[ALL, ALL << 32]);
        assert_eq!(barrier(&mut state), 1, "who only arrives does not wait");
        let both = [state.fences(0, 0), state.fences(0, 1)];
        assert_eq!(both, [Fences { device: 0, block: 1 }; 2], "but is a part of it");
        state.end_lanes(0, 1, u32::MAX);
        state.block_barrier(0, &[ALL]);
        assert_eq!(barrier(&mut state), 2, "who has ended is not waited for");
        assert_eq!(state.view(0, 1).expect("a warp").live, 0);
    }

    #[test]
    fn events_that_no_launch_could_have_do_no_harm() {
        let mut state = Synchronisation::new(BlockIds::Wide);
        state.fence(7, 9, 1, Device);
        state.block_barrier(7, &[1; 3]);
        state.warp_barrier(7, 1);
        state.exchange(7, 1, 0, Block);
        assert!(state.view(7, 9).is_none());
    }
}
