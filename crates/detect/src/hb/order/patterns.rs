//! Release and acquire patterns: what strong writes carry, and what strong reads make known.

use super::CausalityOrder;
use super::chain::{ByReach, Chain, join_optional};
use super::threads::{ALL, BLOCK, reach};
use crate::clock::{Epoch, View};
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
        observe_all(&mut memory.observed, &observed, ends_are_mutual);
        state.observe_fences(id.lane, &chain.before_fences);
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
        let before_fences = self.threads.warp(id.warp()).before_fences(id);
        if carried.iter().all(Option::is_none) && before_fences.is_empty() {
            return;
        }
        self.versions += 1;
        let chain = chain.get_or_insert_default();
        chain.version = self.versions;
        chain.released.add_by_reach(id.block, self.threads.cluster(id.block), &carried);
        chain.before_fences.join(&before_fences);
    }

    /// What a strong write carries, by whom it reaches.
    fn carried(&mut self, access: &StrongAccess, rules: &Rules) -> ByReach {
        let id = access.id;
        let mut carried = ByReach::default();
        // Where all patterns reach everybody, what reaches fewer need not be told apart.
        let narrowest = if self.has_narrow_patterns { BLOCK } else { ALL };
        if access.order.releases() && rules.applies(Rule::ReleaseOperation) {
            rules.count(Rule::ReleaseOperation);
            let announced = Arc::new(self.threads.announced(id));
            carried[narrowest..=reach(access.scope).max(narrowest)].fill(Some(announced));
        }
        let (then_write, fences) =
            (rules.applies(Rule::ReleaseThenWrite), rules.applies(Rule::ReleaseFence));
        let state = self.threads.warp(id.warp());
        // What a fence releases to all is the same for those of the block, unless another fence came later.
        let mut last: Option<(Epoch, Arc<View>)> = None;
        for (at, carried) in carried.iter_mut().enumerate().skip(narrowest) {
            if carried.is_some() {
                continue;
            }
            // The newest fence that reaches at least as far as needed.
            let Some(fence) = state.releasing_fence(id.lane, at).filter(|_| fences) else {
                continue;
            };
            rules.count(Rule::ReleaseFence);
            let known = last.take().filter(|(epoch, _)| *epoch == fence.epoch);
            let (epoch, view) =
                known.unwrap_or_else(|| (fence.epoch, Arc::new(state.released_by(fence, id))));
            *carried = Some(Arc::clone(&view));
            last = Some((epoch, view));
        }
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

/// Adds what was observed now to what was observed before.
fn observe_all(known: &mut ByReach, observed: &ByReach, ends_are_mutual: bool) {
    for (at, view) in observed.iter().enumerate() {
        let Some(view) = view else { continue };
        join_optional(&mut known[if ends_are_mutual { at } else { BLOCK }], view);
    }
}
