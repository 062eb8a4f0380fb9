//! Strong accesses as they are remembered, by location.

use crate::clock::Epoch;
use crate::hb::diagnosis::Writers;
use crate::hb::ids::{BlockNumber, SiteNumber};
use crate::hb::order::Chain;

/// Strong accesses of lanes of one warp to one location, in one epoch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StrongEntry {
    pub(crate) block: BlockNumber,
    pub(crate) epoch: Epoch,
    pub(crate) site: SiteNumber,
    pub(crate) lanes: u32,
    pub(crate) active: u32,
    pub(crate) warp: u8,
    pub(crate) held: u8,
    /// It writes.
    pub(crate) writes: bool,
    /// It reads and writes in one step.
    pub(crate) atomic: bool,
    /// It gives back what was there: a load, or an atomic with a result.
    pub(crate) observes: bool,
    /// What was there is a strong write of the same bytes, and the two are morally strong.
    pub(crate) linked: bool,
    /// It is an operation on an `mbarrier` object.
    pub(crate) object: bool,
    /// What a plain store of at most eight bytes wrote.
    pub(crate) value: Option<u64>,
}

/// A location of strong accesses: a range of bytes of a line.
#[derive(Debug)]
pub(crate) struct StrongLocation {
    pub(crate) offset: u8,
    pub(crate) bytes: u8,
    /// The last write to all its bytes is a strong one of this very range.
    pub(crate) current: bool,
    /// Not all accesses reach everybody without `volatile`: a new one has to be compared with each.
    pub(crate) mixed: bool,
    /// The block of all entries, if it is one and the same.
    pub(crate) only_block: Option<BlockNumber>,
    /// The latest epoch of an access: no entry has a later one.
    pub(crate) latest: Epoch,
    /// Bytes of the range that no weak write has replaced since; there are some, or the location is forgotten.
    pub(crate) live: u128,
    /// In the order in which they happened.
    pub(crate) entries: Vec<StrongEntry>,
    /// What was released here.
    pub(crate) chain: Option<Box<Chain>>,
    /// The last writers, to name what is missing.
    pub(crate) writers: Writers,
    /// The entries are thinned out when there are as many.
    limit: usize,
}

/// Lists below this length are not thinned out.
const SHORT: usize = 24;

impl StrongLocation {
    pub(crate) fn new(offset: u8, bytes: u8) -> StrongLocation {
        StrongLocation {
            offset,
            bytes,
            current: false,
            mixed: false,
            only_block: None,
            latest: 0,
            live: range(offset, bytes),
            entries: Vec::new(),
            chain: None,
            writers: Writers::default(),
            limit: SHORT,
        }
    }

    /// Remembers an access. `is_permanent` says of an earlier one that nobody can come to know of it
    /// any more, except by observation.
    pub(crate) fn add(&mut self, new: StrongEntry, is_permanent: impl Fn(&StrongEntry) -> bool) {
        self.live = range(self.offset, self.bytes);
        self.only_block = match self.only_block {
            _ if self.entries.is_empty() => Some(new.block),
            block => block.filter(|block| *block == new.block),
        };
        self.latest = self.latest.max(new.epoch);
        if new.writes {
            self.current = true;
        }
        if self.joins_earlier(&new) {
            return;
        }
        if self.entries.is_empty() {
            self.entries.reserve_exact(1);
        }
        self.entries.push(new);
        if self.entries.len() >= self.limit {
            self.thin_out(is_permanent);
        }
    }

    /// Puts it together with an access of the same instruction, warp and epoch, if nothing came between
    /// that could distinguish the two.
    fn joins_earlier(&mut self, new: &StrongEntry) -> bool {
        for old in self.entries.iter_mut().rev() {
            let alike = old.block == new.block
                && old.warp == new.warp
                && old.epoch == new.epoch
                && old.site == new.site
                && old.held == new.held
                && old.active == new.active
                && old.writes == new.writes
                && old.linked == new.linked;
            // Of several stores to one location the last one stays, and only that one can be observed.
            let may_join = new.atomic && (!new.observes || old.lanes < new.lanes) || !new.writes;
            if alike && may_join {
                old.lanes |= new.lanes;
                return true;
            }
            // Only links that observe nothing can be passed by.
            let passes = new.writes && new.atomic && !new.observes && new.linked;
            let passed = old.writes && old.atomic && !old.observes && old.linked;
            let both_read = !new.writes && !old.writes;
            let both_pass = passes && passed;
            if !both_read && !both_pass {
                return false;
            }
        }
        false
    }

    /// Drops what later accesses stand for.
    fn thin_out(&mut self, is_permanent: impl Fn(&StrongEntry) -> bool) {
        let entries = std::mem::take(&mut self.entries);
        let mut kept: Vec<StrongEntry> = Vec::with_capacity(entries.len());
        // From the newest to the oldest, forgetting what was seen where the chain of updates is broken.
        let mut since_break: Vec<StrongEntry> = Vec::new();
        let mut permanent_seen = false;
        for entry in entries.iter().rev() {
            let superseded = since_break.iter().any(|later| stands_for(later, entry));
            let permanent = !self.mixed && entry.writes && is_permanent(entry);
            let is_one_of_many = permanent && permanent_seen;
            if !superseded && !is_one_of_many {
                kept.push(*entry);
            }
            // An observer that somebody may know ends a stretch of writes that are all observed or all not.
            permanent_seen = permanent || permanent_seen && !entry.observes;
            since_break.push(*entry);
            if entry.writes && !(entry.atomic && entry.linked) {
                since_break.clear();
                permanent_seen = false;
            }
        }
        kept.reverse();
        self.entries = kept;
        self.limit = (self.entries.len() * 2).max(SHORT);
    }

    /// Fails where an invariant of the fields is broken.
    pub(super) fn check_invariants(&self) {
        debug_assert!(self.live != 0 && self.live & !range(self.offset, self.bytes) == 0);
        debug_assert!(!self.entries.is_empty(), "a location is made for an access");
        debug_assert!(self.entries.iter().all(|entry| entry.epoch <= self.latest));
        let only = |block| self.entries.iter().all(|entry| entry.block == block);
        debug_assert!(self.only_block.is_none_or(only), "the block is that of all entries");
    }

    /// Whether an access may conflict with some of its bytes.
    pub(crate) fn overlaps(&self, cover: u128) -> bool {
        self.live & cover != 0
    }

    pub(crate) fn bytes_besides(&self) -> usize {
        let chain = if self.chain.is_some() { size_of::<Chain>() } else { 0 };
        self.entries.capacity() * size_of::<StrongEntry>() + chain
    }
}

/// Whether everybody who is to be compared with the earlier access gets the same answer from the later
/// one of the same lanes. Both are in one unbroken chain of updates.
fn stands_for(later: &StrongEntry, earlier: &StrongEntry) -> bool {
    let same_lanes = later.block == earlier.block
        && later.warp == earlier.warp
        && earlier.lanes & !later.lanes == 0
        && later.site == earlier.site
        && later.held == earlier.held
        && later.active == earlier.active;
    // An observation that is known may be all that somebody has; a later one does not replace it.
    let same_observation = earlier.writes || later.epoch == earlier.epoch;
    same_lanes && (later.writes || !earlier.writes) && (later.writes || same_observation)
}

/// The bytes of a line from `offset`.
pub(crate) fn range(offset: u8, bytes: u8) -> u128 {
    let ones = if bytes >= 128 { u128::MAX } else { (1 << bytes) - 1 };
    ones << offset
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(block: u32, warp: u8, lanes: u32, epoch: Epoch) -> StrongEntry {
        StrongEntry {
            block: BlockNumber(block),
            epoch,
            site: SiteNumber(0),
            lanes,
            active: u32::MAX,
            warp,
            held: 0,
            writes: true,
            atomic: true,
            observes: false,
            linked: true,
            object: false,
            value: None,
        }
    }

    #[test]
    fn a_million_updates_of_a_few_warps_stay_few_entries() {
        let mut location = StrongLocation::new(8, 4);
        for round in 0..1_000_000u32 {
            let entry = update(0, (round % 8) as u8, 1 << (round % 5), round / 1000 + 1);
            location.add(entry, |_| false);
        }
        assert!(location.entries.len() <= 100, "{}", location.entries.len());
        for warp in 0..8 {
            for lane in 0..5 {
                let newest = location
                    .entries
                    .iter()
                    .rev()
                    .find(|entry| entry.warp == warp && entry.lanes >> lane & 1 == 1);
                assert_eq!(newest.map(|entry| entry.epoch), Some(1000), "warp {warp} lane {lane}");
            }
        }
    }

    #[test]
    fn updates_that_nobody_can_learn_of_are_one() {
        let mut location = StrongLocation::new(0, 4);
        for block in 0..100_000u32 {
            location.add(update(block, 0, 1, 1), |entry| entry.block.0 + 10 < block);
        }
        assert!(location.entries.len() <= 50, "{}", location.entries.len());
    }

    #[test]
    fn an_observation_is_kept_while_it_may_be_the_one_that_is_known() {
        let mut location = StrongLocation::new(0, 4);
        let read = |epoch| StrongEntry {
            writes: false,
            atomic: false,
            observes: true,
            ..update(1, 0, 1, epoch)
        };
        location.add(update(0, 0, 1, 1), |_| false);
        location.add(read(1), |_| false);
        for round in 2..200 {
            location.add(update(0, 0, 1, round), |_| false);
        }
        assert!(location.entries.iter().any(|entry| !entry.writes && entry.epoch == 1));
    }
}
