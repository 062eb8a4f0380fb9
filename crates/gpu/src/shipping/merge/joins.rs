//! Lanes of a warp whose paths have joined go on together, for who wants to hear it so ([`EventMask::JOINED`]).
//!
//! In code lanes that part at a branch are together again where its paths join. A device may let them go on apart: where the
//! assembler lets them join later, or not at all. So an access waits as long as other lanes of its warp are on their
//! way to it, and becomes one with theirs. The device waits for nobody here: records of lanes that are ahead
//! are kept until those of the others have come, or until that cannot be waited for. Lanes are not waited for that
//! have ended, that are at a barrier, or whose turn at a location has not come, since they may wait for the very lanes that
//! would wait for them; and where nothing comes any more, the lanes of the warp count as apart from then on.
//!
//! Lanes that were let apart inside of a loop are not put together before the loop is over: it is not known that all of them
//! come to its next round.
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
    /// The site that each lane was told of last.
    last: [Option<u32>; 32],
    /// Lanes are not put together any more.
    is_over: bool,
}

/// The first operation of each lane that waits: its site, and why it waits.
pub(super) type NextOfLanes = [Option<(u32, Why)>; 32];

impl Pending {
    /// Whether the lanes of another operation are those that this one waits for.
    pub(super) fn can_take(&self, other: &Pending) -> bool {
        let is_whole = |one: &Pending| one.left == one.operation.header().mask;
        self.why == Why::Joins
            && is_whole(self)
            && is_whole(other)
            && self.operation.can_join(&other.operation)
    }
}

impl Merger<'_> {
    /// Whether other lanes of the warp could make the operation, too.
    pub(super) fn may_join(&self, operation: &Operation) -> bool {
        let header = operation.header();
        let is_it =
            self.joins && matches!(operation.kind(), RecordKind::Access | RecordKind::Fence);
        let block = self.blocks.get(&header.block).filter(|_| is_it);
        block.is_some_and(|block| {
            let warp = &block.warps[usize::from(header.warp)];
            !warp.together.is_over && warp.live & !header.mask != 0
        })
    }

    /// Whether operations of a warp wait for others of its lanes.
    pub(super) fn some_wait_to_join(&self, (block, warp): (u32, u32)) -> bool {
        let block = self.blocks.get(&block).filter(|_| self.joins);
        let pending = block.map(|block| &block.warps[warp as usize].pending);
        pending.is_some_and(|pending| pending.iter().any(|one| one.why == Why::Joins))
    }

    /// Lets lanes of an operation go, as far as they can, and remembers where they are. Returns those that cannot.
    pub(super) fn go(&mut self, operation: &Operation, left: u32) -> Result<u32, ShippingError> {
        let stay = self.advance(operation, left)?;
        let header = operation.header();
        if self.joins
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
        for one in pending.iter().filter(|_| self.joins) {
            for lane in lanes(one.left) {
                next[lane as usize].get_or_insert((one.operation.header().site, one.why));
            }
        }
        next
    }

    /// Whether lanes of a warp are on their way to an operation of it.
    pub(super) fn waits_to_join(
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

    /// All has come: nobody waits for others of its warp any more, nor does who would begin to when those that wait now have gone.
    pub(super) fn let_all_apart(&mut self) -> Result<(), ShippingError> {
        while self.let_apart()? {}
        Ok(())
    }

    /// Nothing comes for which lanes could wait: those that wait for others of their warp do not any more. Returns
    /// whether there were any.
    pub fn let_apart(&mut self) -> Result<bool, ShippingError> {
        let mut any = false;
        for (number, block) in self.blocks.iter_mut().filter(|_| self.joins) {
            for (warp, state) in (0..).zip(&mut block.warps) {
                let together = &mut state.together;
                if !together.is_over && state.pending.iter().any(|one| one.why == Why::Joins) {
                    together.is_over = true;
                    self.work.push((*number, warp));
                    any = true;
                }
            }
        }
        // By number, so that what is told does not depend on how blocks are kept.
        self.work.sort_unstable();
        self.settle().map(|()| any)
    }
}
