//! `mbarrier` objects: what arrivals and copies pass on to those who wait.

use super::CausalityOrder;
use super::threads::{BLOCK, Phases, reach};
use crate::clock::{ByClass, View};
use crate::hb::ids::{BlockNumber, LaneId};
use crate::hb::rules::{Rule, Rules};
use rustc_hash::FxHashMap;
use warpsan_model::{Order, Scope};

/// An `mbarrier` object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::hb) struct Object {
    /// The block whose shared memory it is in.
    pub(in crate::hb) owner: BlockNumber,
    /// Its offset there.
    pub(in crate::hb) address: u64,
}

/// The phases of all objects.
#[derive(Debug, Default)]
pub(super) struct Objects(FxHashMap<Object, Phases>);

impl Objects {
    /// The phases of an object.
    pub(super) fn of(&mut self, object: Object) -> &mut Phases {
        self.0.entry(object).or_default()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Nobody can reach the objects of a block any more.
    pub(super) fn forget_block(&mut self, block: BlockNumber) {
        self.0.retain(|object, _| object.owner != block);
    }
}

impl CausalityOrder {
    /// An object begins, or ends: nothing that was passed on through it before counts.
    pub(in crate::hb) fn reset_object(&mut self, object: Object) {
        self.objects.0.remove(&object);
    }

    /// A lane arrives at an object.
    pub(in crate::hb) fn arrive_at_object(
        &mut self,
        id: LaneId,
        object: Object,
        (order, scope): (Order, Scope),
        phase: u64,
        rules: &Rules,
    ) {
        let relaxed = !order.releases();
        if relaxed {
            rules.count(Rule::MbarrierRelaxed);
            if rules.applies(Rule::FencesAroundArrivals) {
                self.arrive_behind_fence(id, object, scope, phase, rules);
            }
            // What comes after it is distinct from what it could have released.
            self.threads.warp(id.warp()).epoch += 1;
        }
        if !relaxed || !rules.applies(Rule::MbarrierRelaxed) {
            rules.count(Rule::MbarrierScopes);
            let mutual = rules.applies(Rule::MbarrierScopes);
            let scope = if mutual { scope } else { Scope::Sys };
            let (released, _) = self.objects.of(object).of(phase);
            self.threads.arrive(id, scope, released);
        }
    }

    /// A relaxed arrival passes on what a fence before it released, as far as both reach.
    fn arrive_behind_fence(
        &mut self,
        id: LaneId,
        object: Object,
        scope: Scope,
        phase: u64,
        rules: &Rules,
    ) {
        let mut carried = self.released_by_fences(id.lanes(), BLOCK, rules);
        carried[reach(scope) + 1..].fill(None);
        if carried.iter().any(Option::is_some) {
            rules.count(Rule::FencesAroundArrivals);
            let cluster = self.threads.cluster(id.block);
            let (released, _) = self.objects.of(object).of(phase);
            released.add_by_reach(id.block, cluster, &carried);
        }
    }

    /// A relaxed wait observes what was passed on; a fence makes it known.
    fn observe_object(&mut self, id: LaneId, object: Object, scope: Scope, complete: u64) {
        let (Some(last), Some(phases)) = (complete.checked_sub(1), self.objects.0.get(&object))
        else {
            return;
        };
        let cluster = self.threads.cluster(id.block);
        for (released, _) in phases.up_to(last) {
            let views = released.for_reader(id.block, cluster, scope);
            let state = self.threads.warp(id.warp());
            state.observed.add(1 << id.lane, &views, &ByClass::default());
        }
    }

    /// A lane knows that so many phases of an object are complete.
    pub(in crate::hb) fn wait_for_object(
        &mut self,
        id: LaneId,
        object: Object,
        (order, scope): (Order, Scope),
        complete: u64,
        rules: &Rules,
    ) {
        if !order.acquires() {
            rules.count(Rule::MbarrierRelaxed);
            if rules.applies(Rule::FencesAroundArrivals) {
                self.observe_object(id, object, scope, complete);
            }
            if rules.applies(Rule::MbarrierRelaxed) {
                return;
            }
        }
        let (Some(last), Some(phases)) = (complete.checked_sub(1), self.objects.0.get(&object))
        else {
            return;
        };
        let cluster = self.threads.cluster(id.block);
        let scope = if rules.applies(Rule::MbarrierScopes) { scope } else { Scope::Sys };
        for (released, copies) in phases.up_to(last) {
            if rules.applies(Rule::Mbarrier) {
                rules.count(Rule::Mbarrier);
                for view in released.for_reader(id.block, cluster, scope).iter().flatten() {
                    self.threads.learn_together(id.lanes(), view);
                }
            }
            self.threads.learn_together(id.lanes(), &View::of(copies.clone()));
        }
    }
}
