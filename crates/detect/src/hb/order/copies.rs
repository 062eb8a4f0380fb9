//! Asynchronous copies: agents of their own, which begin after what their thread did and end when
//! somebody has waited for them.

use super::CausalityOrder;
use super::compare::{BULK_DONE, BULK_READ, THREAD_COPIES, plane};
use super::objects::Object;
use crate::clock::{Join, Knowledge, View};
use crate::hb::ids::{Agent, BlockNumber, LaneId, WarpLanes};
use crate::hb::rules::{Rule, Rules};
use rustc_hash::FxHashMap;
use warpsan_event::{CopyBegin, CopyKind};
use warpsan_model::lanes;

/// A bulk copy that was begun.
#[derive(Debug, Clone, Copy)]
struct BulkCopy {
    id: BulkCopyId,
    /// Bytes that it copies.
    bytes: u32,
}

/// A bulk copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct BulkCopyId {
    block: BlockNumber,
    /// Its number in the block.
    index: u32,
}

/// How others come to know of the end of a bulk copy.
#[derive(Debug, Clone, Copy)]
pub(in crate::hb) struct CopyEnd {
    /// The `mbarrier` object that it signals; none if its thread waits for it.
    pub(in crate::hb) object: Option<Object>,
    /// Who knows the end of one knows that of those with smaller numbers.
    pub(in crate::hb) order: u64,
}

/// The bulk copies of a launch.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// By their number in the launch.
    begun: FxHashMap<u64, BulkCopy>,
    just_ended: Option<u64>,
    /// Those that have signalled an `mbarrier` object.
    signalled: FxHashMap<BulkCopyId, CopyEnd>,
}

impl Copies {
    pub(super) fn clear(&mut self) {
        *self = Copies::default();
    }
}

impl CausalityOrder {
    /// A lane begins a copy, whose number in the launch is given: who accesses memory then, and in which epoch.
    pub(in crate::hb) fn begin_copy(
        &mut self,
        id: LaneId,
        copies: &CopyBegin<'_>,
        number: u64,
        rules: &Rules,
    ) -> (Agent, u32) {
        rules.count(Rule::CopiesAreAsynchronous);
        if !rules.applies(Rule::CopiesAreAsynchronous) {
            return (Agent::Thread, self.threads.warp(id.warp()).epoch);
        }
        if copies.kind == CopyKind::Thread {
            let copies = &mut self.threads.warp(id.warp()).memory(id.lane).thread_copies;
            copies.push(number);
            return (Agent::ThreadCopy, copies.len() as u32);
        }
        let agent =
            if copies.kind == CopyKind::Store { Agent::AsyncStore } else { Agent::BulkCopy };
        // A copy to several blocks begins once for each.
        if let Some(known) = self.copies.begun.get(&number) {
            return (agent, known.id.index);
        }
        let state = self.threads.block(id.block);
        let index = state.bulk_copies;
        state.bulk_copies += 1;
        state.warps[id.warp.index()].memory(id.lane).bulk_copies.push((number, index));
        let (id, bytes) = (BulkCopyId { block: id.block, index }, copies.to.bytes);
        self.copies.begun.insert(number, BulkCopy { id, bytes });
        (agent, index)
    }

    /// A copy has ended. If it is a bulk copy, a signal for it comes next.
    pub(in crate::hb) fn end_copy(&mut self, number: u64) {
        self.copies.just_ended = Some(number);
    }

    /// How many bytes a bulk copy copies, by its number in the block. Those of earlier launches are not known.
    pub(in crate::hb) fn bytes_of_bulk_copy(&self, block: BlockNumber, index: u32) -> u32 {
        let mut copies = self.copies.begun.values();
        let copy = copies.find(|copy| copy.id == BulkCopyId { block, index });
        copy.map_or(0, |copy| copy.bytes)
    }

    /// How others come to know of the end of a bulk copy, if that is known. Copies to global memory are waited for by
    /// their thread, others signal an `mbarrier` object.
    pub(in crate::hb) fn bulk_end(
        &self,
        block: BlockNumber,
        index: u32,
        to_global: bool,
    ) -> Option<CopyEnd> {
        match self.copies.signalled.get(&BulkCopyId { block, index }) {
            Some(end) => Some(*end),
            None if to_global => Some(CopyEnd { object: None, order: u64::from(index) }),
            None => None,
        }
    }

    /// Lanes have waited for their own copies. `before` has, by active lane, the number below which its copies are
    /// complete.
    pub(in crate::hb) fn wait_for_copies(
        &mut self,
        waiting: WarpLanes,
        (bulk, read): (bool, bool),
        before: &[u64],
    ) {
        let WarpLanes { block, warp, mask } = waiting;
        let state = self.threads.warp(waiting.warp());
        let mut learned: Vec<(u32, Knowledge)> = Vec::new();
        for (rank, lane) in lanes(mask).enumerate() {
            let Some(before) = before.get(rank) else { continue };
            let Some(memory) = state.memories.get(&lane) else { continue };
            let mut view = Knowledge::default();
            if bulk {
                for (number, index) in &memory.bulk_copies {
                    if number < before {
                        learn_bulk(&mut view, BulkCopyId { block, index: *index }, !read);
                    }
                }
            } else {
                let count = memory.thread_copies.partition_point(|number| number < before) as u32;
                if count > 0 {
                    let key = plane(block, THREAD_COPIES);
                    view.more_mut().copies.learn(key, warp.0, 1 << lane, count);
                }
            }
            learned.push((lane, view));
        }
        // All lanes of a warp mostly wait alike; each knows only its own copies.
        for (lane, view) in learned {
            self.threads.learn_together(WarpLanes { mask: 1 << lane, ..waiting }, &View::of(view));
        }
    }

    /// A copy, or the copies of a thread up to one, signalled an `mbarrier` object that they are complete.
    pub(in crate::hb) fn signal_object(
        &mut self,
        issuer: LaneId,
        copy: u64,
        object: Object,
        phase: u64,
    ) {
        let mut view = Knowledge::default();
        // A bulk copy signals right when it ends; otherwise it is an arrival on behalf of `cp.async`.
        let just_ended = self.copies.just_ended == Some(copy);
        let bulk = self.copies.begun.get(&copy).filter(|_| just_ended);
        if let Some(BulkCopy { id, .. }) = bulk.copied() {
            learn_bulk(&mut view, id, true);
            self.copies.signalled.insert(id, CopyEnd { object: Some(object), order: phase });
        } else {
            let state = self.threads.warp(issuer.warp());
            let Some(memory) = state.memories.get(&issuer.lane) else { return };
            let count = memory.thread_copies.partition_point(|number| *number <= copy) as u32;
            if count > 0 {
                let key = plane(issuer.block, THREAD_COPIES);
                let copies = &mut view.more_mut().copies;
                copies.learn(key, issuer.warp.0, 1 << issuer.lane, count);
            }
        }
        let (_, copies) = self.objects.of(object).of(phase);
        copies.join(&view);
    }
}

/// A bulk copy has read its source, and is complete, if `done`.
fn learn_bulk(view: &mut Knowledge, BulkCopyId { block, index }: BulkCopyId, done: bool) {
    let planes: &[u64] = if done { &[BULK_READ, BULK_DONE] } else { &[BULK_READ] };
    for which in planes {
        let key = plane(block, *which);
        view.more_mut().copies.learn(key, index / 32, 1 << (index % 32), 1);
    }
}
