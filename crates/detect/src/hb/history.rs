//! What a location remembers: the accesses that a later one may race with.

use crate::clock::{Epoch, View};
use warpsan_model::{
    BlockIndex, Scope, SiteId, Strength, ThreadInBlock, ThreadRef, WARP_LANES, lanes,
};

/// One access by lanes of one warp that have the same epoch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    pub(super) block: BlockIndex,
    /// The cluster of the block.
    pub(super) cluster: u32,
    pub(super) warp: u32,
    /// The lanes that accessed this location.
    pub(super) mask: u32,
    /// All lanes that executed the instruction with them.
    pub(super) active: u32,
    pub(super) epoch: Epoch,
    pub(super) site: SiteId,
    /// The event that it was part of: lanes of one event executed one instruction together.
    pub(super) event: u64,
    pub(super) strength: Strength,
    pub(super) writes: bool,
    /// It observes what was there: a load, or an atomic that gives back the old value.
    pub(super) observes: bool,
    pub(super) atomic: bool,
    pub(super) read_only_path: bool,
    /// The whole range of the access.
    pub(super) start: u64,
    pub(super) bytes: u8,
    /// What a store wrote, where that is known: an element has at most two words.
    pub(super) value: Option<[u64; 2]>,
}

impl Record {
    pub(super) fn thread(&self, lane: u32) -> ThreadRef {
        let thread = ThreadInBlock(self.warp * WARP_LANES + lane);
        ThreadRef { block: self.block, thread }
    }

    pub(super) fn is_weak(&self) -> bool {
        self.strength == Strength::Weak
    }

    /// The lanes of the record that are neither `thread` itself nor ordered before its view.
    pub(super) fn unordered(&self, thread: ThreadRef, view: &View) -> u32 {
        if view.knows_all(self.block, self.epoch) {
            return 0;
        }
        let mut unordered = 0;
        for lane in lanes(self.mask) {
            let other = self.thread(lane);
            if other != thread && !view.knows(other, self.epoch) {
                unordered |= 1 << lane;
            }
        }
        if self.atomic && self.observes && self.writes {
            // Each lane observed the write of the one before it, so an ordered lane orders all below it.
            let ordered = self.mask & !unordered;
            let covered = u32::MAX.checked_shr(ordered.leading_zeros()).unwrap_or(0);
            unordered &= !covered;
        }
        unordered
    }

    /// Both strong, each reaching the other, and on the very same bytes.
    pub(super) fn morally_strong(&self, other: &Record) -> bool {
        self.reaches(other) && other.reaches(self) && self.same_range(other)
    }

    pub(super) fn same_range(&self, other: &Record) -> bool {
        self.start == other.start && self.bytes == other.bytes
    }

    /// Strong, with a scope that includes the other's thread.
    pub(super) fn reaches(&self, other: &Record) -> bool {
        match self.strength.scope() {
            None => false,
            Some(Scope::Cta) => self.block == other.block,
            Some(Scope::Cluster) => self.cluster == other.cluster,
            Some(Scope::Gpu | Scope::Sys) => true,
        }
    }

    pub(super) fn is_volatile(&self) -> bool {
        self.strength == Strength::Volatile
    }

    /// Strong for everybody, also in the eyes of CUDA C++.
    pub(super) fn is_plainly_strong(&self) -> bool {
        matches!(self.strength, Strength::Strong { scope: Scope::Gpu | Scope::Sys, .. })
    }

    /// Another lane of the same instruction, at the same location.
    fn is_of_same_event(&self, other: &Record) -> bool {
        self.event == other.event
            && self.epoch == other.epoch
            && self.writes == other.writes
            && self.same_range(other)
    }

    /// A later record of the same lanes that makes this one superfluous: whoever is ordered after
    /// the later one is ordered after this one.
    fn is_superseded_by(&self, later: &Record) -> bool {
        // Others may know of an observer without knowing of a later one.
        let observer_stays =
            !self.is_weak() && self.observes && !(later.observes && later.epoch == self.epoch);
        // A plain store ends a chain of observations, which a later atomic would seem to continue.
        let store_stays = !self.is_weak() && self.writes && !self.atomic && later.atomic;
        !observer_stays
            && !store_stays
            && self.block == later.block
            && self.warp == later.warp
            && self.mask & !later.mask == 0
            && self.active == later.active
            && (later.writes || !self.writes)
            && self.same_range(later)
            && self.strength == later.strength
            && self.read_only_path == later.read_only_path
    }
}

/// The history of one cell of shadow memory.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    /// The newest weak write. Older ones were ordered before it, or reported.
    pub(super) write: Option<Record>,
    /// Other lanes of the same store, where their epochs differ.
    pub(super) siblings: Vec<Record>,
    /// Weak reads since then.
    pub(super) reads: Vec<Record>,
    /// Strong accesses since then, in the order in which they happened. They do not race with each
    /// other, so the newest does not stand for all.
    pub(super) strong: Vec<Record>,
    /// Not all strong accesses since then reach everybody with the same range and without
    /// `volatile`: a new one has to be compared with each.
    pub(super) mixed: bool,
    /// Lists are thinned out when they reach this length.
    limit: usize,
}

/// Lists below this length are never thinned out.
const SHORT: usize = 16;

impl History {
    /// Remembers an access. `blocks_never_meet` says that the kernel has nothing that could order
    /// threads of two blocks: then reads of two blocks stand for all others, since every write races
    /// with one of them.
    pub(super) fn add(&mut self, record: Record, blocks_never_meet: bool) {
        match (record.is_weak(), record.writes) {
            (true, true) => {
                // Lanes of one instruction that write the same location stay together.
                if let Some(write) = &mut self.write
                    && write.event == record.event
                {
                    if write.is_of_same_event(&record) {
                        write.mask |= record.mask;
                        write.value = write.value.filter(|value| Some(*value) == record.value);
                    } else {
                        self.siblings.push(record);
                    }
                    return;
                }
                self.write = Some(record);
                self.siblings.clear();
                self.reads.clear();
                self.strong.clear();
                self.mixed = false;
                self.limit = SHORT;
            }
            (true, false) => {
                let enough = blocks_never_meet
                    && !record.read_only_path
                    && self.reads.first().zip(self.reads.last()).is_some_and(|(first, last)| {
                        first.block != last.block && record.block != last.block
                    });
                if !enough {
                    add_to(&mut self.reads, record, &mut self.limit);
                }
            }
            (false, _) => {
                self.mixed |= !record.is_plainly_strong()
                    || self.strong.last().is_some_and(|last| !last.same_range(&record));
                add_to(&mut self.strong, record, &mut self.limit);
            }
        }
    }
}

/// Appends, and drops what has become superfluous when the list has doubled.
fn add_to(list: &mut Vec<Record>, record: Record, limit: &mut usize) {
    if let Some(last) = list.last_mut() {
        // Each lane of an atomic observes the one before it; plain stores do not observe, and the
        // first of them has to stay apart.
        let together = record.atomic || !record.writes;
        if together && last.is_of_same_event(&record) {
            last.mask |= record.mask;
            return;
        }
        if last.is_superseded_by(&record) {
            *last = record;
            return;
        }
    }
    if list.is_empty() {
        // Most locations are read by one warp: the usual first size of four would be waste.
        list.reserve_exact(1);
    }
    list.push(record);
    if list.len() < (*limit).max(SHORT) {
        return;
    }
    let mut newest: std::collections::HashMap<(u32, u32), Vec<Record>> = Default::default();
    let mut kept: Vec<Record> = Vec::with_capacity(list.len());
    for record in list.iter().rev() {
        let later = newest.entry((record.block.0, record.warp)).or_default();
        if !later.iter().any(|later| record.is_superseded_by(later)) {
            later.push(*record);
            kept.push(*record);
        }
    }
    kept.reverse();
    *list = kept;
    *limit = (list.len() * 2).max(SHORT);
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(in crate::hb) fn record(warp: u32, mask: u32, epoch: Epoch, strength: Strength) -> Record {
        Record {
            block: BlockIndex(0),
            cluster: 0,
            warp,
            mask,
            active: mask,
            epoch,
            site: SiteId(0),
            event: 0,
            strength,
            writes: false,
            observes: true,
            atomic: false,
            read_only_path: false,
            start: 64,
            bytes: 4,
            value: None,
        }
    }

    #[test]
    fn a_million_reads_of_a_few_warps_stay_few_records() {
        let mut history = History::default();
        for round in 0..100_000u32 {
            let mut read = record(round % 10, 1 << (round % 3), round / 10 + 1, Strength::Weak);
            read.event = u64::from(round);
            history.add(read, false);
        }
        assert!(history.reads.len() <= 70, "{}", history.reads.len());
        for warp in 0..10 {
            for lane in 0..3 {
                let newest = (0..100_000u32)
                    .rev()
                    .find(|round| round % 10 == warp && round % 3 == lane)
                    .map(|round| round / 10 + 1);
                let kept = history
                    .reads
                    .iter()
                    .filter(|record| record.warp == warp && record.mask == 1 << lane)
                    .map(|record| record.epoch)
                    .max();
                assert_eq!(kept, newest, "the newest of each lane is kept");
            }
        }
    }

    #[test]
    fn reads_of_two_blocks_are_enough_where_blocks_never_meet() {
        let mut history = History::default();
        for round in 0..1000u32 {
            let mut read = record(round % 4, 1, 1, Strength::Weak);
            (read.block, read.event) = (BlockIndex(round / 4), u64::from(round));
            history.add(read, true);
        }
        let blocks: Vec<u32> = history.reads.iter().map(|read| read.block.0).collect();
        assert_eq!(blocks, [0, 0, 0, 0, 1, 1, 1, 1]);
    }

    #[test]
    fn lanes_of_one_atomic_are_one_record() {
        let mut history = History::default();
        let strong = Strength::Strong { order: warpsan_model::Order::Relaxed, scope: Scope::Gpu };
        for lane in 0..32 {
            history.add(record(0, 1 << lane, 1, strong), false);
        }
        assert_eq!(history.strong.len(), 1);
        assert_eq!(history.strong[0].mask, u32::MAX);
    }

    #[test]
    fn an_ordered_lane_of_an_atomic_orders_the_lanes_before_it() {
        let strong = Strength::Strong { order: warpsan_model::Order::Relaxed, scope: Scope::Gpu };
        let mut update = record(0, 0b1111, 1, strong);
        (update.atomic, update.writes) = (true, true);
        let second = update.thread(1);
        assert_eq!(update.unordered(second, &View::default()), 0b1100);
        update.observes = false;
        assert_eq!(update.unordered(second, &View::default()), 0b1101);
    }

    #[test]
    fn moral_strength_needs_scope_on_both_sides_and_the_same_bytes() {
        let strong = |scope| Strength::Strong { order: warpsan_model::Order::Relaxed, scope };
        let here = record(0, 1, 1, strong(Scope::Cta));
        let mut far = record(0, 1, 1, strong(Scope::Gpu));
        assert!(here.morally_strong(&far));
        far.block = BlockIndex(1);
        assert!(!here.morally_strong(&far), "block scope does not reach another block");
        let mut wide = record(1, 1, 1, strong(Scope::Gpu));
        wide.bytes = 8;
        assert!(!here.morally_strong(&wide));
        assert!(!here.morally_strong(&record(1, 1, 1, Strength::Weak)));
        let near = record(0, 1, 1, strong(Scope::Cluster));
        let mut other = record(0, 1, 1, strong(Scope::Cluster));
        other.block = BlockIndex(1);
        assert!(near.morally_strong(&other), "cluster scope reaches the blocks of the cluster");
        other.cluster = 1;
        assert!(!near.morally_strong(&other), "and no others");
    }
}
