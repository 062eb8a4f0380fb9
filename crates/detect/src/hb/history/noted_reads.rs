//! Reads of a block's own shared memory, which are noted until somebody has to know them.

use super::segments::segments_of_read;
use super::{Entry, History, Segment, ThisLaunch};
use crate::clock::Epoch;
use crate::hb::ids::BlockNumber;

/// How well it pays to note reads of shared memory.
#[derive(Debug, Default)]
pub(in crate::hb) struct NotedReads {
    pub(in crate::hb) noted: u64,
    /// Those that had to be remembered after all.
    remembered: u64,
}

/// Fewer reads say nothing about a kernel.
const SAMPLE: u64 = 4096;

impl NotedReads {
    /// A kernel that writes what it reads without a barrier in between is better off without.
    pub(in crate::hb) fn pays(&self) -> bool {
        self.remembered < SAMPLE || self.remembered * 2 < self.noted
    }
}

impl History {
    /// Makes the reads that were noted part of what is remembered of a block's shared memory.
    #[inline(never)]
    pub(in crate::hb) fn remember_noted_reads(
        &mut self,
        block: BlockNumber,
        first_block: BlockNumber,
    ) {
        let Some(shadow) = self.memories.shared.get_mut(block) else { return };
        shadow.updates.look_everywhere_again();
        let launch = ThisLaunch { first_block, blocks_never_meet: false };
        let mut pending = std::mem::take(&mut shadow.pending);
        pending.take(|read, addresses| {
            self.noted_reads.remembered += 1;
            let entry = Entry {
                block,
                epoch: read.epoch,
                site: read.site,
                active: read.mask,
                warp: read.warp,
                ..Entry::EMPTY
            };
            let size = u64::from(read.size);
            segments_of_read(&addresses, (read.mask, read.mask), size, |segment: Segment| {
                let (lanes, mapping) = (segment.lanes, segment.mapping());
                let entry = Entry { lanes, mapping, ..entry };
                segment.for_each_line(size, |base, cover| {
                    let line = shadow.line(base);
                    line.add_read(entry.with_cover(cover), |_| false, |_| false, launch);
                });
            });
        });
        shadow.pending = pending;
    }

    /// Makes the updates that were noted part of what is remembered of a block's shared memory.
    pub(in crate::hb) fn remember_noted_updates(&mut self, block: BlockNumber) {
        if let Some(shadow) = self.memories.shared.get_mut(block)
            && !shadow.updates.are_before(0)
        {
            shadow.remember_updates();
        }
    }

    /// All of the block know by now what was noted of its shared memory up to this epoch.
    pub(in crate::hb) fn forget_noted(&mut self, block: BlockNumber, known: Epoch) {
        let Some(shadow) = self.memories.shared.get_mut(block) else { return };
        if shadow.pending.is_before(known) {
            shadow.pending.clear();
        }
        if shadow.updates.are_before(known) {
            shadow.updates.clear();
        }
    }
}
