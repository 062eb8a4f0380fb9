//! Whether an earlier access is ordered before a new one.

use super::threads::Within;
use crate::clock::{Epoch, Known, View};
use crate::hb::ids::{Agent, BlockNumber, WarpNumber};
use crate::hb::rules::{Rule, Rules};
use warpsan_model::LaunchId;

/// Planes of what is known about asynchronous copies of a block.
pub(in crate::hb) const THREAD_COPIES: u64 = 0;
pub(in crate::hb) const BULK_READ: u64 = 1;
pub(in crate::hb) const BULK_DONE: u64 = 2;

/// Where a view keeps what it knows about copies of a block.
pub(in crate::hb) fn plane(block: BlockNumber, plane: u64) -> u64 {
    block.key() * 4 + plane
}

/// Who makes the new access: lanes of a warp that share a view.
#[derive(Debug, Clone, Copy)]
pub(in crate::hb) struct Observer<'a> {
    pub(in crate::hb) block: BlockNumber,
    pub(in crate::hb) warp: WarpNumber,
    pub(in crate::hb) met: Epoch,
    pub(in crate::hb) block_known: Epoch,
    pub(in crate::hb) view: &'a View,
    /// What lanes of the warp know of each other besides.
    pub(in crate::hb) within: &'a Within,
    /// The access goes through the asynchronous proxy, to global (0) or shared (1) memory.
    pub(in crate::hb) asynchronous: Option<usize>,
    /// The first block of the launch; those below it are of earlier launches.
    pub(in crate::hb) first_block: BlockNumber,
    /// The earlier launches that are remembered. Blocks of others are ordered before everything.
    pub(in crate::hb) earlier: &'a [Earlier],
    pub(in crate::hb) rules: &'a Rules,
}

/// Blocks of an earlier launch.
#[derive(Debug, Clone, Copy)]
pub(in crate::hb) struct Earlier {
    pub(super) first: BlockNumber,
    pub(super) end: BlockNumber,
    pub(in crate::hb) launch: LaunchId,
    /// All of it is ordered before the launch that runs now.
    pub(in crate::hb) ordered: bool,
}

impl Earlier {
    /// Whether a block is one of the launch's.
    #[inline]
    pub(super) fn has(&self, block: BlockNumber) -> bool {
        (self.first..self.end).contains(&block)
    }
}

/// An earlier access, as far as order is concerned.
#[derive(Debug, Clone, Copy)]
pub(in crate::hb) struct Past {
    pub(in crate::hb) block: BlockNumber,
    pub(in crate::hb) warp: WarpNumber,
    pub(in crate::hb) epoch: Epoch,
    pub(in crate::hb) lanes: u32,
    pub(in crate::hb) agent: Agent,
    pub(in crate::hb) writes: bool,
}

impl Observer<'_> {
    /// Whether the block is one of an earlier launch.
    #[inline]
    pub(in crate::hb) fn is_earlier(&self, block: BlockNumber) -> bool {
        block < self.first_block
    }

    /// Whether all of an earlier access by a whole block or warp is ordered before.
    #[inline]
    pub(in crate::hb) fn knows_block(&self, block: BlockNumber, epoch: Epoch) -> bool {
        block == self.block && epoch <= self.block_known && self.asynchronous.is_none()
    }

    /// The lanes of an earlier access that nothing but their being the same thread could order before.
    pub(in crate::hb) fn unknown_lanes(&self, old: &Past) -> u32 {
        if self.is_earlier(old.block) {
            let launch = self.earlier.iter().find(|launch| launch.has(old.block));
            let more = self.view.known.more();
            let has_ended =
                |launch: &Earlier| more.is_some_and(|more| more.ended.contains(launch.launch));
            let is_known = |launch: &Earlier| launch.ordered || has_ended(launch);
            if launch.is_none_or(is_known) {
                return 0;
            }
        }
        match old.agent {
            Agent::Thread => {
                let known = match self.asynchronous {
                    Some(memory) if old.writes => {
                        self.view.known.more().map(|more| &more.fenced[memory])
                    }
                    _ => Some(&self.view.known.threads),
                };
                let met = if self.same_warp(old)
                    && old.epoch <= self.met
                    && (self.asynchronous.is_none() || !old.writes)
                {
                    old.lanes
                } else {
                    0
                };
                old.lanes & !met & !lanes_known(known, old.block.key(), old.warp, old)
            }
            Agent::ThreadCopy => {
                let key = plane(old.block, THREAD_COPIES);
                old.lanes & !lanes_known(self.known_copies(old), key, old.warp, old)
            }
            Agent::BulkCopy | Agent::AsyncStore => {
                let key = plane(old.block, if old.writes { BULK_DONE } else { BULK_READ });
                let (word, bit) = (old.epoch / 32, 1 << (old.epoch % 32));
                let known = self.known_copies(old);
                let known = known.is_some_and(|known| known.lanes(key, word, bit, 1) != 0);
                if known { 0 } else { old.lanes }
            }
        }
    }

    /// The copies that are known to be complete, for a later access than that of `copy`. What is written through the
    /// generic proxy needs a fence before the asynchronous proxy sees it.
    fn known_copies(&self, copy: &Past) -> Option<&Known> {
        let more = self.view.known.more()?;
        Some(match self.asynchronous {
            Some(memory) if copy.writes && copy.agent != Agent::BulkCopy => {
                &more.fenced_copies[memory]
            }
            _ => &more.copies,
        })
    }

    pub(in crate::hb) fn same_warp(&self, old: &Past) -> bool {
        old.block == self.block && old.warp == self.warp
    }

    /// The lanes of an earlier access that are unordered with a given lane.
    pub(in crate::hb) fn unordered_with(&self, old: &Past, lane: u32) -> u32 {
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
            _ => unknown & !(1 << lane) & !self.within.known(lane, unknown, old.epoch),
        }
    }
}

fn lanes_known(known: Option<&Known>, key: u64, warp: WarpNumber, old: &Past) -> u32 {
    known.map_or(0, |known| known.lanes(key, warp.0, old.lanes, old.epoch))
}
