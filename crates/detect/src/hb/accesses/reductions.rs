//! Reductions and updates in great number, as histograms make them: remembered by line, if nothing else is
//! there.

use crate::hb::HappensBefore;
use crate::hb::history::{ByLane, Entry, position};
use crate::hb::ids::{BlockNumber, LaneId, StrongLocationId, WarpId, WarpNumber};
use crate::hb::strong_access::StrongAccess;
use warpsan_event::{Access, AccessKind, LaneAddresses};
use warpsan_model::{Order, Scope, Strength};

impl HappensBefore {
    /// Takes an access that is nothing but relaxed reductions or updates which everybody may make at the same
    /// time.
    /// Returns whether it was.
    pub(super) fn plain_reductions(
        &mut self,
        access: &Access<'_>,
        block: BlockNumber,
        owner: Option<BlockNumber>,
    ) -> bool {
        let Strength::Strong { order: Order::Relaxed, scope } = access.strength else {
            return false;
        };
        let reaches_all = match owner {
            Some(owner) => owner == block,
            None => scope >= Scope::Gpu,
        };
        let updates = access.kind == AccessKind::ReadModifyWrite
            && access.wrote == access.mask
            && !self.kernel.may_use_locks
            // A counter of all lanes may be a ticket.
            && !matches!(access.addresses, LaneAddresses::Uniform(_));
        let simple = (updates || access.kind == AccessKind::Reduction)
            && reaches_all
            && access.bytes == 4
            && access.elements == 1
            && access.mask.count_ones() > 1
            && self.diagnosis.locks.is_empty()
            && self.rules.are_whole();
        if !simple {
            return false;
        }
        let site = self.order.site_number(access.site);
        let state = self.order.threads.warp(WarpId { block, warp: WarpNumber(access.warp) });
        // What a lane has released goes with its reductions.
        let is_behind_fence = |lane| state.view(lane).before_fences().is_some();
        if !state.fences.is_empty()
            || !state.memories.is_empty()
            || !state.observed.is_empty()
            || warpsan_model::lanes(access.mask).any(is_behind_fence)
        {
            return false;
        }
        let (epoch, block_known) = (state.epoch, state.block_known);
        if let Some(owner) = owner {
            // A barrier orders an update before all that threads do, but not before a copy through the
            // asynchronous proxy, which needs a fence.
            let may_note =
                updates && !self.order.threads.has_clusters() && !self.kernel.uses_async_copies;
            if may_note && self.note_updates(access, owner) {
                return true;
            }
            self.history.remember_noted_updates(owner);
        }
        let (active, warp) = (access.mask, access.warp as u8);
        let event = self.history.next_event();
        let is_ordered = |old: &Entry| {
            old.is_empty()
                || old.is_of_block(block) && old.epoch <= block_known && !old.read_only_path
        };
        let threads = &self.order.threads;
        let is_permanent = |block, warp, epoch| threads.is_permanent(block, warp, epoch);
        let shadow = self.history.memories.of(owner);
        let mut left = 0u32;
        for (lane, address) in access.lanes() {
            let (base, offset) = position(address);
            let word = u32::from(offset / 4);
            let line = shadow.line(base);
            let by = ByLane { block, epoch, site, active, warp, lane: lane as u8 };
            let taken = match updates {
                true => line.update(by, event, word, is_ordered),
                false => line.reduce(&by, event, word, is_ordered, is_permanent),
            };
            if !taken {
                left |= 1 << lane;
            }
        }
        for (lane, start) in access.addresses.of(access.mask) {
            if left >> lane & 1 == 1 {
                self.strong_element(StrongAccess {
                    id: LaneId { block, warp: WarpNumber(access.warp), lane },
                    location: StrongLocationId { owner, start, bytes: access.bytes },
                    order: Order::Relaxed,
                    scope,
                    writes: true,
                    atomic: true,
                    observes: updates,
                    object: false,
                    site,
                    active: access.mask,
                    value: None,
                });
            }
        }
        // What a flag announces is distinct from what its thread does next.
        if updates && left != 0 {
            self.order.threads.warp(WarpId { block, warp: WarpNumber(access.warp) }).epoch += 1;
        }
        true
    }

    /// Notes updates of the block's own shared memory, if all else that was done there is known to the warp.
    fn note_updates(&mut self, access: &Access<'_>, block: BlockNumber) -> bool {
        let Some(state) =
            self.order.threads.existing_warp(WarpId { block, warp: WarpNumber(access.warp) })
        else {
            return false;
        };
        let (epoch, block_known) = (state.epoch, state.block_known);
        let shadow = self.history.memories.shared.get_or_begin(block);
        let mut lines = access.lanes().map(|(_, address)| address);
        if !lines.all(|address| shadow.has_only_weak_before(address, block, block_known)) {
            // What was seen of the lines is kept only where something is noted: others do not say what they do.
            for (_, address) in access.lanes() {
                shadow.updates.look_again(address);
            }
            return false;
        }
        let site = self.order.site_number(access.site);
        let (active, warp) = (access.mask, access.warp as u8);
        for (lane, address) in access.lanes() {
            let lane = lane as u8;
            shadow.updates.note(address, ByLane { block, epoch, site, active, warp, lane });
        }
        shadow.updates.set_latest(epoch);
        true
    }
}
