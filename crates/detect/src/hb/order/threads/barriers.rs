//! Barriers of warps, blocks and clusters.

use super::{ClusterPhase, Threads};
use crate::clock::{Join, Knowledge, View};
use crate::hb::ids::{BlockNumber, LaneId, WarpLanes, WarpNumber};
use crate::hb::order::chain::{ByReach, Released};
use crate::hb::rules::{Rule, Rules};
use std::sync::Arc;
use warpsan_model::{Scope, lanes};

/// What was passed on in the phases of an `mbarrier` object.
#[derive(Debug, Default)]
pub(in crate::hb) struct Phases {
    /// By phase, the oldest first: by arrivals, and by copies that were complete.
    phases: Vec<(u64, Released, Knowledge)>,
}

impl Phases {
    /// What is passed on by this phase.
    pub(in crate::hb) fn of(&mut self, phase: u64) -> (&mut Released, &mut Knowledge) {
        let known = self.phases.iter().position(|(number, ..)| *number == phase);
        let index = known.unwrap_or_else(|| {
            self.phases.push((phase, Released::default(), Knowledge::default()));
            self.phases.len() - 1
        });
        // Nobody can distinguish older phases any more: a wait is for this one or the one before it.
        if self.phases.len() > 4 {
            let (_, released, copies) = self.phases.remove(0);
            self.phases[0].1.join(&released);
            self.phases[0].2.join(&copies);
            return self.of(phase);
        }
        let (_, released, copies) = &mut self.phases[index];
        (released, copies)
    }

    /// What is passed on to those who know that `phase` is complete.
    pub(in crate::hb) fn up_to(&self, phase: u64) -> impl Iterator<Item = (&Released, &Knowledge)> {
        let complete = self.phases.iter().filter(move |(number, ..)| *number <= phase);
        complete.map(|(_, released, copies)| (released, copies))
    }
}

impl Threads {
    /// Lanes of one warp have met.
    pub(in crate::hb) fn warp_barrier(&mut self, lanes: WarpLanes) {
        let WarpLanes { block, warp, mask } = lanes;
        let state = self.warp(lanes.warp());
        if mask & state.existing == state.existing {
            if !state.is_uniform() {
                let mut groups = state.groups(mask).into_iter().map(|(_, view)| view);
                let Some(mut joined) = groups.next() else { return };
                for view in groups {
                    Arc::make_mut(&mut joined).join(&view);
                }
                state.set_views(mask, &joined);
            }
            if state.has_fence_order() {
                let mut joined = Arc::clone(state.view(mask.trailing_zeros()));
                state.add_fence_order(Arc::make_mut(&mut joined), lanes);
                state.set_views(mask, &joined);
                state.forget_fence_order(mask);
            }
            state.within.forget(mask);
            state.met = state.epoch;
        } else {
            let mut joined = View::default();
            for (group, _) in state.groups(mask) {
                joined.join(&state.announced(WarpLanes { block, warp, mask: group }));
            }
            state.set_views(mask, &Arc::new(joined));
            state.forget_fence_order(mask);
            state.within.forget(mask);
        }
        state.epoch += 1;
    }

    /// Lanes arrive at a block barrier and go on: what they did until now is all that the phase
    /// passes on.
    pub(in crate::hb) fn block_arrive(&mut self, lanes: WarpLanes, barrier: u32) {
        let released = self.release(lanes);
        self.block(lanes.block).arrived.entry(barrier).or_default().join(&released);
    }

    /// A phase of a block barrier is complete. Lanes that only arrived are sources: they learn nothing.
    pub(in crate::hb) fn block_barrier(
        &mut self,
        block: BlockNumber,
        barrier: u32,
        participants: &[u64],
        rules: &Rules,
    ) {
        let arrivals = rules.applies(Rule::BlockArrive);
        let mut arrived = self.block(block).arrived.remove(&barrier);
        if arrived.is_none() {
            // Where arrivals are no events of their own, they are as late as the phase.
            for (warp, mask) in participants.iter().enumerate() {
                let arriving = (mask >> 32) as u32;
                if arriving != 0 {
                    let released = self.release(WarpLanes {
                        block,
                        warp: WarpNumber(warp as u32),
                        mask: arriving,
                    });
                    arrived.get_or_insert_default().join(&released);
                }
            }
        }
        let state = self.block(block);
        let warps = &mut state.warps;
        let waiting = |warp: usize| participants.get(warp).map_or(0, |mask| *mask as u32);
        let latest = warps.iter().map(|warp| warp.epoch).max().unwrap_or(0);
        let everybody = (0..warps.len()).all(|warp| waiting(warp) == warps[warp].existing);
        let mut joined: Option<Arc<View>> = None;
        let mut joined_last = std::ptr::null();
        for (number, warp) in warps.iter().enumerate() {
            for (group, view) in warp.groups(waiting(number)) {
                if group == 0 {
                    continue;
                }
                if joined_last != Arc::as_ptr(&view) {
                    joined_last = Arc::as_ptr(&view);
                    match &mut joined {
                        None => joined = Some(view),
                        Some(joined) if Arc::ptr_eq(joined, &view) => {}
                        Some(joined) => Arc::make_mut(joined).join(&view),
                    }
                }
                if !everybody && let Some(joined) = &mut joined {
                    let threads = &mut Arc::make_mut(joined).known.threads;
                    threads.learn(block.key(), number as u32, warp.existing, warp.met);
                    threads.learn(block.key(), number as u32, group, warp.epoch);
                }
            }
            let lanes = WarpLanes { block, warp: WarpNumber(number as u32), mask: waiting(number) };
            if let Some(joined) = joined.as_mut().filter(|_| lanes.mask != 0) {
                if !everybody && !warp.within.is_empty() {
                    warp.within.tell(&mut Arc::make_mut(joined).known, lanes);
                }
                if warp.has_fence_order() {
                    warp.add_fence_order(Arc::make_mut(joined), lanes);
                }
            }
        }
        let Some(mut joined) = joined else { return };
        let known = Arc::make_mut(&mut joined);
        if let Some(released) = arrived.filter(|_| arrivals) {
            rules.count(Rule::BlockArrive);
            known.join(&released);
        }
        if everybody {
            // All are known up to the latest epoch: those that are behind skip ahead to it.
            known.known.threads.learn_all(block.key(), latest);
        }
        let block_known = known.known.threads.all(block.key());
        for (number, warp) in warps.iter_mut().enumerate() {
            let mask = waiting(number);
            if mask == 0 {
                continue;
            }
            warp.set_views(mask, &joined);
            warp.forget_fence_order(mask);
            warp.within.forget(mask);
            warp.epoch = latest + 1;
            if mask == warp.existing {
                warp.block_known = block_known;
            }
        }
    }

    /// Lanes arrive at the barrier of their cluster, with release.
    pub(in crate::hb) fn cluster_arrive(&mut self, lanes: WarpLanes, phase: u32) {
        let cluster = self.cluster(lanes.block);
        // Nobody arrives for a phase before having waited for the one before: two are enough.
        if let Some(done) = phase.checked_sub(2) {
            self.cluster_phases.remove(&ClusterPhase { cluster, phase: done });
        }
        let released = self.release(lanes);
        let threads = self.threads_per_block;
        let passed_on = self.cluster_phases.entry(ClusterPhase { cluster, phase }).or_default();
        let known = Arc::make_mut(&mut passed_on.released);
        known.join(&released);
        known.known.threads.shorten(lanes.block.key(), threads);
    }

    /// Lanes arrive at the barrier of their cluster, relaxed: what fences before it released is passed on, by whom it
    /// reaches.
    pub(in crate::hb) fn cluster_arrive_relaxed(
        &mut self,
        block: BlockNumber,
        phase: u32,
        released: &ByReach,
    ) {
        let cluster = self.cluster(block);
        let passed_on = self.cluster_phases.entry(ClusterPhase { cluster, phase }).or_default();
        passed_on.by_fences.add_by_reach(block, cluster, released);
    }

    /// Lanes have waited for the barrier of their cluster, which acquires.
    pub(in crate::hb) fn cluster_wait(&mut self, lanes: WarpLanes, phase: u32) {
        let cluster = self.cluster(lanes.block);
        let Some(passed_on) = self.cluster_phases.get(&ClusterPhase { cluster, phase }) else {
            return;
        };
        let by_fences = passed_on.by_fences.for_reader(lanes.block, cluster, Scope::Cluster);
        let released = Arc::clone(&passed_on.released);
        self.learn_together(lanes, &released);
        for view in by_fences.iter().flatten() {
            self.learn_together(lanes, view);
        }
    }

    /// Lanes learn something; those that shared a view share the new one.
    pub(in crate::hb) fn learn_together(&mut self, learning: WarpLanes, what: &View) {
        let state = self.warp(learning.warp());
        for (group, mut view) in state.groups(learning.mask) {
            Arc::make_mut(&mut view).join(what);
            state.set_views(group, &view);
        }
        let least = |lane| state.view(lane).known.threads.all(learning.block.key());
        let least = lanes(state.existing).map(least).min();
        state.block_known = state.block_known.max(least.unwrap_or(0));
    }

    /// What lanes did up to now, for whoever acquires it; what they do next is not part of it.
    pub(in crate::hb) fn release(&mut self, lanes: WarpLanes) -> View {
        let WarpLanes { block, warp, mask } = lanes;
        let state = self.warp(lanes.warp());
        let mut released = View::default();
        for (group, _) in state.groups(mask) {
            released.join(&state.announced(WarpLanes { block, warp, mask: group }));
        }
        state.epoch += 1;
        released
    }

    /// A lane arrives at an `mbarrier` object.
    pub(in crate::hb) fn arrive(&mut self, id: LaneId, scope: Scope, phase: &mut Released) {
        let cluster = self.cluster(id.block);
        let view = Arc::new(self.announced(id));
        self.warp(id.warp()).epoch += 1;
        phase.add(id.block, cluster, super::reach(scope), &view);
    }
}
