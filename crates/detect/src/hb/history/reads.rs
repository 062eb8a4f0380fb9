//! Remembering reads: all of them that a later write may race with, and no others.

use super::line::{Line, More};
use super::{Entry, ThisLaunch};
use crate::hb::ids::{Agent, BlockNumber, WarpNumber};
use std::collections::HashMap;

/// Lists below this length are not thinned out.
const SHORT: usize = 8;
/// A read is put together with one of so many before it; others are found when the list is thinned out.
const SEARCHED: usize = 40;

impl Line {
    /// Remembers a read. `is_ordered` says of an earlier one that it is ordered before the new one,
    /// whichever lanes; `is_permanent` that nobody of the launch can come to know of it any more.
    #[inline]
    pub(crate) fn add_read(
        &mut self,
        new: Entry,
        is_ordered: impl Fn(&Entry) -> bool,
        is_permanent: impl Fn(&Entry) -> bool,
        launch: ThisLaunch,
    ) {
        if let Some(more) = &self.more
            && new.cover() & !more.settled(launch) == 0
            && !new.read_only_path
        {
            return;
        }
        if self.first.is_empty() {
            self.first = new;
            return;
        }
        if launch.blocks_never_meet && !new.read_only_path {
            let settled = self.first.has_two_blocks()
                && launch.has(&self.first)
                && new.cover() & !self.first.cover() == 0;
            if settled || self.first.unite_blocks(&new) {
                return;
            }
        }
        if !self.first.writes {
            if self.first.is_alike(&new) {
                self.first.set_cover(self.first.cover() | new.cover());
                return;
            }
            if self.first.others >> new.warp & 1 == 1 && self.first.covers_as(&new) {
                return;
            }
            if stands_for(&new, &self.first, launch, &is_ordered) {
                self.first = new;
                return;
            }
            leave_to(&new, &mut self.first);
        }
        let more = self.more.get_or_insert_default();
        let changed = more.add_read(new, &self.first, is_ordered, is_permanent, launch);
        if let Some(index) = changed {
            more.unite_with_twin(&mut self.first, index);
        }
    }
}

impl More {
    fn add_read(
        &mut self,
        new: Entry,
        first: &Entry,
        is_ordered: impl Fn(&Entry) -> bool,
        is_permanent: impl Fn(&Entry) -> bool,
        launch: ThisLaunch,
    ) -> Option<usize> {
        // Most reads are one more of something that is there.
        let length = self.entries.len();
        let recent = || (0..length).rev().take(SEARCHED);
        let alike = recent().find(|index| {
            let old = &self.entries[*index];
            old.site == new.site
                && old.lanes == new.lanes
                && (old.is_alike(&new) || old.others >> new.warp & 1 == 1 && old.covers_as(&new))
        });
        if let Some(index) = alike {
            let old = &mut self.entries[index];
            let before = old.cover();
            old.set_cover(before | new.cover());
            return (old.cover() != before).then_some(index);
        }
        if launch.blocks_never_meet && !new.read_only_path {
            let mut recent = self.entries.iter_mut().rev().take(SEARCHED);
            if recent.any(|old| old.unite_blocks(&new)) {
                self.settle(new.cover(), launch);
                return None;
            }
        }
        let superseded =
            recent().find(|index| stands_for(&new, &self.entries[*index], launch, &is_ordered));
        if let Some(index) = superseded {
            self.entries[index] = new;
            return Some(index);
        }
        for old in &mut self.entries {
            leave_to(&new, old);
        }
        self.push(new);
        if launch.blocks_never_meet && !new.read_only_path {
            self.settle_by_two_blocks(first, &new, launch);
        }
        if self.entries.len() >= (self.read_limit as usize).max(SHORT) {
            self.settle_by_permanent(first, is_permanent, launch);
            self.drop_superseded(launch);
            self.read_limit = (self.entries.len() * 2).max(SHORT) as u32;
            return None;
        }
        Some(self.entries.len() - 1)
    }

    /// Puts an entry together with one of other warps that did the very same.
    fn unite_with_twin(&mut self, first: &mut Entry, index: usize) {
        let changed = self.entries[index];
        let mut others = self.entries.iter_mut().enumerate().filter(|(other, _)| *other != index);
        if first.unite(&changed) || others.any(|(_, other)| other.unite(&changed)) {
            self.entries.remove(index);
        }
    }

    /// Keeps the newest of the reads by the same threads.
    fn drop_superseded(&mut self, launch: ThisLaunch) {
        let mut newest: HashMap<(BlockNumber, u8, Agent), Vec<Entry>> = HashMap::new();
        let mut kept = Vec::with_capacity(self.entries.len());
        for read in self.entries.iter().rev() {
            if read.writes {
                kept.push(*read);
                continue;
            }
            let later = newest.entry((read.block, read.warp, read.agent)).or_default();
            if !later.iter().any(|later| stands_for(later, read, launch, |_| false)) {
                later.push(*read);
                kept.push(*read);
            }
        }
        kept.reverse();
        self.entries = kept;
    }

    /// Where threads of two blocks have read a byte, whoever writes it races with one of them.
    fn settle_by_two_blocks(&mut self, first: &Entry, new: &Entry, launch: ThisLaunch) {
        let others = std::iter::once(first).chain(&self.entries).filter(|entry| !entry.writes);
        let of_another = others.filter(|read| {
            (read.block != new.block || read.has_two_blocks())
                && launch.has(read)
                && !read.read_only_path
        });
        let seen = of_another.fold(0, |seen, read| seen | read.cover());
        self.settle(seen & new.cover(), launch);
    }

    /// Where a read can never be known to anybody of the launch, whoever writes races with it; others of the
    /// launch need not be remembered.
    fn settle_by_permanent(
        &mut self,
        first: &Entry,
        is_permanent: impl Fn(&Entry) -> bool,
        launch: ThisLaunch,
    ) {
        let counts = |entry: &Entry| !entry.writes && !entry.read_only_path && is_permanent(entry);
        let mut settled = if counts(first) { first.cover() } else { 0 };
        // The first one for each byte stays; what it settles is taken from all others.
        self.entries.retain_mut(|read| {
            if read.read_only_path || read.writes || !launch.has(read) {
                return true;
            }
            read.set_cover(read.cover() & !settled);
            if counts(read) {
                settled |= read.cover();
            }
            !read.is_empty()
        });
        self.settle(settled, launch);
    }
}

/// Leaves the warp of a new read out of an older one of several warps, which the new one stands for.
fn leave_to(new: &Entry, old: &mut Entry) {
    if old.others != 0 && !old.writes && old.read_only_path == new.read_only_path {
        let own = Entry { warp: new.warp, others: 0, ..*old };
        if old.warps().any(|warp| warp == WarpNumber::of_entry(new.warp)) && own.is_repeated_by(new)
        {
            old.leave_out(new.warp);
        }
    }
}

/// Whether a later write that is ordered after the new read is ordered after the old one, too.
#[inline]
fn stands_for(
    new: &Entry,
    old: &Entry,
    launch: ThisLaunch,
    is_ordered: impl Fn(&Entry) -> bool,
) -> bool {
    // No order within a launch helps a read through the read-only path.
    let races_alike = new.read_only_path && launch.has(old);
    !old.writes
        && old.cover() & !new.cover() == 0
        && old.read_only_path == new.read_only_path
        && (races_alike || old.is_repeated_by(new) || is_ordered(old))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hb::ids::SiteNumber;

    const NEVER_MEET: ThisLaunch =
        ThisLaunch { first_block: BlockNumber(0), blocks_never_meet: true };

    fn read(block: u32, warp: u8, epoch: u32) -> Entry {
        let block = BlockNumber(block);
        Entry { block, warp, epoch, lanes: 1, ..Entry::EMPTY }.with_cover(0xff)
    }

    #[test]
    fn reads_of_two_blocks_are_enough_where_blocks_never_meet() {
        let mut line = Line::EMPTY;
        for round in 0..1000 {
            line.add_read(read(round / 4, (round % 4) as u8, 1), |_| false, |_| false, NEVER_MEET);
        }
        assert!(line.reads().count() <= 6, "{}", line.reads().count());
        assert!(line.reads().any(|entry| entry.block != line.first.block));
    }

    #[test]
    fn a_read_that_nobody_can_know_stands_for_all_others() {
        let mut line = Line::EMPTY;
        for block in 0..1000 {
            let ended = |entry: &Entry| entry.block.0 + 3 < block;
            line.add_read(read(block, 0, 1), |_| false, ended, ThisLaunch::default());
        }
        assert!(line.reads().count() <= 10, "{}", line.reads().count());
    }

    #[test]
    fn a_million_reads_of_a_few_warps_stay_few_entries() {
        let mut line = Line::EMPTY;
        for round in 0..100_000u32 {
            line.add_read(
                read(0, (round % 10) as u8, round / 10),
                |_| false,
                |_| false,
                ThisLaunch::default(),
            );
        }
        assert!(line.reads().count() <= 10, "{}", line.reads().count());
        for warp in 0..10 {
            let of_warp =
                line.reads().filter(|entry| entry.warps().any(|own| own == WarpNumber(warp)));
            assert_eq!(of_warp.map(|entry| entry.epoch).max(), Some(9_999), "the newest is kept");
        }
    }

    #[test]
    fn what_a_launch_settled_says_nothing_about_another() {
        for blocks_never_meet in [false, true] {
            let mut line = Line::EMPTY;
            let launches = [0, 100, 200];
            for first_block in launches {
                let launch =
                    ThisLaunch { first_block: BlockNumber(first_block), blocks_never_meet };
                for block in first_block..first_block + 50 {
                    let ended = |entry: &Entry| (first_block..block).contains(&entry.block.0);
                    let read = Entry { site: SiteNumber(first_block), ..read(block, 0, 1) };
                    line.add_read(read, |_| false, ended, launch);
                }
            }
            for first_block in launches {
                let its_blocks = first_block..first_block + 50;
                let mut reads = line.reads();
                assert!(reads.any(|entry| its_blocks.contains(&entry.block.0)), "{first_block}");
            }
        }
    }
}
