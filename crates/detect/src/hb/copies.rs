//! Asynchronous copies, as events: they access memory when they begin, and are known to be complete later.

use super::HappensBefore;
use super::history::{Entry, Mapping, Role};
use super::ids::{LaneId, WarpLanes, WarpNumber};
use super::order::Object;
use super::rules::Rule;
use warpsan_event::{CopyBegin, CopyKind, CopySide};
use warpsan_model::{Space, lanes};

impl HappensBefore {
    pub(super) fn copy_begin(&mut self, copies: &CopyBegin<'_>) {
        let block = self.order.block_number(copies.block);
        let site = self.order.site_number(copies.site);
        if copies.kind == CopyKind::Thread {
            self.history.sites.learn_copy(site, copies.to.bytes);
        }
        self.diagnosis.filled.begin();
        for (rank, lane) in lanes(copies.mask).enumerate() {
            let id = LaneId { block, warp: WarpNumber(copies.warp), lane };
            let number = copies.first + rank as u64;
            let (agent, epoch) = self.order.begin_copy(id, copies, number, &self.rules);
            let entry = Entry {
                block,
                epoch,
                site,
                lanes: 1 << lane,
                active: copies.mask,
                warp: copies.warp as u8,
                held: self.diagnosis.locks.held(id, copies.mask),
                mapping: Mapping::UNIFORM,
                agent,
                role: if copies.reduces { Role::Reduces } else { Role::Plain },
                ..Entry::EMPTY
            };
            let lane = (id, copies.mask, rank);
            if let Some(from) = &copies.from {
                self.copy_side(lane, Entry { role: Role::Plain, ..entry }, from);
            }
            self.copy_side(lane, Entry { writes: true, ..entry }, &copies.to);
        }
    }

    /// One side of a copy of a lane, which is the `rank`th of its mask.
    fn copy_side(
        &mut self,
        (id, mask, rank): (LaneId, u32, usize),
        entry: Entry,
        side: &CopySide<'_>,
    ) {
        let owner = (side.space == Space::Shared).then(|| self.order.block_number(side.owner));
        if !matches!(side.space, Space::Shared | Space::Global) {
            return;
        }
        let Some((_, address)) = side.addresses.of(mask).nth(rank) else { return };
        if entry.writes {
            self.diagnosis.filled.add(entry.site, owner, address);
        }
        self.weak_range(id, entry, owner, address, u64::from(side.bytes));
    }

    /// Lanes have waited for their own copies.
    pub(super) fn copy_wait(
        &mut self,
        waiting: WarpLanes,
        (bulk, read): (bool, bool),
        before: &[u64],
    ) {
        self.rules.count(if read { Rule::CopyWaitRead } else { Rule::CopyWait });
        if !self.rules.applies(Rule::CopyWait) {
            return;
        }
        let read = read && self.rules.applies(Rule::CopyWaitRead);
        self.order.wait_for_copies(waiting, (bulk, read), before);
    }

    /// A copy, or the copies of a thread up to one, signalled an `mbarrier` object that they are complete.
    pub(super) fn copy_signal(
        &mut self,
        issuer: LaneId,
        copy: Option<u64>,
        object: Object,
        phase: u64,
    ) {
        let Some(copy) = copy else { return };
        self.rules.count(Rule::CopySignal);
        if self.rules.applies(Rule::CopySignal) {
            self.order.signal_object(issuer, copy, object, phase);
        }
    }
}
