//! What strong reads of lanes have observed, which a fence makes known.

use super::within::{Prefix, Within};
use crate::clock::{ByClass, Knowledge, View, join_optional};
use crate::hb::ids::WarpLanes;
use crate::hb::order::chain::ByReach;
use std::sync::Arc;

use super::warp::{Fence, FenceClasses};

/// What the lanes of a warp have observed since their last fences.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    /// Lanes that have observed the same. No lane is in two of them.
    groups: Vec<Group>,
    /// What lanes have observed of each other.
    pub(crate) within: Within,
    /// `fence.sc` of lanes that those above them have observed in one instruction.
    sc_within: Vec<ObservedFence>,
}

#[derive(Debug, Clone)]
struct Group {
    lanes: u32,
    /// A fence makes it known.
    views: ByReach,
    /// The next `fence.sc` makes it known, as far as the views of the lanes do not say so.
    behind_fence: ByClass,
}

/// A `fence.sc` of `seen.sources`, which `seen.readers` have observed.
#[derive(Debug)]
struct ObservedFence {
    seen: Prefix,
    fence: Fence,
    classes: FenceClasses,
}

impl Observed {
    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.within.is_empty() && self.sc_within.is_empty()
    }

    /// Whether something was observed that only a `fence.sc` makes known.
    pub(crate) fn has_fences(&self) -> bool {
        !self.sc_within.is_empty() || self.groups.iter().any(|group| !group.behind_fence.is_empty())
    }

    /// Lanes observe something.
    pub(crate) fn add(&mut self, mask: u32, views: &ByReach, before_fences: &ByClass) {
        if views.iter().all(Option::is_none) && before_fences.is_empty() {
            return;
        }
        let mut left = mask;
        for index in 0..self.groups.len() {
            let common = self.groups[index].lanes & mask;
            if common == 0 {
                continue;
            }
            left &= !common;
            let mut group = self.groups[index].clone();
            group.lanes = common;
            for (known, view) in group.views.iter_mut().zip(views) {
                if let Some(view) = view {
                    join_optional(known, view);
                }
            }
            group.behind_fence.join(before_fences);
            if self.groups[index].lanes == common {
                self.groups[index] = group;
            } else {
                self.groups[index].lanes &= !common;
                self.groups.push(group);
            }
        }
        if left != 0 {
            let behind_fence = before_fences.clone();
            self.groups.push(Group { lanes: left, views: views.clone(), behind_fence });
        }
    }

    /// Lanes observe the `fence.sc` of those below them.
    pub(crate) fn add_fence_within(&mut self, seen: Prefix, fence: &Fence, classes: FenceClasses) {
        self.sc_within.retain(|old| {
            let is_covered = old.seen.readers & !seen.readers == 0
                && old.seen.sources & !seen.sources == 0
                && old.classes == classes;
            !is_covered
        });
        self.sc_within.push(ObservedFence { seen, fence: fence.clone(), classes });
    }

    /// An acquire that reaches so far makes known what lanes have observed: for lanes that have observed the same.
    pub(crate) fn take_views(&mut self, mask: u32, reach: usize) -> Vec<(u32, ByReach)> {
        self.split(mask);
        let mut taken = Vec::new();
        for group in self.groups.iter_mut().filter(|group| group.lanes & mask != 0) {
            let mut views = ByReach::default();
            for (place, view) in views.iter_mut().zip(&mut group.views[..=reach]) {
                *place = view.take();
            }
            if views.iter().any(Option::is_some) {
                taken.push((group.lanes, views));
            }
        }
        self.forget_empty();
        taken
    }

    /// A `fence.sc` of these classes makes known what was before those that were observed.
    pub(crate) fn take_behind_fence(
        &mut self,
        mask: u32,
        classes: &FenceClasses,
    ) -> Vec<(u32, Vec<Arc<Knowledge>>)> {
        // Its lanes know by the same fence what those below them did: it acquires.
        self.sc_within.iter_mut().for_each(|one| one.seen.readers &= !mask);
        self.sc_within.retain(|one| one.seen.readers != 0);
        if !self.has_fences() {
            return Vec::new();
        }
        self.split(mask);
        let mut taken = Vec::new();
        for group in self.groups.iter_mut().filter(|group| group.lanes & mask != 0) {
            let behind = &mut group.behind_fence;
            let known: Vec<_> =
                classes.iter().flatten().filter_map(|class| behind.take(*class)).collect();
            if !known.is_empty() {
                taken.push((group.lanes, known));
            }
        }
        self.forget_empty();
        taken
    }

    /// Tells what the next `fence.sc` of those who learn from these lanes makes known.
    pub(crate) fn tell_behind_fence(&self, view: &mut View, lanes: WarpLanes) {
        for group in self.groups.iter().filter(|group| group.lanes & lanes.mask != 0) {
            view.add_behind_fence(&group.behind_fence);
        }
        for ObservedFence { seen, fence, classes } in &self.sc_within {
            let below = seen.below_any(lanes.mask);
            if below != 0 {
                let known = Arc::new(fence.known_before(WarpLanes { mask: below, ..lanes }));
                let mut next = ByClass::default();
                classes.iter().flatten().for_each(|class| next.add(*class, &known));
                view.add_behind_fence(&next);
            }
        }
    }

    /// The views of lanes say now what their next `fence.sc` makes known.
    pub(crate) fn forget_behind_fence(&mut self, mask: u32) {
        if self.has_fences() {
            self.sc_within.iter_mut().for_each(|one| one.seen.readers &= !mask);
            self.sc_within.retain(|one| one.seen.readers != 0);
            self.split(mask);
            let groups = self.groups.iter_mut().filter(|group| group.lanes & mask != 0);
            groups.for_each(|group| group.behind_fence = ByClass::default());
            self.forget_empty();
        }
    }

    /// No group has lanes of the mask and others.
    fn split(&mut self, mask: u32) {
        for index in 0..self.groups.len() {
            let lanes = self.groups[index].lanes;
            if lanes & mask != 0 && lanes & !mask != 0 {
                let inside = Group { lanes: lanes & mask, ..self.groups[index].clone() };
                self.groups[index].lanes &= !mask;
                self.groups.push(inside);
            }
        }
    }

    fn forget_empty(&mut self) {
        self.groups.retain(|group| {
            group.views.iter().any(Option::is_some) || !group.behind_fence.is_empty()
        });
    }
}
