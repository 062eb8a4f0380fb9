//! What the lanes of one warp know, with the fences that they executed.

use crate::clock::{ByClass, Epoch, FenceClass, Knowledge, View};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use warpsan_model::{Order, Scope, lanes};

use crate::hb::ids::{LaneId, SiteNumber, StrongLocationId, WarpLanes};
use crate::hb::order::chain::ByReach;

/// What the lanes of a warp know. All lanes count the same epochs.
#[derive(Debug)]
pub(crate) struct WarpState {
    pub(crate) epoch: Epoch,
    /// All lanes know what the others did up to this epoch, whatever their views say.
    pub(crate) met: Epoch,
    /// The views of all lanes know all threads of the block up to this epoch.
    pub(crate) block_known: Epoch,
    /// The lanes that there are.
    pub(crate) existing: u32,
    views: Views,
    /// The newest fences, by lanes.
    pub(crate) fences: Vec<Fence>,
    /// The newest `fence.sc` that the views of their lanes do not have yet: each lane has its own, where all would
    /// share a view but for that.
    sc_fences: Vec<ScFence>,
    /// A lane's memory says what its next `fence.sc` makes known.
    has_observed_fences: bool,
    /// What only lanes have that use strong accesses, locks or copies.
    pub(crate) memories: BTreeMap<u32, LaneMemory>,
}

#[derive(Debug)]
enum Views {
    Same(Arc<View>),
    Each(Box<[Arc<View>; 32]>),
}

/// A fence, and what its lanes had done before it.
#[derive(Debug, Clone)]
pub(crate) struct Fence {
    pub(crate) lanes: u32,
    pub(crate) order: Order,
    pub(crate) scope: Scope,
    pub(crate) site: SiteNumber,
    pub(crate) epoch: Epoch,
    met: Epoch,
    existing: u32,
    view: Arc<View>,
}

/// A `fence.sc`, and whom it reaches.
#[derive(Debug)]
struct ScFence {
    fence: Fence,
    classes: FenceClasses,
}

/// The classes that a fence has in common with those that it reaches.
pub(crate) type FenceClasses = [Option<FenceClass>; 3];

/// What a lane has observed and released.
#[derive(Debug, Default)]
pub(crate) struct LaneMemory {
    /// What the lane's next `fence.sc` makes known, as far as its view does not say so.
    pub(crate) behind_fence: ByClass,
    /// What relaxed reads have observed; a fence makes it known.
    pub(crate) observed: ByReach,
    /// What reads of a location have observed, for an acquire on the same location.
    pub(crate) observed_at: FxHashMap<StrongLocationId, ByReach>,
    /// The lane's own releases: its later strong writes to the location carry them too.
    pub(crate) released_at: FxHashMap<StrongLocationId, ByReach>,
    /// The release that was observed last and how: a lane that spins learns nothing new from it.
    pub(crate) latest: Option<(u64, Order, Scope)>,
    /// The numbers of its copies by `cp.async` so far.
    pub(crate) thread_copies: Vec<u64>,
    /// The numbers of its bulk copies so far, with their number in the block.
    pub(crate) bulk_copies: Vec<(u64, u32)>,
}

impl WarpState {
    pub(super) fn new(existing: u32, nothing: &Arc<View>) -> WarpState {
        WarpState {
            epoch: 1,
            met: 0,
            block_known: 0,
            existing,
            views: Views::Same(Arc::clone(nothing)),
            fences: Vec::new(),
            sc_fences: Vec::new(),
            has_observed_fences: false,
            memories: BTreeMap::new(),
        }
    }

    /// The view of a lane.
    #[inline]
    pub(crate) fn view(&self, lane: u32) -> &Arc<View> {
        match &self.views {
            Views::Same(view) => view,
            Views::Each(views) => &views[lane as usize],
        }
    }

    /// Whether all lanes have the same view.
    #[inline]
    pub(crate) fn is_uniform(&self) -> bool {
        matches!(self.views, Views::Same(_))
    }

    /// The lanes of `mask` in groups that share a view.
    pub(crate) fn groups(&self, mask: u32) -> Vec<(u32, Arc<View>)> {
        match &self.views {
            Views::Same(view) => vec![(mask, Arc::clone(view))],
            Views::Each(views) => {
                let mut groups: Vec<(u32, Arc<View>)> = Vec::new();
                for lane in lanes(mask) {
                    let view = &views[lane as usize];
                    match groups.iter_mut().find(|(_, known)| Arc::ptr_eq(known, view)) {
                        Some((group, _)) => *group |= 1 << lane,
                        None => groups.push((1 << lane, Arc::clone(view))),
                    }
                }
                groups
            }
        }
    }

    /// Gives lanes a new view.
    pub(crate) fn set_views(&mut self, mask: u32, view: &Arc<View>) {
        if mask & self.existing == self.existing {
            self.views = Views::Same(Arc::clone(view));
            return;
        }
        if let Views::Same(old) = &self.views {
            let old = Arc::clone(old);
            self.views = Views::Each(Box::new(std::array::from_fn(|_| Arc::clone(&old))));
        }
        if let Views::Each(views) = &mut self.views {
            for lane in lanes(mask) {
                views[lane as usize] = Arc::clone(view);
            }
        }
    }

    /// A lane learns something.
    pub(crate) fn learn(&mut self, lane: u32, what: &Arc<View>) {
        let mut view = Arc::clone(self.view(lane));
        if !Arc::ptr_eq(&view, what) {
            Arc::make_mut(&mut view).join(what);
            self.set_views(1 << lane, &view);
        }
    }

    /// What lanes that share a view did up to now, for others to learn.
    pub(crate) fn announced(&self, lanes: WarpLanes) -> View {
        let WarpLanes { block, warp, mask } = lanes;
        let mut view = View::clone(self.view(mask.trailing_zeros()));
        let threads = &mut view.known.threads;
        threads.learn(block.key(), warp.0, self.existing, self.met);
        threads.learn(block.key(), warp.0, mask, self.epoch);
        self.add_fence_order(&mut view, lanes);
        view
    }

    /// Whether lanes have something to do with `fence.sc` that their views do not say.
    pub(crate) fn has_fence_order(&self) -> bool {
        !self.sc_fences.is_empty() || self.has_observed_fences
    }

    /// Adds to a view what lanes have to do with `fence.sc` that their own views do not say.
    pub(crate) fn add_fence_order(&self, view: &mut View, lanes: WarpLanes) {
        self.add_sc_fences(view, lanes, self.epoch);
        if self.has_observed_fences {
            for (lane, memory) in &self.memories {
                if lanes.mask >> lane & 1 == 1 {
                    view.add_behind_fence(&memory.behind_fence);
                }
            }
        }
    }

    /// Adds what was before the `fence.sc` of lanes up to an epoch.
    fn add_sc_fences(&self, view: &mut View, lanes: WarpLanes, up_to: Epoch) {
        for ScFence { fence, classes } in &self.sc_fences {
            let mask = fence.lanes & lanes.mask;
            if mask != 0 && fence.epoch <= up_to {
                let known = Arc::new(fence.known_before(WarpLanes { mask, ..lanes }));
                for class in classes.iter().flatten() {
                    view.add_before_fence(*class, &known);
                }
            }
        }
    }

    /// What was before the `fence.sc` of a lane's past, by class.
    pub(crate) fn before_fences(&self, id: LaneId) -> ByClass {
        let mut past = self.view(id.lane).before_fences().cloned().unwrap_or_default();
        for ScFence { fence, classes } in &self.sc_fences {
            if fence.lanes >> id.lane & 1 == 1 {
                let known = Arc::new(fence.known_before(id.lanes()));
                for class in classes.iter().flatten() {
                    past.add(*class, &known);
                }
            }
        }
        past
    }

    /// The views of lanes say now what they have to do with `fence.sc`.
    pub(crate) fn forget_fence_order(&mut self, mask: u32) {
        for sc in &mut self.sc_fences {
            sc.fence.lanes &= !mask;
        }
        self.sc_fences.retain(|sc| sc.fence.lanes != 0);
        if self.has_observed_fences {
            let memories = self.memories.iter_mut().filter(|(lane, _)| mask >> **lane & 1 == 1);
            memories.for_each(|(_, memory)| memory.behind_fence = ByClass::default());
            self.has_observed_fences =
                self.memories.values().any(|memory| !memory.behind_fence.is_empty());
        }
    }

    /// Puts what lanes have to do with `fence.sc` into their views.
    pub(crate) fn settle_fence_order(&mut self, lanes: WarpLanes) {
        if self.sc_fences.is_empty() && !self.has_observed_fences {
            return;
        }
        for lane in warpsan_model::lanes(lanes.mask) {
            let of_lane = WarpLanes { mask: 1 << lane, ..lanes };
            let has_fence = self.sc_fences.iter().any(|sc| sc.fence.lanes >> lane & 1 == 1);
            let memory = self.memories.get(&lane);
            if has_fence || memory.is_some_and(|memory| !memory.behind_fence.is_empty()) {
                let mut view = Arc::clone(self.view(lane));
                self.add_fence_order(Arc::make_mut(&mut view), of_lane);
                self.set_views(1 << lane, &view);
            }
        }
        self.forget_fence_order(lanes.mask);
    }

    /// A lane has observed a write behind a `fence.sc`.
    pub(crate) fn observe_fences(&mut self, lane: u32, past: &ByClass) {
        if !past.is_empty() {
            self.memory(lane).behind_fence.join(past);
            self.has_observed_fences = true;
        }
    }

    /// Lanes execute a `fence.sc`: what was before the fences that it is after is known now.
    pub(crate) fn learn_behind_fences(&mut self, mask: u32, classes: &FenceClasses) -> bool {
        let mut has_learned = false;
        for (group, mut view) in self.groups(mask) {
            let is_behind = view.behind_fences().is_some_and(|next| !next.is_empty());
            if group == 0 || !is_behind {
                continue;
            }
            let known = Arc::make_mut(&mut view);
            for class in classes.iter().flatten() {
                if let Some(behind) = known.take_behind_fence(*class) {
                    known.known.join(&behind);
                    has_learned = true;
                }
            }
            self.set_views(group, &view);
        }
        if !self.has_observed_fences {
            return has_learned;
        }
        for lane in lanes(mask) {
            let Some(memory) = self.memories.get_mut(&lane) else { continue };
            let behind: Vec<_> = classes
                .iter()
                .flatten()
                .filter_map(|class| memory.behind_fence.take(*class))
                .collect();
            for known in behind {
                let mut view = Arc::clone(self.view(lane));
                Arc::make_mut(&mut view).known.join(&known);
                self.set_views(1 << lane, &view);
                has_learned = true;
            }
        }
        self.has_observed_fences =
            self.memories.values().any(|memory| !memory.behind_fence.is_empty());
        has_learned
    }

    /// The newest fence of a lane that reaches at least as far, and releases.
    pub(crate) fn releasing_fence(&self, lane: u32, at_least: usize) -> Option<&Fence> {
        let fits = |fence: &&Fence| {
            fence.lanes >> lane & 1 == 1
                && fence.order.releases()
                && super::reach(fence.scope) >= at_least
        };
        self.fences.iter().rev().find(fits)
    }

    /// Remembers a fence of lanes that share a view. Those of the same lanes that reach no further and
    /// order no more are not needed any more.
    pub(crate) fn add_fence(&mut self, mask: u32, order: Order, scope: Scope, site: SiteNumber) {
        let covers = |old: &Fence| {
            super::reach(old.scope) <= super::reach(scope)
                && (order.releases() || !old.order.releases())
        };
        for old in self.fences.iter_mut().filter(|old| covers(old)) {
            old.lanes &= !mask;
        }
        self.fences.retain(|fence| fence.lanes != 0);
        self.fences.push(self.fence_now(mask, order, scope, site));
    }

    /// Remembers a `fence.sc` of lanes that share a view.
    pub(crate) fn add_sc_fence(&mut self, new: Fence, classes: FenceClasses) {
        let reach = super::reach(new.scope);
        for old in &mut self.sc_fences {
            if super::reach(old.fence.scope) <= reach {
                old.fence.lanes &= !new.lanes;
            }
        }
        self.sc_fences.retain(|old| old.fence.lanes != 0);
        self.sc_fences.push(ScFence { fence: new, classes });
    }

    /// A fence that lanes which share a view execute now.
    pub(crate) fn fence_now(
        &self,
        mask: u32,
        order: Order,
        scope: Scope,
        site: SiteNumber,
    ) -> Fence {
        Fence {
            lanes: mask,
            order,
            scope,
            site,
            epoch: self.epoch,
            met: self.met,
            existing: self.existing,
            view: Arc::clone(self.view(mask.trailing_zeros())),
        }
    }

    /// What a fence of a lane releases.
    pub(crate) fn released_by(&self, fence: &Fence, id: LaneId) -> View {
        let mut view = View::clone(&fence.view);
        fence.learn_own(&mut view.known, id.lanes());
        self.add_sc_fences(&mut view, id.lanes(), fence.epoch);
        view
    }

    pub(crate) fn memory(&mut self, lane: u32) -> &mut LaneMemory {
        self.memories.entry(lane).or_default()
    }
}

impl Fence {
    /// What lanes knew and had done before it.
    fn known_before(&self, lanes: WarpLanes) -> Knowledge {
        let mut known = self.view.known.clone();
        self.learn_own(&mut known, lanes);
        known
    }

    fn learn_own(&self, known: &mut Knowledge, WarpLanes { block, warp, mask }: WarpLanes) {
        known.threads.learn(block.key(), warp.0, self.existing, self.met);
        known.threads.learn(block.key(), warp.0, mask, self.epoch);
    }
}
