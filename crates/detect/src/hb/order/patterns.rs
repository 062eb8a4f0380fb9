//! Release and acquire patterns: what strong writes carry, and what strong reads make known.

use super::CausalityOrder;
use super::chain::{ByReach, Chain};
use super::threads::{BLOCK, DEVICE, Prefix, SYSTEM, reach};
use crate::clock::{ByClass, Epoch, View, join_optional};
use crate::hb::ids::{BlockNumber, WarpLanes};
use crate::hb::rules::{Rule, Rules};
use crate::hb::strong_access::StrongAccess;
use std::sync::Arc;
use warpsan_model::Scope;

impl CausalityOrder {
    /// A strong read observes what was released on the location.
    pub(in crate::hb) fn acquire_observed(
        &mut self,
        access: &StrongAccess,
        chain: &Chain,
        rules: &Rules,
    ) {
        let id = access.id;
        let cluster = self.threads.cluster(id.block);
        let ends_are_mutual = rules.applies(Rule::EndsAreMutual);
        let seen = Some((chain.version, access.order, access.scope));
        let widest = if ends_are_mutual { access.scope } else { Scope::Sys };
        let state = self.threads.warp(id.warp());
        let memory = state.memory(id.lane);
        if memory.latest == seen {
            return;
        }
        memory.latest = seen;
        // The other end of the pattern may be a fence of a wider scope than the read.
        let observed = chain.released.for_reader(id.block, cluster, Scope::Sys);
        if self.has_acquire_operations {
            let here = memory.observed_at.entry(access.location).or_default();
            observe_all(here, &observed, ends_are_mutual);
        }
        let mut by_end = ByReach::default();
        observe_all(&mut by_end, &observed, ends_are_mutual);
        state.observed.add(1 << id.lane, &by_end, &chain.before_fences);
        if access.order.acquires() && rules.applies(Rule::AcquireOperation) {
            for (at, view) in observed.iter().enumerate() {
                let Some(view) = view else { continue };
                if at <= reach(widest) {
                    rules.count(Rule::AcquireOperation);
                    state.learn(id.lane, view);
                } else {
                    rules.count(Rule::EndsAreMutual);
                }
            }
        }
    }

    /// An acquire on a location also acquires what earlier reads of it have observed.
    pub(in crate::hb) fn acquire_again(&mut self, access: &StrongAccess, rules: &Rules) {
        if !access.order.acquires() || !rules.applies(Rule::ReadThenAcquire) {
            return;
        }
        let id = access.id;
        let state = self.threads.warp(id.warp());
        let Some(memory) = state.memories.get_mut(&id.lane) else { return };
        let Some(observed) = memory.observed_at.get_mut(&access.location) else { return };
        let views: Vec<_> =
            observed[..=reach(access.scope)].iter_mut().filter_map(Option::take).collect();
        for view in views {
            rules.count(Rule::ReadThenAcquire);
            state.learn(id.lane, &view);
        }
    }

    /// What was released before a strong write is there for those who observe it. A plain store begins
    /// anew, a read-modify-write continues what was there if the two are linked.
    pub(in crate::hb) fn publish(
        &mut self,
        access: &StrongAccess,
        linked: bool,
        chain: &mut Option<Box<Chain>>,
        rules: &Rules,
    ) {
        let id = access.id;
        let carried = self.carried(access, rules);
        let continues = if access.atomic {
            linked && rules.applies(Rule::UpdatesContinue)
        } else {
            !rules.applies(Rule::StoresBeginAnew)
        };
        if chain.is_some() {
            rules.count(match (continues, access.atomic) {
                (true, _) => Rule::UpdatesContinue,
                (false, true) => Rule::LinksAreMorallyStrong,
                (false, false) => Rule::StoresBeginAnew,
            });
        }
        if !continues {
            *chain = None;
        }
        let before_fences = self.threads.warp(id.warp()).before_fences(id.lanes());
        self.add_to_chain(id.block, &carried, &before_fences, chain);
    }

    /// What a strong write carries, by whom it reaches.
    fn carried(&mut self, access: &StrongAccess, rules: &Rules) -> ByReach {
        let id = access.id;
        let narrowest = self.narrowest();
        let mut carried = match rules.applies(Rule::ReleaseFence) {
            true => self.released_by_fences(id.lanes(), narrowest, rules),
            false => ByReach::default(),
        };
        if access.order.releases() && rules.applies(Rule::ReleaseOperation) {
            rules.count(Rule::ReleaseOperation);
            let announced = Arc::new(self.threads.announced(id));
            let reached = match self.threads.is_of_host(id.block) {
                true => SYSTEM..=SYSTEM,
                false => narrowest..=reach(access.scope).clamp(narrowest, DEVICE),
            };
            carried[reached].fill(Some(announced));
        }
        let then_write = rules.applies(Rule::ReleaseThenWrite);
        let state = self.threads.warp(id.warp());
        let is_release = access.order.releases();
        if !is_release && state.memories.is_empty() {
            return carried;
        }
        let memory = state.memory(id.lane);
        if let Some(earlier) = memory.released_at.get(&access.location)
            && then_write
        {
            for (carried, earlier) in carried.iter_mut().zip(earlier) {
                if let Some(earlier) = earlier {
                    rules.count(Rule::ReleaseThenWrite);
                    join_optional(carried, earlier);
                }
            }
        }
        if is_release {
            memory.released_at.insert(access.location, carried.clone());
        }
        carried
    }
}

impl CausalityOrder {
    /// Whether lanes of one instruction can take part in patterns together: none of them acquires or releases by itself,
    /// and all know and release the same.
    pub(in crate::hb) fn act_together(&mut self, lanes: WarpLanes, rules: &Rules) -> bool {
        !self.has_acquire_operations
            && rules.are_whole()
            && self.threads.warp(lanes.warp()).are_alike(lanes.mask)
    }

    /// Relaxed reads of lanes, all of one location, observe what was released there.
    pub(in crate::hb) fn observe_together(&mut self, lanes: WarpLanes, chain: &Chain) {
        let cluster = self.threads.cluster(lanes.block);
        let observed = chain.released.for_reader(lanes.block, cluster, Scope::Sys);
        let state = self.threads.warp(lanes.warp());
        state.observed.add(lanes.mask, &observed, &chain.before_fences);
    }

    /// Relaxed updates of lanes, all of one location, one after the other: each continues the one before it, the first
    /// what was there, if the two are linked. Those that give something back observe what lanes below them released.
    pub(in crate::hb) fn publish_together(
        &mut self,
        lanes: WarpLanes,
        (linked, observe): (bool, bool),
        chain: &mut Option<Box<Chain>>,
        rules: &Rules,
    ) {
        if !linked {
            *chain = None;
        }
        let narrowest = self.narrowest();
        let carried = self.released_by_fences(lanes, narrowest, rules);
        let state = self.threads.warp(lanes.warp());
        let fence = state.releasing_fence(lanes.mask.trailing_zeros(), narrowest);
        if observe && let Some(fence) = fence {
            let (readers, epoch) = (lanes.mask, fence.epoch);
            state.observed.within.add(Prefix { readers, sources: lanes.mask, epoch });
        }
        let before_fences = state.before_fences(lanes);
        if observe {
            state.observe_fences_within(lanes.mask);
        }
        self.add_to_chain(lanes.block, &carried, &before_fences, chain);
    }

    /// Where all patterns reach everybody, what reaches fewer need not be told apart.
    fn narrowest(&self) -> usize {
        if self.has_narrow_patterns { BLOCK } else { DEVICE }
    }

    /// What fences of lanes that have the same ones release, by whom it reaches.
    pub(super) fn released_by_fences(
        &mut self,
        lanes: WarpLanes,
        narrowest: usize,
        rules: &Rules,
    ) -> ByReach {
        let state = self.threads.warp(lanes.warp());
        let mut carried = ByReach::default();
        // What a fence releases to all is the same for those of the block, unless another fence came later.
        let mut last: Option<(Epoch, Arc<View>)> = None;
        for (at, carried) in carried.iter_mut().enumerate().take(SYSTEM).skip(narrowest) {
            // The newest fence that reaches at least as far as needed.
            let Some(fence) = state.releasing_fence(lanes.mask.trailing_zeros(), at) else {
                continue;
            };
            rules.count_more(Rule::ReleaseFence, u64::from(lanes.mask.count_ones()));
            let known = last.take().filter(|(epoch, _)| *epoch == fence.epoch);
            let (epoch, view) =
                known.unwrap_or_else(|| (fence.epoch, Arc::new(state.released_by(fence, lanes))));
            *carried = Some(Arc::clone(&view));
            last = Some((epoch, view));
        }
        carried
    }

    fn add_to_chain(
        &mut self,
        block: BlockNumber,
        carried: &ByReach,
        before_fences: &ByClass,
        chain: &mut Option<Box<Chain>>,
    ) {
        if carried.iter().all(Option::is_none) && before_fences.is_empty() {
            return;
        }
        self.versions += 1;
        let chain = chain.get_or_insert_default();
        chain.version = self.versions;
        chain.released.add_by_reach(block, self.threads.cluster(block), carried);
        chain.before_fences.join(before_fences);
    }
}

/// Adds what was observed now to what was observed before.
fn observe_all(known: &mut ByReach, observed: &ByReach, ends_are_mutual: bool) {
    for (at, view) in observed.iter().enumerate() {
        let Some(view) = view else { continue };
        join_optional(&mut known[if ends_are_mutual { at } else { BLOCK }], view);
    }
}
