//! Asynchronous copies: agents of their own, which begin after what their thread did and end when
//! somebody has waited for them.

use super::compare::{BULK_DONE, BULK_READ, THREAD_COPIES, plane};
use super::rules::Rule;
use super::shadow::{Agent, Entry, Mapping, Role};
use super::threads::LaneId;
use super::{HappensBefore, SiteInfo};
use crate::clock::View;
use warpsan_event::{CopyBegin, CopyKind, CopySide};
use warpsan_model::{BlockIndex, SiteId, Space, lanes};

/// Where a copy that was begun is remembered.
#[derive(Debug, Clone, Copy)]
pub(super) struct BulkCopy {
    block: u32,
    /// Its number in the block.
    index: u32,
    /// Bytes that it copies.
    bytes: u32,
}

/// What a bulk copy told about its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct BulkEnd {
    /// The `mbarrier` object that it told.
    pub(super) object: (u32, u64),
    pub(super) phase: u64,
}

impl HappensBefore {
    pub(super) fn copy_begin(&mut self, copies: &CopyBegin<'_>) {
        let block = self.block_number(copies.block);
        if copies.kind == CopyKind::Thread {
            self.learn_copying_site(copies.site, copies.to.bytes);
        }
        for (rank, lane) in lanes(copies.mask).enumerate() {
            let id = LaneId { block, warp: copies.warp, lane };
            let number = copies.first + rank as u64;
            self.rules.count(Rule::CopiesAreAsynchronous);
            let (agent, epoch) = self.begin_copy(id, copies, number);
            let entry = Entry {
                block,
                epoch,
                site: self.site_number(copies.site),
                lanes: 1 << lane,
                active: copies.mask,
                warp: copies.warp as u8,
                held: self.locks.held(id),
                mapping: Mapping::UNIFORM,
                agent,
                role: if copies.reduces { Role::Reduces } else { Role::Plain },
                ..Entry::EMPTY
            };
            if let Some(from) = &copies.from {
                self.copy_side(id, Entry { role: Role::Plain, ..entry }, from, copies.mask, rank);
            }
            let writes = Entry { writes: true, ..entry };
            self.copy_side(id, writes, &copies.to, copies.mask, rank);
        }
    }

    /// The size of a copy by `cp.async` is part of the instruction.
    fn learn_copying_site(&mut self, site: SiteId, bytes: u32) {
        let site = self.site_number(site) as usize;
        if self.sites.len() <= site {
            self.sites.resize(site + 1, SiteInfo::default());
        }
        self.sites[site].bytes = bytes as u8;
    }

    /// Gives the copy a place in the thread's or the block's count.
    fn begin_copy(&mut self, id: LaneId, copies: &CopyBegin<'_>, number: u64) -> (Agent, u32) {
        if !self.rules.applies(Rule::CopiesAreAsynchronous) {
            return (Agent::Thread, self.threads.warp(id.block, id.warp).epoch);
        }
        if copies.kind == CopyKind::Thread {
            let copies = &mut self.threads.warp(id.block, id.warp).memory(id.lane).thread_copies;
            copies.push(number);
            return (Agent::ThreadCopy, copies.len() as u32);
        }
        // A copy to several blocks begins once for each.
        if let Some(known) = self.bulk_copies.get(&number) {
            return (Agent::BulkCopy, known.index);
        }
        let state = self.threads.block(id.block);
        let index = state.bulk_copies;
        state.bulk_copies += 1;
        state.warps[id.warp as usize].memory(id.lane).bulk_copies.push((number, index));
        let bytes = copies.to.bytes;
        self.bulk_copies.insert(number, BulkCopy { block: id.block, index, bytes });
        (Agent::BulkCopy, index)
    }

    /// How many bytes a bulk copy copies, by its number in the block. Those of earlier launches are not known.
    pub(super) fn bytes_of_bulk_copy(&self, block: u32, index: u32) -> u32 {
        let mut copies = self.bulk_copies.values();
        let copy = copies.find(|copy| (copy.block, copy.index) == (block, index));
        copy.map_or(0, |copy| copy.bytes)
    }

    fn copy_side(&mut self, id: LaneId, entry: Entry, side: &CopySide<'_>, mask: u32, rank: usize) {
        let owner = (side.space == Space::Shared).then(|| self.block_number(side.owner));
        if !matches!(side.space, Space::Shared | Space::Global) {
            return;
        }
        let Some((_, address)) = side.addresses.of(mask).nth(rank) else { return };
        self.weak_range(id, entry, owner, address, u64::from(side.bytes));
    }

    /// Lanes have waited for their own copies.
    pub(super) fn copy_wait(
        &mut self,
        (block, warp, mask): (BlockIndex, u32, u32),
        (bulk, read): (bool, bool),
        before: &[u64],
    ) {
        let block = self.block_number(block);
        self.rules.count(if read { Rule::CopyWaitRead } else { Rule::CopyWait });
        if !self.rules.applies(Rule::CopyWait) {
            return;
        }
        let read = read && self.rules.applies(Rule::CopyWaitRead);
        let state = self.threads.warp(block, warp);
        let mut learned: Vec<(u32, View)> = Vec::new();
        for (rank, lane) in lanes(mask).enumerate() {
            let Some(before) = before.get(rank) else { continue };
            let Some(memory) = state.memories.get(&lane) else { continue };
            let mut view = View::default();
            if bulk {
                for (number, index) in &memory.bulk_copies {
                    if number < before {
                        learn_bulk(&mut view, block, *index, !read);
                    }
                }
            } else {
                let count = memory.thread_copies.partition_point(|number| number < before) as u32;
                if count > 0 {
                    let key = plane(block, THREAD_COPIES);
                    view.copies.update(key, |group| group.learn(warp, 1 << lane, count));
                }
            }
            learned.push((lane, view));
        }
        // All lanes of a warp mostly wait alike; each knows only its own copies.
        for (lane, view) in learned {
            self.threads.learn_together(block, warp, 1 << lane, &view);
        }
    }

    /// A copy, or the copies of a thread up to one, told an `mbarrier` object that they are complete.
    pub(super) fn copy_signal(
        &mut self,
        issuer: LaneId,
        copy: Option<u64>,
        object: (u32, u64),
        phase: u64,
    ) {
        let Some(copy) = copy else { return };
        self.rules.count(Rule::CopySignal);
        if !self.rules.applies(Rule::CopySignal) {
            return;
        }
        let mut view = View::default();
        // A bulk copy tells right when it ends; otherwise it is an arrival on behalf of `cp.async`.
        let bulk = self.bulk_copies.get(&copy).filter(|_| self.just_ended == Some(copy));
        if let Some(BulkCopy { block, index, .. }) = bulk.copied() {
            learn_bulk(&mut view, block, index, true);
            self.bulk_ends.insert((block, index), BulkEnd { object, phase });
        } else {
            let state = self.threads.warp(issuer.block, issuer.warp);
            let Some(memory) = state.memories.get(&issuer.lane) else { return };
            let count = memory.thread_copies.partition_point(|number| *number <= copy) as u32;
            if count > 0 {
                let key = plane(issuer.block, THREAD_COPIES);
                view.copies.update(key, |group| group.learn(issuer.warp, 1 << issuer.lane, count));
            }
        }
        let (_, copies) = self.objects.entry(object).or_default().of(phase);
        copies.join(&view);
    }
}

/// A bulk copy has read its source, and is complete, if `done`.
fn learn_bulk(view: &mut View, block: u32, index: u32, done: bool) {
    let planes: &[u64] = if done { &[BULK_READ, BULK_DONE] } else { &[BULK_READ] };
    for which in planes {
        let key = plane(block, *which);
        view.copies.update(key, |group| group.learn(index / 32, 1 << (index % 32), 1));
    }
}
