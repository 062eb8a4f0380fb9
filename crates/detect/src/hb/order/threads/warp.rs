//! What the lanes of one warp know, with the fences that they executed.

use crate::clock::{ByClass, Epoch, FenceClass, Join, Knowledge, View};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use warpsan_model::{Order, Scope, lanes};

use super::observed::Observed;
use super::within::{Prefix, Within};
use crate::hb::ids::{SiteNumber, StrongLocationId, WarpLanes};
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
    /// What lanes have observed since their last fences.
    pub(crate) observed: Observed,
    /// What lanes know of each other beyond their views.
    pub(crate) within: Within,
    /// The newest fences of `mbarrier` initialisations, by lane, where there is one: the epoch.
    init_fences: BTreeMap<u32, Epoch>,
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
    pub(crate) met: Epoch,
    existing: u32,
    /// What its lanes knew.
    pub(crate) view: Arc<View>,
    /// What its lanes knew of each other.
    within: Within,
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
    pub(super) fn new(existing: u32, known: &Arc<View>) -> WarpState {
        WarpState {
            epoch: 1,
            met: 0,
            block_known: 0,
            existing,
            views: Views::Same(Arc::clone(known)),
            fences: Vec::new(),
            sc_fences: Vec::new(),
            observed: Observed::default(),
            within: Within::default(),
            memories: BTreeMap::new(),
            init_fences: BTreeMap::new(),
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

    /// Lanes learn something.
    pub(crate) fn learn_all(&mut self, mask: u32, what: &Arc<View>) {
        for (group, mut view) in self.groups(mask) {
            if !Arc::ptr_eq(&view, what) {
                Arc::make_mut(&mut view).join(what);
                self.set_views(group, &view);
            }
        }
    }

    /// What lanes know of each other goes into their views before there is too much of it.
    pub(crate) fn keep_within_short(&mut self, lanes: WarpLanes) {
        /// So many pieces are looked through for each comparison.
        const MOST: usize = 8;
        if self.within.is_empty() {
            return;
        }
        let mut within = std::mem::take(&mut self.within);
        within.retain(|prefix| {
            let knows = |lane| {
                let threads = &self.view(lane).known.threads;
                let (sources, key) = (prefix.sources, lanes.block.key());
                threads.lanes(key, lanes.warp.0, sources, prefix.epoch) == sources
            };
            !warpsan_model::lanes(prefix.readers).all(knows)
        });
        self.within = within;
        if self.within.len() <= MOST {
            return;
        }
        for lane in warpsan_model::lanes(self.within.readers()) {
            let mut view = Arc::clone(self.view(lane));
            let of_lane = WarpLanes { mask: 1 << lane, ..lanes };
            self.within.tell(&mut Arc::make_mut(&mut view).known, of_lane);
            self.set_views(1 << lane, &view);
        }
        self.within = Within::default();
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
        self.within.tell(&mut view.known, lanes);
        self.add_fence_order(&mut view, lanes);
        view
    }

    /// Whether lanes have something to do with `fence.sc` that their views do not say.
    pub(crate) fn has_fence_order(&self) -> bool {
        !self.sc_fences.is_empty() || self.observed.has_fences()
    }

    /// Adds to a view what lanes have to do with `fence.sc` that their own views do not say.
    pub(crate) fn add_fence_order(&self, view: &mut View, lanes: WarpLanes) {
        self.add_sc_fences(view, lanes, self.epoch);
        self.observed.tell_behind_fence(view, lanes);
    }

    /// Adds what was before the `fence.sc` of lanes up to an epoch.
    fn add_sc_fences(&self, view: &mut View, lanes: WarpLanes, up_to: Epoch) {
        view.add_before_fences(&self.before_sc_fences(lanes, up_to));
    }

    /// What was before the `fence.sc` of lanes up to an epoch that their views do not have.
    fn before_sc_fences(&self, lanes: WarpLanes, up_to: Epoch) -> ByClass {
        let mut past = ByClass::default();
        for ScFence { fence, classes } in &self.sc_fences {
            let mask = fence.lanes & lanes.mask;
            if mask != 0 && fence.epoch <= up_to {
                let known = Arc::new(fence.known_before(WarpLanes { mask, ..lanes }));
                classes.iter().flatten().for_each(|class| past.add(*class, &known));
            }
        }
        past
    }

    /// What was before the `fence.sc` of the past of lanes that share a view, by class.
    pub(crate) fn before_fences(&self, lanes: WarpLanes) -> ByClass {
        let view = self.view(lanes.mask.trailing_zeros());
        let mut past = view.before_fences().cloned().unwrap_or_default();
        past.join(&self.before_sc_fences(lanes, self.epoch));
        past
    }

    /// The views of lanes say now what they have to do with `fence.sc`.
    pub(crate) fn forget_fence_order(&mut self, mask: u32) {
        for sc in &mut self.sc_fences {
            sc.fence.lanes &= !mask;
        }
        self.sc_fences.retain(|sc| sc.fence.lanes != 0);
        self.observed.forget_behind_fence(mask);
    }

    /// Puts what lanes have to do with `fence.sc` into their views.
    pub(crate) fn settle_fence_order(&mut self, lanes: WarpLanes) {
        if !self.has_fence_order() {
            return;
        }
        for lane in warpsan_model::lanes(lanes.mask) {
            let mut view = Arc::clone(self.view(lane));
            self.add_fence_order(Arc::make_mut(&mut view), WarpLanes { mask: 1 << lane, ..lanes });
            self.set_views(1 << lane, &view);
        }
        self.forget_fence_order(lanes.mask);
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
        for (group, known) in self.observed.take_behind_fence(mask, classes) {
            has_learned = true;
            for (group, mut view) in self.groups(group) {
                let own = &mut Arc::make_mut(&mut view).known;
                known.iter().for_each(|known| own.join(known));
                self.set_views(group, &view);
            }
        }
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
            within: self.within.clone(),
        }
    }

    /// Lanes execute a fence of `mbarrier` initialisations.
    pub(crate) fn fence_initialisations(&mut self, mask: u32) {
        for lane in lanes(mask) {
            self.init_fences.insert(lane, self.epoch);
        }
        self.epoch += 1;
    }

    /// What a lane knows of `mbarrier` initialisations that went through its fence.
    pub(crate) fn initialised(&self, lane: WarpLanes) -> Option<Knowledge> {
        let epoch = *self.init_fences.get(&lane.mask.trailing_zeros())?;
        let mut known = Knowledge::default();
        known.more_mut().initialised.learn(lane.block.key(), lane.warp.0, lane.mask, epoch);
        Some(known)
    }

    /// What a fence of lanes releases.
    pub(crate) fn released_by(&self, fence: &Fence, lanes: WarpLanes) -> View {
        let mut view = View::clone(&fence.view);
        fence.learn_own(&mut view.known, lanes);
        self.add_sc_fences(&mut view, lanes, fence.epoch);
        view
    }

    /// Lanes of one instruction observe the `fence.sc` of those below them.
    pub(crate) fn observe_fences_within(&mut self, mask: u32) {
        let seen = Prefix { readers: mask, sources: mask, epoch: self.epoch };
        for ScFence { fence, classes } in &self.sc_fences {
            if fence.lanes & mask == mask {
                self.observed.add_fence_within(seen, fence, *classes);
            }
        }
    }

    /// Whether lanes of one instruction know, release and observe the same, but for what they do to each other.
    pub(crate) fn are_alike(&self, mask: u32) -> bool {
        let all_or_none = |lanes: u32| lanes & mask == 0 || lanes & mask == mask;
        let first = self.view(mask.trailing_zeros());
        lanes(mask).all(|lane| Arc::ptr_eq(self.view(lane), first))
            && self.fences.iter().all(|fence| all_or_none(fence.lanes))
            && self.sc_fences.iter().all(|sc| all_or_none(sc.fence.lanes))
            // What one of them knows of others, all that come after it would know of those.
            && self.within.sources() & !mask == 0
            && self.fences.iter().all(|fence| fence.within.sources() & !mask == 0)
            && self.memories.values().all(|memory| memory.released_at.is_empty())
    }

    pub(crate) fn memory(&mut self, lane: u32) -> &mut LaneMemory {
        self.memories.entry(lane).or_default()
    }
}

impl Fence {
    /// What lanes knew and had done before it.
    pub(super) fn known_before(&self, lanes: WarpLanes) -> Knowledge {
        let mut known = self.view.known.clone();
        self.learn_own(&mut known, lanes);
        known
    }

    fn learn_own(&self, known: &mut Knowledge, lanes: WarpLanes) {
        let WarpLanes { block, warp, mask } = lanes;
        known.threads.learn(block.key(), warp.0, self.existing, self.met);
        known.threads.learn(block.key(), warp.0, mask, self.epoch);
        self.within.tell(known, lanes);
    }
}
