//! What threads, warps and blocks have done to synchronise: the paper's synchronisation metadata.

use super::locks::LockTable;
use super::rules::Stamp;
use crate::last_access::blocks::{Blocks, WarpOf, waiting};
use crate::last_access::follower::Warps;
use crate::last_access::{Fences, Reach};
use rustc_hash::FxHashMap;
use warpsan_model::{Geometry, WARP_LANES, lanes};

/// Counters of warp barriers have six bits.
const SIX_BITS: u8 = 63;

/// The fences of a warp's lanes, which nearly always execute them together.
#[derive(Debug, Clone, PartialEq, Eq)]
enum WarpFences {
    Alike(Fences),
    Apart(Box<[Fences; WARP_LANES as usize]>),
}

impl Default for WarpFences {
    fn default() -> Self {
        WarpFences::Alike(Fences::default())
    }
}

impl WarpFences {
    #[inline]
    fn of(&self, lane: u8) -> Fences {
        match self {
            WarpFences::Alike(fences) => *fences,
            WarpFences::Apart(all) => all[usize::from(lane) % all.len()],
        }
    }

    fn count(&mut self, mask: u32, whole: u32, reach: Reach) {
        let count = |fences: &mut Fences| fences.count(reach);
        if let WarpFences::Alike(all) = self {
            if mask & whole == whole {
                return count(all);
            }
            *self = WarpFences::Apart(Box::new([*all; WARP_LANES as usize]));
        }
        if let WarpFences::Apart(all) = self {
            lanes(mask).for_each(|lane| count(&mut all[lane as usize]));
        }
    }
}

#[derive(Debug, Default)]
struct Warp {
    barrier: u8,
    fences: WarpFences,
    locks: LockTable,
    /// Where the lanes take locks of their own.
    lane_locks: Option<Box<[LockTable; WARP_LANES as usize]>>,
}

impl Warp {
    fn count_barrier(&mut self) {
        self.barrier = self.barrier.wrapping_add(1) & SIX_BITS;
    }

    /// The lock table that counts for a lane: its own, or its warp's.
    #[inline]
    fn table(&self, lane: u8) -> LockTable {
        match &self.lane_locks {
            Some(tables) => tables[usize::from(lane) % tables.len()],
            None => self.locks,
        }
    }

    /// Changes the tables that count for some lanes: their own, or once that of their warp, for which the lowest of
    /// them speaks.
    fn change_tables(&mut self, mask: u32, mut change: impl FnMut(u32, &mut LockTable)) {
        match &mut self.lane_locks {
            Some(tables) => lanes(mask).for_each(|lane| change(lane, &mut tables[lane as usize])),
            None if mask != 0 => change(mask.trailing_zeros(), &mut self.locks),
            None => {}
        }
    }
}

/// The state of one launch.
#[derive(Debug, Default)]
pub(super) struct Synchronisation {
    blocks: Blocks<Warp>,
    /// Blocks that have ended, with the fences of their warps, if they executed any: who comes later still
    /// asks for them.
    ended: FxHashMap<u32, Box<[WarpFences]>>,
}

impl Synchronisation {
    /// A launch begins.
    pub(super) fn begin_launch(&mut self, geometry: &Geometry) {
        self.blocks.begin_launch(geometry);
        self.ended.clear();
    }

    #[inline]
    pub(super) fn warps_per_block(&self) -> u32 {
        self.blocks.warps_per_block()
    }

    /// The number of a block's first warp among those of the launch.
    #[inline]
    pub(super) fn first_warp(&self, block: u32) -> u32 {
        block.wrapping_mul(self.warps_per_block())
    }

    /// The block of a warp, and the warp's number in it.
    #[inline]
    pub(super) fn place(&self, warp: u32) -> (u32, u32) {
        let warps = self.warps_per_block().max(1);
        (warp / warps, warp % warps)
    }

    fn warp(&mut self, block: u32, warp: u32) -> Option<&mut WarpOf<Warp>> {
        self.blocks.warp(block, warp)
    }

    /// Makes sure that a block is known, so that its lanes can be asked for.
    #[inline]
    pub(super) fn admit(&mut self, block: u32) {
        if self.blocks.running(block).is_none() {
            self.blocks.block(block);
        }
    }

    /// The state of a warp, for its lanes' accesses; none if there is no such warp.
    #[inline]
    pub(super) fn view(&self, block: u32, warp: u32) -> Option<WarpView<'_>> {
        let state = self.blocks.running(block)?;
        let first_warp = self.first_warp(block);
        let number = first_warp.wrapping_add(warp);
        let warp = &state.warps.get(warp as usize)?.state;
        Some(WarpView { number, first_warp, block_barrier: state.barrier, warp })
    }

    /// The fences that the thread of an earlier access has executed until now.
    #[inline]
    pub(super) fn fences_now(&self, earlier: &Stamp) -> Fences {
        let (block, warp) = self.place(earlier.warp);
        if let Some(state) = self.blocks.running(block) {
            return state
                .warps
                .get(warp as usize)
                .map_or(Fences::default(), |warp| warp.state.fences.of(earlier.lane));
        }
        let ended = self.ended.get(&block).and_then(|warps| warps.get(warp as usize));
        ended.map_or(Fences::default(), |fences| fences.of(earlier.lane))
    }

    /// Lanes executed a compare-and-swap: each may have taken a lock. Where several do so at a time, locks are
    /// the lanes' own from now on.
    pub(super) fn compare_and_swap(
        &mut self,
        (block, warp, mask): (u32, u32, u32),
        reach: Reach,
        address: impl Fn(u32) -> u64,
    ) {
        let Some(WarpOf { state: warp, .. }) = self.warp(block, warp) else { return };
        if mask.count_ones() > 1 && !warp.locks.is_per_thread() {
            warp.locks.set_per_thread();
            warp.lane_locks = Some(Box::default());
        }
        warp.change_tables(mask, |lane, table| table.insert(address(lane), reach));
    }

    /// Lanes executed an exchange: each may have given a lock back.
    pub(super) fn exchange(
        &mut self,
        (block, warp, mask): (u32, u32, u32),
        reach: Reach,
        address: impl Fn(u32) -> u64,
    ) {
        let Some(WarpOf { state: warp, .. }) = self.warp(block, warp) else { return };
        warp.change_tables(mask, |lane, table| table.remove(address(lane), reach));
    }
}

impl Warps for Synchronisation {
    /// Lanes executed a fence, or something that is as good as one: they are counted, and locks that they took
    /// are held from now on.
    fn fence(&mut self, block: u32, warp: u32, mask: u32, reach: Reach) {
        let Some(warp) = self.warp(block, warp) else { return };
        warp.state.fences.count(mask, warp.whole, reach);
        warp.state.change_tables(mask, |_, table| table.activate(reach));
    }

    /// A phase of a block barrier is complete. If all threads that have not ended waited for it, it is one of the
    /// block; otherwise it counts as a barrier of each warp that waited.
    fn block_barrier(&mut self, block: u32, participants: &[u64]) {
        let block = self.blocks.block(block);
        if block.count_barrier(participants) {
            return;
        }
        for (number, warp) in block.warps.iter_mut().enumerate() {
            if waiting(participants, number) != 0 {
                warp.state.count_barrier();
            }
        }
    }

    /// Lanes of a warp met.
    fn warp_barrier(&mut self, block: u32, warp: u32) {
        if let Some(warp) = self.warp(block, warp) {
            warp.state.count_barrier();
        }
    }

    /// Lanes have ended.
    fn end_lanes(&mut self, block: u32, warp: u32, mask: u32) {
        self.blocks.end_lanes(block, warp, mask);
    }

    /// A block has ended.
    fn end_block(&mut self, block: u32) {
        let Some(block_state) = self.blocks.end_block(block) else { return };
        let none = WarpFences::default();
        if block_state.warps.iter().any(|warp| warp.state.fences != none) {
            let fences = block_state.warps.into_iter().map(|warp| warp.state.fences);
            self.ended.insert(block, fences.collect());
        }
    }
}

/// A warp as an access finds it.
pub(super) struct WarpView<'a> {
    number: u32,
    pub(super) first_warp: u32,
    block_barrier: u8,
    warp: &'a Warp,
}

impl WarpView<'_> {
    /// What an access of a lane leaves behind.
    #[inline]
    pub(super) fn stamp(&self, lane: u32, site: u32) -> Stamp {
        let lane = lane as u8;
        Stamp {
            warp: self.number,
            site,
            locks: self.warp.table(lane).summary(),
            lane,
            fences: self.warp.fences.of(lane),
            block_barrier: self.block_barrier,
            warp_barrier: self.warp.barrier,
        }
    }
}

#[cfg(test)]
mod tests;
