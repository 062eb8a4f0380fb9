//! The clocks of a block, and its barriers.

use super::{Floors, WarpClocks};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use warpsan_model::WARP_LANES;

/// The warps of a block.
#[derive(Debug)]
pub(crate) struct BlockClocks {
    block: u32,
    pub(crate) warps: Box<[WarpClocks]>,
    /// What lanes knew that have arrived at a barrier and did not wait, by the barrier's number.
    arrived: FxHashMap<u32, Floors>,
}

impl BlockClocks {
    /// A block of so many threads begins.
    pub(crate) fn new(block: u32, threads: u32) -> BlockClocks {
        let warps = threads.div_ceil(WARP_LANES);
        BlockClocks::of_warps(block, (0..warps).map(|warp| threads - warp * WARP_LANES))
    }

    /// A block whose warps have so many lanes begins.
    pub(super) fn of_warps(block: u32, lanes: impl Iterator<Item = u32>) -> BlockClocks {
        let warp = |(number, lanes): (usize, u32)| WarpClocks::new(block, number as u16, lanes);
        let warps = lanes.enumerate().map(warp).collect();
        BlockClocks { block, warps, arrived: FxHashMap::default() }
    }

    /// Whether these are all lanes that live.
    pub(crate) fn are_all(&self, waiting: impl Fn(usize) -> u32) -> bool {
        let mut warps = self.warps.iter().enumerate();
        warps.all(|(number, warp)| warp.live() & !waiting(number) == 0)
    }

    /// All threads of the block meet: the highest clock of the block is what each of them knows of the others.
    pub(crate) fn meet(&mut self) {
        let groups = || self.warps.iter().flat_map(WarpClocks::groups);
        let highest = groups().map(|group| group.local()).max().unwrap_or(0);
        let beyond = self.beyond();
        for warp in &mut self.warps {
            let lanes = warp.live();
            if lanes != 0 {
                warp.become_one(warp.active().after_barrier(lanes, highest, beyond.clone()));
            }
        }
        self.arrived.clear();
    }

    /// What threads of the block know of other blocks.
    fn beyond(&self) -> Option<Arc<Floors>> {
        let mut all: Vec<&Arc<Floors>> = Vec::new();
        for group in self.warps.iter().flat_map(WarpClocks::groups) {
            if let Some(beyond) = group.beyond()
                && !all.iter().any(|known| Arc::ptr_eq(known, beyond))
            {
                all.push(beyond);
            }
        }
        let (first, others) = all.split_first()?;
        if others.is_empty() && !first.mentions(self.block) {
            return Some(Arc::clone(first));
        }
        let mut joined = Floors::clone(first);
        others.iter().for_each(|other| joined.join(other));
        joined.forget(self.block);
        (!joined.is_empty()).then(|| Arc::new(joined))
    }

    /// A part of the block meets, and learns what those knew that only arrived.
    pub(crate) fn meet_partly(&mut self, barrier: u32, waiting: impl Fn(usize) -> u32) {
        let mut known = self.arrived.remove(&barrier).unwrap_or_default();
        let mut meeting = Vec::new();
        for (number, warp) in self.warps.iter_mut().enumerate() {
            if warp.activate(waiting(number)).is_some() {
                known.join(&warp.active().released_by_all());
                meeting.push(number);
            }
        }
        let known = Arc::new(known);
        for number in meeting {
            let group = self.warps[number].active_mut();
            group.acquire(&known);
            group.advance();
        }
    }

    /// Lanes that execute together arrive at a barrier and go on.
    pub(crate) fn arrive(&mut self, barrier: u32, warp: usize) {
        let Some(warp) = self.warps.get_mut(warp) else { return };
        self.arrived.entry(barrier).or_default().join(&warp.active().released_by_all());
        warp.active_mut().advance();
    }
}
