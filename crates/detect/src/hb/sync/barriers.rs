//! Barriers of warps, blocks and clusters.

use super::Synchronisation;
use crate::clock::{View, join_shared};
use std::sync::Arc;
use warpsan_model::{BlockIndex, Dim3, ThreadInBlock, ThreadRef, WARP_LANES, lanes};

/// How the blocks of a launch form clusters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clusters {
    pub(super) grid: Dim3,
    pub(super) extent: Dim3,
}

impl Clusters {
    /// The number of a block's cluster.
    fn of(self, block: BlockIndex) -> u32 {
        let parts = |total: u32, part: u32| total.div_ceil(part.max(1));
        let at = self.grid.at(u64::from(block.0));
        let (x, y, z) =
            (at.x / self.extent.x.max(1), at.y / self.extent.y.max(1), at.z / self.extent.z.max(1));
        let (wide, high) = (parts(self.grid.x, self.extent.x), parts(self.grid.y, self.extent.y));
        z.wrapping_mul(high).wrapping_add(y).wrapping_mul(wide).wrapping_add(x)
    }
}

impl Synchronisation {
    /// The number of a block's cluster; without clusters, each block is one.
    pub(in crate::hb) fn cluster(&self, block: BlockIndex) -> u32 {
        self.clusters.map_or(block.0, |clusters| clusters.of(block))
    }

    pub(in crate::hb) fn set_clusters(&mut self, extent: Dim3) {
        self.clusters = Some(Clusters { grid: self.grid, extent });
    }

    /// Lanes of one warp have met.
    pub(in crate::hb) fn warp_barrier(&mut self, block: BlockIndex, warp: u32, mask: u32) {
        let members: Vec<u32> = lanes(mask).map(|lane| warp * WARP_LANES + lane).collect();
        self.meet(block, &members, &[], None);
    }

    /// Lanes arrive at a block barrier and go on: what they did until now is all that the phase
    /// passes on.
    pub(in crate::hb) fn block_arrive(
        &mut self,
        block: BlockIndex,
        warp: u32,
        mask: u32,
        barrier: u32,
    ) {
        let released = self.release(block, warp, mask);
        self.arrived.entry((block.0, barrier)).or_default().join(&released);
    }

    /// A phase of a block barrier is complete. Lanes that only arrived are sources: they learn nothing.
    pub(in crate::hb) fn block_barrier(
        &mut self,
        block: BlockIndex,
        barrier: u32,
        participants: &[u64],
    ) {
        let threads = |half: fn(u64) -> u32| -> Vec<u32> {
            let warps = participants.iter().enumerate();
            warps
                .flat_map(|(warp, mask)| {
                    lanes(half(*mask)).map(move |lane| warp as u32 * WARP_LANES + lane)
                })
                .collect()
        };
        let waited = threads(|mask| mask as u32);
        match self.arrived.remove(&(block.0, barrier)) {
            // Those that arrived have said so at the time, and have gone on since.
            Some(released) => self.meet(block, &waited, &[], Some(&released)),
            None => self.meet(block, &waited, &threads(|mask| (mask >> 32) as u32), None),
        }
    }

    /// What all members did, and what was released to them, is ordered before what the waiting ones
    /// do next.
    fn meet(
        &mut self,
        block: BlockIndex,
        waiting: &[u32],
        sources: &[u32],
        released: Option<&View>,
    ) {
        let threads = self.block(block);
        let members = || waiting.iter().chain(sources).copied();
        let Some(first) = members().next() else { return };
        let mut view = Arc::clone(&threads[first as usize].view);
        let mut latest = 0;
        let mut joined = Arc::as_ptr(&view);
        for member in members() {
            let state = &threads[member as usize];
            latest = latest.max(state.epoch);
            // Most threads share their view with their neighbour.
            if Arc::as_ptr(&state.view) != joined {
                joined = Arc::as_ptr(&state.view);
                join_shared(&mut view, &state.view);
            }
        }
        let known = Arc::make_mut(&mut view);
        if let Some(released) = released {
            known.join(released);
        }
        if waiting.len() + sources.len() == threads.len() {
            // All are known up to the latest epoch: those that are behind skip ahead to it.
            known.learn_all(block, latest);
        } else {
            for member in members() {
                let thread = ThreadRef { block, thread: ThreadInBlock(member) };
                known.learn(thread, threads[member as usize].epoch);
            }
        }
        for member in members() {
            threads[member as usize].epoch = latest + 1;
        }
        for member in waiting {
            threads[*member as usize].view = Arc::clone(&view);
        }
    }

    /// Lanes arrive at the barrier of their cluster, with release.
    pub(in crate::hb) fn cluster_arrive(
        &mut self,
        block: BlockIndex,
        warp: u32,
        mask: u32,
        phase: u32,
    ) {
        let cluster = self.cluster(block);
        // Nobody arrives for a phase before having waited for the one before: two are enough.
        if let Some(done) = phase.checked_sub(2) {
            self.cluster_phases.remove(&(cluster, done));
        }
        let released = self.release(block, warp, mask);
        let threads = self.threads_per_block;
        let view = self.cluster_phases.entry((cluster, phase)).or_default();
        let known = Arc::make_mut(view);
        known.join(&released);
        known.shorten(block, threads);
    }

    /// Lanes have waited for the barrier of their cluster, which acquires.
    pub(in crate::hb) fn cluster_wait(
        &mut self,
        block: BlockIndex,
        warp: u32,
        mask: u32,
        phase: u32,
    ) {
        let phase = (self.cluster(block), phase);
        let Some(released) = self.cluster_phases.get(&phase).cloned() else { return };
        // Lanes that shared a view share the new one.
        let mut shared: Option<(Arc<View>, Arc<View>)> = None;
        let threads = self.block(block);
        for lane in lanes(mask) {
            let state = &mut threads[(warp * WARP_LANES + lane) as usize];
            match &shared {
                Some((before, after)) if Arc::ptr_eq(before, &state.view) => {
                    state.view = Arc::clone(after);
                }
                _ => {
                    let before = Arc::clone(&state.view);
                    join_shared(&mut state.view, &released);
                    shared = Some((before, Arc::clone(&state.view)));
                }
            }
        }
    }

    /// What lanes did up to now, for whoever acquires it; what they do next is not part of it.
    fn release(&mut self, block: BlockIndex, warp: u32, mask: u32) -> View {
        let threads = self.block(block);
        let mut released = View::default();
        let mut joined = std::ptr::null();
        for lane in lanes(mask) {
            let thread = ThreadInBlock(warp * WARP_LANES + lane);
            let state = &mut threads[thread.0 as usize];
            if Arc::as_ptr(&state.view) != joined {
                joined = Arc::as_ptr(&state.view);
                released.join(&state.view);
            }
            released.learn(ThreadRef { block, thread }, state.epoch);
            state.epoch += 1;
        }
        released
    }
}
