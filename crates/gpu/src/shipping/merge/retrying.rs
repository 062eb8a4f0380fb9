//! Operations that had to wait, tried again.

use super::super::error::ShippingError;
use super::Merger;
use super::blocks::{Pending, Why};
use std::collections::VecDeque;

impl Merger<'_> {
    /// Lets go what can go since something else went.
    pub(super) fn settle(&mut self) -> Result<(), ShippingError> {
        while let Some(key) = self.work.pop() {
            self.retry(key)?;
        }
        Ok(())
    }

    /// Tries the operations of a warp that wait, in their order. Those that wait for others of its lanes come last: where
    /// these lanes are is known then.
    fn retry(&mut self, key: (u32, u32)) -> Result<(), ShippingError> {
        while self.retry_those(key, false)?
            || (self.some_wait_to_reconverge(key) && self.retry_those(key, true)?)
        {}
        Ok(())
    }

    /// Tries the operations of a warp that wait for others of its lanes, or those that wait for something else: whether any of
    /// them went, so that more may go.
    fn retry_those(
        &mut self,
        key: (u32, u32),
        that_reconverge: bool,
    ) -> Result<bool, ShippingError> {
        let Some(block) = self.blocks.get_mut(&key.0) else { return Ok(false) };
        let pending = std::mem::take(&mut block.warps[key.1 as usize].pending);
        let next = self.next_of_lanes(&pending);
        let (mut kept, mut any, mut result) = (0, false, Ok(()));
        let mut rest: VecDeque<Pending> = VecDeque::with_capacity(pending.len());
        for mut one in pending {
            let waiting = self.blocks.get(&key.0).map_or(0, |b| b.warps[key.1 as usize].waiting);
            let is_first = one.left & (kept | waiting) == 0;
            if is_first && one.why == Why::Behind && self.may_reconverge(&one.operation) {
                one.why = Why::Reconverges;
                if let Some(first) = rest.iter_mut().find(|first| first.can_take(&one)) {
                    first.operation.join(&one.operation);
                    first.left |= one.left;
                    kept |= one.left;
                    one.left = 0;
                    any = true;
                }
            } else if is_first
                && result.is_ok()
                && (one.why == Why::Reconverges) == that_reconverge
                && !(that_reconverge && self.waits_to_reconverge(key, &one, &next))
            {
                one.why = Why::NoTurn;
                match self.go(&one.operation, one.left) {
                    Ok(left) => {
                        any |= self.reconverges && left != one.left;
                        one.left = left;
                    }
                    Err(error) => result = Err(error),
                }
            }
            kept |= one.left;
            if one.left == 0 {
                self.queues[one.origin.queue].held.remove(&one.origin.index);
                self.done += 1;
            } else {
                rest.push_back(one);
            }
        }
        if let Some(block) = self.blocks.get_mut(&key.0) {
            let warp = &mut block.warps[key.1 as usize];
            warp.pending = rest;
            warp.pending_lanes = kept;
        }
        result.map(|()| any)
    }
}
