//! Lanes of a warp reconverge where their paths in the code do, for sinks that ask for it ([`EventMask::JOINED`]).
//!
//! In the code, lanes that diverge at a branch reconverge where its paths do. A device may run them on without
//! reconvergence: the assembler may place it later, or nowhere. So an access waits as long as other lanes of its warp are on
//! their way to it, and becomes one with theirs. The device never waits for that: the records of lanes that are ahead are
//! kept until those of the other lanes have come, or until waiting is no use. Lanes that have ended, that are at a barrier,
//! or whose turn at a location has not come are not waited for, since they may wait for the very lanes that would wait for
//! them. Where nothing comes any more, the warp runs without reconvergence from then on.
//!
//! Lanes that diverged inside of a loop do not reconverge before the loop is over: it is not known that all of them come to
//! its next round.
//!
//! [`EventMask::JOINED`]: warpsan_event::EventMask::JOINED

use super::super::error::ShippingError;
use super::super::operation::Operation;
use super::Merger;
use super::blocks::{Pending, Why};
use std::collections::VecDeque;
use warpsan_instrument::record::RecordKind;
use warpsan_model::lanes;

/// Where the lanes of a warp are.
#[derive(Debug, Default)]
pub(super) struct Together {
    /// The site that each lane was seen at last.
    last: [Option<u32>; 32],
    /// The warp runs without reconvergence from now on.
    is_over: bool,
}

/// The first operation of each lane that waits: its site, and why it waits.
pub(super) type NextOfLanes = [Option<(u32, Why)>; 32];

impl Pending {
    /// Whether the lanes of another operation are those that this one waits for.
    pub(super) fn can_take(&self, other: &Pending) -> bool {
        let is_whole = |one: &Pending| one.left == one.operation.header().mask;
        self.why == Why::Reconverges
            && is_whole(self)
            && is_whole(other)
            && self.operation.can_join(&other.operation)
    }
}

impl Merger<'_> {
    /// Whether other lanes of the warp may come to the same operation.
    pub(super) fn may_reconverge(&self, operation: &Operation) -> bool {
        let header = operation.header();
        let is_it =
            self.reconverges && matches!(operation.kind(), RecordKind::Access | RecordKind::Fence);
        let block = self.blocks.get(&header.block).filter(|_| is_it);
        block.is_some_and(|block| {
            let warp = &block.warps[usize::from(header.warp)];
            !warp.together.is_over && warp.live & !header.mask != 0
        })
    }

    /// Whether operations of a warp wait for others of its lanes.
    pub(super) fn some_wait_to_reconverge(&self, (block, warp): (u32, u32)) -> bool {
        let block = self.blocks.get(&block).filter(|_| self.reconverges);
        let pending = block.map(|block| &block.warps[warp as usize].pending);
        pending.is_some_and(|pending| pending.iter().any(|one| one.why == Why::Reconverges))
    }

    /// Lets lanes of an operation go, as far as they can, and remembers where they are. Returns those that cannot.
    pub(super) fn go(&mut self, operation: &Operation, left: u32) -> Result<u32, ShippingError> {
        let stay = self.advance(operation, left)?;
        let header = operation.header();
        if self.reconverges
            && let Some(block) = self.blocks.get_mut(&header.block)
        {
            let last = &mut block.warps[usize::from(header.warp)].together.last;
            lanes(left & !stay).for_each(|lane| last[lane as usize] = Some(header.site));
        }
        Ok(stay)
    }

    /// Where the lanes are whose operations wait.
    pub(super) fn next_of_lanes(&self, pending: &VecDeque<Pending>) -> NextOfLanes {
        let mut next = [None; 32];
        for one in pending.iter().filter(|_| self.reconverges) {
            for lane in lanes(one.left) {
                next[lane as usize].get_or_insert((one.operation.header().site, one.why));
            }
        }
        next
    }

    /// Whether lanes of a warp are on their way to an operation of it.
    pub(super) fn waits_to_reconverge(
        &self,
        (block, warp): (u32, u32),
        one: &Pending,
        next: &NextOfLanes,
    ) -> bool {
        let Some(block) = self.blocks.get(&block) else { return false };
        let warp = &block.warps[warp as usize];
        let site = one.operation.header().site;
        let is_on_its_way = |lane: u32| match next[lane as usize] {
            Some((_, Why::NoTurn)) => false,
            Some((from, _)) => self.launch.paths.is_ahead(site, Some(from)),
            None => self.launch.paths.is_ahead(site, warp.together.last[lane as usize]),
        };
        let others = warp.live & !warp.waiting & !one.left;
        !warp.together.is_over && lanes(others).any(is_on_its_way)
    }

    /// All has come: no lanes wait for others of their warp any more, nor do those that would begin to when the lanes that
    /// wait now have gone.
    pub(super) fn stop_all_reconverging(&mut self) -> Result<(), ShippingError> {
        while self.stop_reconverging()? {}
        Ok(())
    }

    /// Nothing comes for which lanes could wait: those that wait for others of their warp do not any more. Returns
    /// whether there were any.
    pub fn stop_reconverging(&mut self) -> Result<bool, ShippingError> {
        let mut any = false;
        for (number, block) in self.blocks.iter_mut().filter(|_| self.reconverges) {
            for (warp, state) in (0..).zip(&mut block.warps) {
                let together = &mut state.together;
                if !together.is_over && state.pending.iter().any(|one| one.why == Why::Reconverges)
                {
                    together.is_over = true;
                    self.work.push((*number, warp));
                    any = true;
                }
            }
        }
        // By number, so that the events do not depend on how blocks are kept.
        self.work.sort_unstable();
        self.settle().map(|()| any)
    }
}
