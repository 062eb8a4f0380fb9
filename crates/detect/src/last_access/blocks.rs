//! The blocks that run, their warps, and which of their lanes have not ended.

use rustc_hash::FxHashMap;
use warpsan_model::{Geometry, WARP_LANES};

/// A warp with what the detector keeps of it.
#[derive(Debug)]
pub(crate) struct WarpOf<W> {
    /// The lanes that there are, and those that have not ended.
    pub(crate) whole: u32,
    pub(crate) live: u32,
    pub(crate) state: W,
}

impl<W: Default> WarpOf<W> {
    fn new(lanes: u32) -> Self {
        let whole = if lanes >= WARP_LANES { u32::MAX } else { (1 << lanes) - 1 };
        WarpOf { whole, live: whole, state: W::default() }
    }
}

/// A block that runs.
#[derive(Debug)]
pub(crate) struct BlockOf<W> {
    /// Barriers of the whole block, modulo 256.
    pub(crate) barrier: u8,
    pub(crate) warps: Box<[WarpOf<W>]>,
}

impl<W> BlockOf<W> {
    /// A phase of a block barrier is complete. If all threads that have not ended waited for it, it is one of the
    /// block, and counted; otherwise the answer is no.
    pub(crate) fn count_barrier(&mut self, participants: &[u64]) -> bool {
        let mut warps = self.warps.iter().enumerate();
        let is_of_all = warps.all(|(number, warp)| warp.live & !waiting(participants, number) == 0);
        if is_of_all {
            self.barrier = self.barrier.wrapping_add(1);
        }
        is_of_all
    }
}

/// The lanes of a warp that waited at a barrier.
pub(crate) fn waiting(participants: &[u64], warp: usize) -> u32 {
    participants.get(warp).map_or(0, |lanes| *lanes as u32)
}

/// The blocks of a launch that have begun and not ended.
#[derive(Debug)]
pub(crate) struct Blocks<W> {
    threads_per_block: u32,
    warps_per_block: u32,
    running: FxHashMap<u32, BlockOf<W>>,
}

impl<W> Default for Blocks<W> {
    fn default() -> Self {
        Blocks { threads_per_block: 0, warps_per_block: 0, running: FxHashMap::default() }
    }
}

impl<W: Default> Blocks<W> {
    /// A launch begins.
    pub(crate) fn begin_launch(&mut self, geometry: &Geometry) {
        self.threads_per_block = geometry.threads_per_block();
        self.warps_per_block = geometry.warps_per_block();
        self.running.clear();
    }

    #[inline]
    pub(crate) fn warps_per_block(&self) -> u32 {
        self.warps_per_block
    }

    /// A block, which begins if it has not.
    pub(crate) fn block(&mut self, block: u32) -> &mut BlockOf<W> {
        let (threads, warps) = (self.threads_per_block, self.warps_per_block);
        self.running.entry(block).or_insert_with(|| {
            let warp = |number: u32| WarpOf::new(threads - number * WARP_LANES);
            BlockOf { barrier: 0, warps: (0..warps).map(warp).collect() }
        })
    }

    /// A warp of a block; none if there is no such warp.
    pub(crate) fn warp(&mut self, block: u32, warp: u32) -> Option<&mut WarpOf<W>> {
        self.block(block).warps.get_mut(warp as usize)
    }

    /// A block that runs.
    #[inline]
    pub(crate) fn running(&self, block: u32) -> Option<&BlockOf<W>> {
        self.running.get(&block)
    }

    /// Lanes have ended.
    pub(crate) fn end_lanes(&mut self, block: u32, warp: u32, mask: u32) {
        if let Some(warp) = self.warp(block, warp) {
            warp.live &= !mask;
        }
    }

    /// A block has ended; what was kept of it.
    pub(crate) fn end_block(&mut self, block: u32) -> Option<BlockOf<W>> {
        self.running.remove(&block)
    }
}
