//! Lanes that use one counter or flag in one instruction: what all of them do alike is done once.
//!
//! They do it one after the other, the lowest lane first, so each observes what those below it released. Nothing else
//! distinguishes them, and no two of them race.

use super::strong::writers_of;
use crate::hb::HappensBefore;
use crate::hb::diagnosis::Writer;
use crate::hb::history::position;
use crate::hb::ids::{BlockNumber, LaneId, StrongLocationId, WarpLanes, WarpNumber};
use crate::hb::strong_access::StrongAccess;
use warpsan_event::{Access, AccessKind, LaneAddresses};
use warpsan_model::{Order, Strength, lanes};

impl HappensBefore {
    /// Takes relaxed reads or updates of several lanes of one location, if the lanes know and release the same.
    /// Returns whether it was such.
    pub(super) fn strong_together(
        &mut self,
        access: &Access<'_>,
        block: BlockNumber,
        owner: Option<BlockNumber>,
    ) -> bool {
        let Strength::Strong { order: Order::Relaxed, scope } = access.strength else {
            return false;
        };
        let LaneAddresses::Uniform(start) = access.addresses else { return false };
        let updates = match access.kind {
            AccessKind::Read => false,
            AccessKind::ReadModifyWrite if access.wrote == access.mask => true,
            AccessKind::Reduction => true,
            AccessKind::ReadModifyWrite | AccessKind::Write => return false,
        };
        let site = self.order.site_number(access.site);
        let warp = WarpNumber(access.warp);
        let all = WarpLanes { block, warp, mask: access.mask };
        let is_simple = access.mask.count_ones() > 1
            && access.elements == 1
            && self.diagnosis.locks.is_empty()
            && self.history.sites.info(site).takes_locks.is_none()
            && self.order.act_together(all, &self.rules);
        if !is_simple {
            return false;
        }
        let of_lane = |lane| StrongAccess {
            id: LaneId { block, warp, lane },
            location: StrongLocationId { owner, start, bytes: access.bytes },
            order: Order::Relaxed,
            scope,
            writes: updates,
            atomic: updates,
            observes: access.kind != AccessKind::Reduction,
            object: false,
            site,
            active: access.mask,
            value: None,
        };
        let first = of_lane(access.mask.trailing_zeros());
        let (linked, is_written) = self.look_together(&first, all);
        for lane in lanes(access.mask) {
            self.compare_strong(&of_lane(lane));
        }
        let others = all.mask & !(1 << first.id.lane);
        if !updates || linked {
            self.remember_strong(&first, all.mask, linked);
        } else {
            self.remember_strong(&first, 1 << first.id.lane, false);
            self.remember_strong(&of_lane(others.trailing_zeros()), others, true);
        }
        if updates {
            self.write_together(all, (linked, is_written), of_lane);
        }
        let is_flag = updates && (first.observes || access.mask.is_power_of_two());
        if is_flag {
            self.order.threads.warp(all.warp()).epoch += 1;
        }
        true
    }

    /// Lanes observe what is there. Returns whether the first of them is linked with it, and whether it is a strong write.
    fn look_together(&mut self, first: &StrongAccess, all: WarpLanes) -> (bool, bool) {
        let (_, offset) = position(first.location.start);
        let bytes = first.location.bytes;
        let line = self.history.memories.line_of_location(first.location);
        line.separate_reductions(crate::hb::history::range(offset, bytes));
        let linked = self.is_linked(first);
        let line = self.history.memories.line_of_location(first.location);
        let Some(location) = line.existing_location(offset, bytes) else { return (linked, false) };
        let is_written = location.current;
        if !first.observes {
            return (linked, is_written);
        }
        if linked && let Some(chain) = &location.chain {
            self.order.observe_together(all, chain);
        }
        if is_written {
            let location = line.location(offset, bytes);
            let writers = writers_of(location, &self.order.threads);
            if first.writes {
                return (linked, is_written);
            }
            let state = self.order.threads.existing_warp(all.warp());
            let epoch = state.map_or(1, |warp| warp.epoch);
            for lane in lanes(all.mask) {
                let access = StrongAccess { id: LaneId { lane, ..first.id }, ..*first };
                self.diagnosis.handoffs.note_flag(&access, epoch, linked, writers);
            }
        }
        (linked, is_written)
    }

    /// Lanes update what is there, one after the other.
    fn write_together(
        &mut self,
        all: WarpLanes,
        (linked, is_written): (bool, bool),
        of_lane: impl Fn(u32) -> StrongAccess,
    ) {
        let first = of_lane(all.mask.trailing_zeros());
        let location = self.history.memories.location(first.location);
        let writers = &mut location.writers;
        let state = self.order.threads.warp(all.warp());
        for (rank, lane) in lanes(all.mask).enumerate() {
            let access = of_lane(lane);
            let is_linked = linked || rank > 0;
            if first.observes && (is_written || rank > 0) {
                self.diagnosis.handoffs.note_flag(&access, state.epoch, is_linked, writers);
            }
            writers.add(Writer::new(&access, is_linked, state));
        }
        let kind = (linked, first.observes);
        self.order.publish_together(all, kind, &mut location.chain, &self.rules);
    }
}
