//! Whether an earlier access is ordered before a new one.

use super::rules::{Rule, Rules};
use super::shadow::{Agent, Entry, LINE, StrongEntry};
use super::threads::WarpState;
use crate::clock::{Epoch, Known, View};
use warpsan_model::{LaunchId, lanes};

/// Planes of what is known about asynchronous copies of a block.
pub(super) const THREAD_COPIES: u64 = 0;
pub(super) const BULK_READ: u64 = 1;
pub(super) const BULK_DONE: u64 = 2;

/// Where a view keeps what it knows about copies of a block.
pub(super) fn plane(block: u32, plane: u64) -> u64 {
    u64::from(block) * 4 + plane
}

/// Who makes the new access: lanes of a warp that share a view.
#[derive(Debug, Clone, Copy)]
pub(super) struct Who<'a> {
    pub(super) block: u32,
    pub(super) warp: u32,
    pub(super) met: Epoch,
    pub(super) block_known: Epoch,
    pub(super) view: &'a View,
    /// The access goes through the asynchronous proxy, to global (0) or shared (1) memory.
    pub(super) asynchronous: Option<usize>,
    /// The first block of the launch; those below it are of earlier launches.
    pub(super) first_block: u32,
    /// Blocks of earlier launches below this number are ordered before the launch; others are not.
    pub(super) earlier: &'a [Earlier],
    pub(super) rules: &'a Rules,
}

/// Blocks of an earlier launch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Earlier {
    pub(super) first: u32,
    pub(super) end: u32,
    pub(super) launch: LaunchId,
    /// All of it is ordered before the launch that runs now.
    pub(super) ordered: bool,
}

/// An earlier access, as far as order is concerned.
#[derive(Debug, Clone, Copy)]
pub(super) struct Past {
    pub(super) block: u32,
    pub(super) warp: u32,
    pub(super) epoch: Epoch,
    pub(super) lanes: u32,
    pub(super) agent: Agent,
    pub(super) writes: bool,
}

/// Two lanes that nothing orders, and where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) old_warp: u32,
    pub(super) old_lane: u32,
    pub(super) new_lane: u32,
    pub(super) address: u64,
    /// Further bytes of the line that the same two lanes accessed.
    pub(super) further: u128,
}

impl Past {
    pub(super) fn of_entry(entry: &Entry, warp: u32) -> Past {
        Past {
            block: entry.block,
            warp,
            epoch: entry.epoch,
            lanes: entry.lanes,
            agent: entry.agent,
            writes: entry.writes,
        }
    }

    pub(super) fn of_strong(entry: &StrongEntry) -> Past {
        Past {
            block: entry.block,
            warp: u32::from(entry.warp),
            epoch: entry.epoch,
            lanes: entry.lanes,
            agent: Agent::Thread,
            writes: entry.writes,
        }
    }
}

impl<'a> Who<'a> {
    pub(super) fn new(
        (block, warp): (u32, u32),
        state: &WarpState,
        view: &'a View,
        first_block: u32,
        earlier: &'a [Earlier],
        rules: &'a Rules,
    ) -> Who<'a> {
        Who {
            block,
            warp,
            met: state.met,
            block_known: state.block_known,
            view,
            asynchronous: None,
            first_block,
            earlier,
            rules,
        }
    }

    /// Whether the entry is ordered before all lanes of the new one, as far as can be told at once.
    #[inline]
    pub(super) fn surely_after(&self, old: &Entry, new: &Entry) -> bool {
        old.is_of_block(self.block)
            && self.asynchronous.is_none()
            && (old.epoch <= self.block_known
                || u32::from(old.warp) == self.warp
                    && old.others == 0
                    && (old.epoch <= self.met
                        || old.has_same_threads(new)
                            && (old.mapping.is_strided() || old.lanes.is_power_of_two())))
    }

    /// Whether the block is one of an earlier launch.
    #[inline]
    pub(super) fn is_earlier(&self, block: u32) -> bool {
        block < self.first_block
    }

    /// Whether all of an earlier access by a whole block or warp is ordered before.
    #[inline]
    pub(super) fn knows_block(&self, block: u32, epoch: Epoch) -> bool {
        block == self.block && epoch <= self.block_known && self.asynchronous.is_none()
    }

    /// The lanes of an earlier access that nothing but their being the same thread could order before.
    pub(super) fn unknown_lanes(&self, old: &Past) -> u32 {
        if self.is_earlier(old.block) {
            let launch =
                self.earlier.iter().find(|launch| (launch.first..launch.end).contains(&old.block));
            let is_known =
                |launch: &Earlier| launch.ordered || self.view.ended.contains(launch.launch);
            if launch.is_none_or(is_known) {
                return 0;
            }
        }
        match old.agent {
            Agent::Thread => {
                let known = match self.asynchronous {
                    Some(memory) if old.writes => &self.view.fenced[memory],
                    _ => &self.view.threads,
                };
                let met = if self.same_warp(old)
                    && old.epoch <= self.met
                    && (self.asynchronous.is_none() || !old.writes)
                {
                    old.lanes
                } else {
                    0
                };
                old.lanes & !met & !lanes_known(known, u64::from(old.block), old.warp, old)
            }
            Agent::ThreadCopy => {
                let key = plane(old.block, THREAD_COPIES);
                // What `cp.async` writes is written through the generic proxy.
                let known = match self.asynchronous {
                    Some(memory) if old.writes => &self.view.fenced_copies[memory],
                    _ => &self.view.copies,
                };
                old.lanes & !lanes_known(known, key, old.warp, old)
            }
            Agent::BulkCopy => {
                let key = plane(old.block, if old.writes { BULK_DONE } else { BULK_READ });
                let group = self.view.copies.group(key);
                let known = group.is_some_and(|group| {
                    group.known_lanes(old.epoch / 32, 1 << (old.epoch % 32), 1) != 0
                });
                if known { 0 } else { old.lanes }
            }
        }
    }

    pub(super) fn same_warp(&self, old: &Past) -> bool {
        old.block == self.block && old.warp == self.warp
    }

    /// The lanes of an earlier access that are unordered with a given lane.
    pub(super) fn unordered_with(&self, old: &Past, lane: u32) -> u32 {
        let unknown = self.unknown_lanes(old);
        if unknown == 0 || !self.same_warp(old) || old.agent != Agent::Thread {
            return unknown;
        }
        self.rules.count(Rule::LanesAreThreads);
        if !self.rules.applies(Rule::LanesAreThreads) {
            return 0;
        }
        match self.asynchronous {
            // The own writes of the thread have to go through the fence as well.
            Some(_) if old.writes => unknown,
            _ => unknown & !(1 << lane),
        }
    }

    /// Two lanes of an earlier and of the new access that nothing orders: of the same warp, and of another
    /// one. `overlap` has the bytes of the line at `base` that both accessed.
    pub(super) fn unordered_pairs(
        &self,
        old: &Entry,
        new: &Entry,
        overlap: u128,
        base: u64,
    ) -> [Option<Pair>; 2] {
        let is_own = |warp: &u32| old.block == self.block && *warp == self.warp;
        let pair = |warp: u32| {
            let past = Past::of_entry(old, warp);
            self.unordered_with_warp(old, &past, new, overlap, base)
        };
        let own = old.warps().filter(is_own).find_map(pair);
        [own, old.warps().filter(|warp| !is_own(warp)).find_map(pair)]
    }

    fn unordered_with_warp(
        &self,
        old: &Entry,
        past: &Past,
        new: &Entry,
        overlap: u128,
        base: u64,
    ) -> Option<Pair> {
        let unknown = self.unknown_lanes(past);
        if unknown == 0 {
            return None;
        }
        let own = self.same_warp(past) && old.agent == Agent::Thread;
        if own {
            self.rules.count(Rule::LanesAreThreads);
        }
        if own && !self.rules.applies(Rule::LanesAreThreads) {
            return None;
        }
        let may_be_same = own && !(self.asynchronous.is_some() && past.writes);
        let mut left = overlap;
        while left != 0 {
            let offset = left.trailing_zeros();
            left &= left - 1;
            let address = base + u64::from(offset);
            let (old_lanes, new_lanes) = (old.lanes_at(address) & unknown, new.lanes_at(address));
            for new_lane in lanes(new_lanes) {
                let others = if may_be_same { old_lanes & !(1 << new_lane) } else { old_lanes };
                if others != 0 {
                    let old_lane = others.trailing_zeros();
                    let further = both(old, new, (old_lane, new_lane), left, base);
                    let old_warp = past.warp;
                    return Some(Pair { old_warp, old_lane, new_lane, address, further });
                }
            }
        }
        None
    }
}

/// Those of the bytes that a lane of each accessed.
fn both(old: &Entry, new: &Entry, lanes: (u32, u32), bytes: u128, base: u64) -> u128 {
    let mut left = bytes;
    let mut both = 0;
    while left != 0 {
        let offset = left.trailing_zeros();
        left &= left - 1;
        let address = base + u64::from(offset);
        if old.lanes_at(address) >> lanes.0 & new.lanes_at(address) >> lanes.1 & 1 == 1 {
            both |= 1 << offset;
        }
    }
    both
}

fn lanes_known(known: &Known, key: u64, warp: u32, old: &Past) -> u32 {
    known.group(key).map_or(0, |group| group.known_lanes(warp, old.lanes, old.epoch))
}

/// The first byte of the line that has `address`.
pub(super) fn line_of(address: u64) -> u64 {
    address - address % LINE
}
