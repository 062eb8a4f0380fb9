//! The last writers of a location, with what each of them released: data for hand-offs.

use crate::clock::{Epoch, View};
use crate::hb::history::StrongEntry;
use crate::hb::ids::{BlockNumber, SiteNumber, WarpId, WarpNumber};
use crate::hb::order::{Fence, Threads, WarpState};
use crate::hb::strong_access::StrongAccess;
use std::sync::Arc;
use warpsan_model::{Order, Scope};

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
    /// It is a `fence.sc`.
    pub(in crate::hb) is_sc: bool,
    /// When it was executed.
    pub(in crate::hb) epoch: Epoch,
}

impl End {
    /// An operation that is no fence.
    pub(in crate::hb) fn of_operation(site: SiteNumber, scope: Scope, epoch: Epoch) -> End {
        End { site, scope, is_fence: false, is_sc: false, epoch }
    }

    #[inline]
    pub(in crate::hb) fn of_fence(fence: &Fence) -> End {
        let Fence { site, scope, epoch, .. } = *fence;
        End { site, scope, is_fence: true, is_sc: fence.order == Order::SeqCst, epoch }
    }

    /// What may release what a lane did before: its operation itself, or fences before it.
    pub(in crate::hb) fn releasing(own: Option<End>, lane: u32, state: &WarpState) -> Vec<End> {
        let is_of_lane = |fence: &&Fence| fence.lanes >> lane & 1 == 1 && fence.order.releases();
        let fences = state.fences.iter().filter(is_of_lane).map(End::of_fence);
        own.into_iter().chain(fences).collect()
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
    /// What its thread did next is of another epoch. That is not so for reductions of many lanes.
    pub(in crate::hb) is_alone: bool,
}

impl Writer {
    /// A strong write of a lane, whose warp is in this state.
    pub(in crate::hb) fn new(access: &StrongAccess, linked: bool, state: &WarpState) -> Writer {
        let id = access.id;
        let (site, scope, epoch) = (access.site, access.scope, state.epoch);
        let own = access.order.releases().then_some(End::of_operation(site, scope, epoch));
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
            releases: End::releasing(own, id.lane, state),
            linked,
            updates: access.atomic,
            is_alone: !access.atomic
                || access.observes
                || access.order.releases()
                || access.active.is_power_of_two()
                || !state.fences.is_empty(),
        }
    }
}

impl Writer {
    /// A strong write that was remembered without what its thread knew. That is known only if nothing came since.
    fn of_entry(entry: &StrongEntry, threads: &Threads) -> Writer {
        let StrongEntry { block, epoch, site, lanes, .. } = *entry;
        let warp = WarpNumber::of_entry(entry.warp);
        let state = threads.existing_warp(WarpId { block, warp });
        let state = state.filter(|state| state.epoch == epoch);
        Writer {
            who: Point { block, warp, lanes, epoch, met: state.map_or(0, |state| state.met) },
            site,
            view: state
                .map_or_else(Arc::default, |state| Arc::clone(state.view(lanes.trailing_zeros()))),
            releases: Vec::new(),
            linked: true,
            updates: entry.atomic,
            is_alone: false,
        }
    }

    /// Whether it comes after a point of a thread. Where that is the access of an instruction in the same epoch, the place
    /// in the text decides.
    pub(super) fn is_after(&self, from: &Point, access: Option<SiteNumber>) -> bool {
        let is_vague =
            !self.is_alone && from.epoch == self.who.epoch && from.shares_a_thread(&self.who);
        match access {
            Some(site) if is_vague => site < self.site,
            _ => self.who.is_after(&self.view, from),
        }
    }

    /// Whether the same instruction of the same lanes wrote before.
    fn is_again(&self, before: &Writer) -> bool {
        self.who.warp() == before.who.warp()
            && self.who.lanes == before.who.lanes
            && self.site == before.site
    }

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

/// So many writers of a location are remembered, at least; twice as many are too many.
const ENOUGH_WRITERS: u32 = 64;
/// A writer that comes again is looked for among so many.
const SPINNING: usize = 12;

/// The last writers of a location, as far as a reader observes them: a list that readers share, the newest first.
#[derive(Debug, Default, Clone)]
pub(in crate::hb) struct Writers(Option<Arc<Node>>);

#[derive(Debug)]
struct Node {
    writer: Writer,
    before: Writers,
    /// Of the list that begins here.
    length: u32,
}

impl Writers {
    /// The list of one writer.
    pub(super) fn of(writer: Writer) -> Writers {
        let mut writers = Writers::default();
        writers.push(writer);
        writers
    }

    /// Those of strong writes that were remembered without what their threads knew.
    pub(in crate::hb) fn of_entries(entries: &[StrongEntry], threads: &Threads) -> Writers {
        let mut writers = Writers::default();
        for entry in entries.iter().filter(|entry| entry.writes && !entry.object) {
            writers.add(Writer::of_entry(entry, threads));
        }
        writers
    }

    pub(in crate::hb) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// A write. Who observes it observes those before it, too, if it continues them.
    pub(in crate::hb) fn add(&mut self, writer: Writer) {
        if !writer.updates {
            self.0 = None;
        }
        match &self.0 {
            Some(node) if node.writer.is_same_event(&writer) => {
                let mut all = node.writer.clone();
                all.who.lanes |= writer.who.lanes;
                *self = node.before.clone();
                self.push(all);
            }
            _ => {
                self.forget_earlier(&writer);
                self.push(writer);
            }
        }
        if self.0.as_ref().is_some_and(|node| node.length >= 2 * ENOUGH_WRITERS) {
            self.forget_oldest();
        }
    }

    /// A thread that updates a location again and again, as who spins does, is among its writers once.
    fn forget_earlier(&mut self, next: &Writer) {
        let newest = || self.newest_first().take(SPINNING);
        let is_again = |writer: &Writer| next.linked && next.is_again(writer);
        let Some(place) = newest().position(is_again) else { return };
        let between: Vec<Writer> = newest().take(place).cloned().collect();
        // Where the two are not morally strong, those before are not either.
        if between.iter().any(|writer| !writer.linked) {
            return;
        }
        let mut rest = self.clone();
        for _ in 0..=place {
            rest = rest.0.map_or_else(Writers::default, |node| node.before.clone());
        }
        *self = rest;
        between.into_iter().rev().for_each(|writer| self.push(writer));
    }

    /// Whether it is the other list, continued by a few writers.
    pub(super) fn continues(&self, other: &Writers) -> bool {
        let Some(last) = other.newest_first().next() else { return true };
        let is_it = |writer: &Writer| writer.is_again(last) && writer.who.epoch >= last.who.epoch;
        self.newest_first().take(SPINNING).any(is_it)
    }

    fn push(&mut self, writer: Writer) {
        let before = std::mem::take(self);
        let length = before.0.as_ref().map_or(0, |node| node.length) + 1;
        self.0 = Some(Arc::new(Node { writer, before, length }));
    }

    fn forget_oldest(&mut self) {
        let newest: Vec<Writer> =
            self.newest_first().take(ENOUGH_WRITERS as usize).cloned().collect();
        self.0 = None;
        newest.into_iter().rev().for_each(|writer| self.push(writer));
    }

    /// The writers, the last one first.
    pub(in crate::hb) fn newest_first(&self) -> impl Iterator<Item = &Writer> {
        std::iter::successors(self.0.as_deref(), |last| last.before.0.as_deref())
            .map(|node| &node.writer)
    }
}
