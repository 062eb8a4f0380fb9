//! The last writers of a location, with what each of them released: data for hand-offs.

use crate::clock::{Epoch, View};
use crate::hb::ids::{BlockNumber, SiteNumber, WarpId, WarpNumber};
use crate::hb::order::{Fence, WarpState};
use crate::hb::strong_access::StrongAccess;
use std::sync::Arc;
use warpsan_model::Scope;

/// Lanes of a warp at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hb) struct Point {
    pub(in crate::hb) block: BlockNumber,
    pub(in crate::hb) warp: WarpNumber,
    pub(in crate::hb) lanes: u32,
    pub(in crate::hb) epoch: Epoch,
    /// They know what all lanes of their warp did up to this epoch.
    pub(in crate::hb) met: Epoch,
}

impl Point {
    /// Their warp.
    #[inline]
    pub(super) fn warp(&self) -> WarpId {
        WarpId { block: self.block, warp: self.warp }
    }

    /// Whether it comes after a point of a thread, if it has this view.
    pub(super) fn is_after(&self, view: &View, from: &Point) -> bool {
        if from.shares_a_thread(self) {
            return from.epoch <= self.epoch;
        }
        if from.warp() == self.warp() && from.epoch <= self.met {
            return true;
        }
        let threads = &view.known.threads;
        threads.lanes(from.block.key(), from.warp.0, from.lanes, from.epoch) != 0
    }

    /// Whether the two have a thread in common.
    #[inline]
    pub(in crate::hb) fn shares_a_thread(&self, other: &Point) -> bool {
        (self.block, self.warp) == (other.block, other.warp) && self.lanes & other.lanes != 0
    }
}

/// One end of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hb) struct End {
    pub(in crate::hb) site: SiteNumber,
    pub(in crate::hb) scope: Scope,
    pub(in crate::hb) is_fence: bool,
    /// When it was executed.
    pub(in crate::hb) epoch: Epoch,
}

impl End {
    #[inline]
    pub(in crate::hb) fn of_fence(fence: &Fence) -> End {
        End { site: fence.site, scope: fence.scope, is_fence: true, epoch: fence.epoch }
    }
}

/// A strong write, as far as it hands something over.
#[derive(Debug, Clone)]
pub(in crate::hb) struct Writer {
    pub(in crate::hb) who: Point,
    pub(in crate::hb) site: SiteNumber,
    /// What the writer knew.
    pub(in crate::hb) view: Arc<View>,
    /// What may release what was done before: the write itself, or fences before it.
    pub(in crate::hb) releases: Vec<End>,
    /// It continues what was written before it, and the two are morally strong.
    pub(in crate::hb) linked: bool,
    /// It continues what was written before it.
    pub(in crate::hb) updates: bool,
}

impl Writer {
    /// A strong write of a lane, whose warp is in this state.
    pub(in crate::hb) fn new(access: &StrongAccess, linked: bool, state: &WarpState) -> Writer {
        let id = access.id;
        let (site, scope, epoch) = (access.site, access.scope, state.epoch);
        let own = access.order.releases().then_some(End { site, scope, is_fence: false, epoch });
        let fences = state
            .fences
            .iter()
            .filter(|fence| fence.lanes >> id.lane & 1 == 1 && fence.order.releases());
        let fences = fences.map(End::of_fence);
        Writer {
            who: Point {
                block: id.block,
                warp: id.warp,
                lanes: 1 << id.lane,
                epoch,
                met: state.met,
            },
            site,
            view: Arc::clone(state.view(id.lane)),
            releases: own.into_iter().chain(fences).collect(),
            linked,
            updates: access.atomic,
        }
    }
}

impl Writer {
    /// Whether the two are lanes of one instruction that update what the other has left, and release the same.
    fn is_same_event(&self, next: &Writer) -> bool {
        let of = |writer: &Writer| (writer.who.warp(), writer.who.epoch, writer.site);
        of(self) == of(next)
            && next.updates
            && next.linked
            && Arc::ptr_eq(&self.view, &next.view)
            && self.releases == next.releases
    }
}

/// So many writers of a location are remembered.
pub(in crate::hb) const MOST_WRITERS: usize = 8;

/// The last writers of a location, as far as a reader observes them.
#[derive(Debug, Default)]
pub(in crate::hb) struct Writers(Vec<Writer>);

impl Writers {
    #[inline]
    pub(in crate::hb) fn add(&mut self, writer: Writer) {
        if !writer.updates {
            self.0.clear();
        }
        if let Some(last) = self.0.last_mut()
            && last.is_same_event(&writer)
        {
            last.who.lanes |= writer.who.lanes;
            return;
        }
        if self.0.len() == MOST_WRITERS {
            self.0.remove(0);
        }
        self.0.push(writer);
    }

    /// The writers, the last one first.
    #[inline]
    pub(in crate::hb) fn newest_first(&self) -> impl Iterator<Item = &Writer> {
        self.0.iter().rev()
    }
}
