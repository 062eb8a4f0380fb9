//! What the lanes of one warp know, with the fences that they executed.

use crate::clock::{Epoch, View};
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

/// What a lane has observed and released.
#[derive(Debug, Default)]
pub(crate) struct LaneMemory {
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
    pub(crate) fn announced(&self, WarpLanes { block, warp, mask }: WarpLanes) -> View {
        let mut view = View::clone(self.view(mask.trailing_zeros()));
        view.threads.update(block.key(), |group| {
            group.learn(warp.0, self.existing, self.met);
            group.learn(warp.0, mask, self.epoch);
        });
        view
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
        self.fences.push(Fence {
            lanes: mask,
            order,
            scope,
            site,
            epoch: self.epoch,
            met: self.met,
            existing: self.existing,
            view: Arc::clone(self.view(mask.trailing_zeros())),
        });
    }

    pub(crate) fn memory(&mut self, lane: u32) -> &mut LaneMemory {
        self.memories.entry(lane).or_default()
    }
}

impl Fence {
    /// What a lane had done before it.
    pub(crate) fn announced(&self, LaneId { block, warp, lane }: LaneId) -> View {
        let mut view = View::clone(&self.view);
        view.threads.update(block.key(), |group| {
            group.learn(warp.0, self.existing, self.met);
            group.learn(warp.0, 1 << lane, self.epoch);
        });
        view
    }
}
