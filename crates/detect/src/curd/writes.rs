//! The writes of a block between two barriers, or those of all blocks, and what conflicts with them. Knows no events.

use super::compressed::Compressor;
use super::overlap::{Lanes, Overlap, overlap};
use super::regions::Region;
use super::strips::Strip;

/// Regions of some threads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) strip: Strip,
    /// The warp, where threads of one block are compared; the block, where blocks are.
    pub(super) owner: u32,
}

/// Who is compared with whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Among {
    /// Every thread of a block with every other one.
    Threads,
    /// Every block with every other one.
    Blocks,
}

impl Among {
    /// What of two items is compared; nothing, if they are of one block.
    fn lanes(self, first: &Item, second: &Item) -> Option<Lanes> {
        match (self, first.owner == second.owner) {
            (_, false) => Some(Lanes::All),
            (Among::Threads, true) => Some(Lanes::Different),
            (Among::Blocks, true) => None,
        }
    }

    fn overlap(self, first: &Item, second: &Item) -> Option<Overlap> {
        overlap(&first.strip, &second.strip, self.lanes(first, second)?)
    }
}

/// How often something was done.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CheckCounts {
    /// Reads that the compressed set of writes alone showed to be harmless.
    pub(super) by_compressed: u64,
    /// Pairs of strips that were compared.
    pub(super) pairs: u64,
    /// Times that strips were taken apart into lanes, since too many were intertwined.
    pub(super) taken_apart: u64,
}

/// Comparisons for each item that are made before strips are taken apart.
const PATIENCE: u64 = 16;

/// Writes, ready to be compared with.
#[derive(Debug)]
pub(super) struct Writes {
    among: Among,
    items: Vec<Item>,
    /// The range of each item. The items are in the order of where these begin.
    hulls: Vec<(u64, u64)>,
    /// The largest end of the ranges so far.
    reach: Vec<u64>,
    /// All of them: in the order of memory, none overlaps or adjoins another.
    compressed: Vec<Region>,
    is_taken_apart: bool,
    /// Reads that were compared so far, and the items that were looked at for them.
    reads: u64,
    looked_at: u64,
    room: Vec<Region>,
    compressor: Compressor,
    pub(super) counts: CheckCounts,
}

impl Writes {
    pub(super) fn new(among: Among) -> Writes {
        Writes {
            among,
            items: Vec::new(),
            hulls: Vec::new(),
            reach: Vec::new(),
            compressed: Vec::new(),
            is_taken_apart: false,
            reads: 0,
            looked_at: 0,
            room: Vec::new(),
            compressor: Compressor::default(),
            counts: CheckCounts::default(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.items.clear();
        self.is_taken_apart = false;
        (self.reads, self.looked_at) = (0, 0);
    }

    pub(super) fn add(&mut self, strip: Strip, owner: u32) {
        self.items.push(Item { strip, owner });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    #[cfg(test)]
    pub(super) fn items(&self) -> &[Item] {
        &self.items
    }

    /// All writes are there.
    pub(super) fn prepare(&mut self) {
        self.compress();
        self.sort();
    }

    fn compress(&mut self) {
        self.room.clear();
        self.room.extend(self.items.iter().map(|item| item.strip.as_region()));
        self.compressed.clear();
        let compression = self.compressor.compress(&self.room, &mut self.compressed);
        if !compression.is_sorted {
            self.compressed.sort_unstable_by_key(|region| region.start);
            // Sorted, what overlaps or adjoins stands side by side or behind something that reaches further.
            let mut kept: usize = 0;
            for index in 0..self.compressed.len() {
                let region = self.compressed[index];
                match kept.checked_sub(1).map(|last| &mut self.compressed[last]) {
                    Some(last) if last.end >= region.start => last.end = last.end.max(region.end),
                    _ => {
                        self.compressed[kept] = region;
                        kept += 1;
                    }
                }
            }
            self.compressed.truncate(kept);
        }
    }

    fn sort(&mut self) {
        let starts = self.items.iter().map(|item| item.strip.hull().0);
        if !starts.is_sorted() {
            self.items.sort_by_cached_key(|item| item.strip.hull().0);
        }
        self.hulls.clear();
        self.hulls.extend(self.items.iter().map(|item| item.strip.hull()));
        self.reach.clear();
        let mut reach = 0;
        self.reach.extend(self.hulls.iter().map(|hull| {
            reach = reach.max(hull.1);
            reach
        }));
    }

    /// Each lane is an item of its own from now on.
    #[cold]
    fn take_apart(&mut self) {
        let mut apart = Vec::with_capacity(self.items.len() * 32);
        for item in &self.items {
            apart.extend(item.strip.split().map(|strip| Item { strip, owner: item.owner }));
        }
        self.items = apart;
        self.is_taken_apart = true;
        self.counts.taken_apart += 1;
        self.sort();
    }

    /// Whether so many comparisons are more than taking strips apart would cost.
    fn is_too_much(&self, comparisons: u64) -> bool {
        let strips = self.items.len() as u64 + self.reads;
        !self.is_taken_apart && comparisons > PATIENCE * (strips + 64)
    }

    /// The triangular check: each write with those behind it.
    pub(super) fn with_each_other(&mut self, mut found: impl FnMut(&Item, &Item, Overlap)) {
        while !self.compare_triangle(&mut found) {
            self.take_apart();
        }
    }

    /// No if it was given up, before anything was found that taking apart would not find again.
    fn compare_triangle(&mut self, found: &mut impl FnMut(&Item, &Item, Overlap)) -> bool {
        let among = self.among;
        let pairs = |index: usize| {
            let behind = self.hulls[index + 1..].iter();
            let end = self.hulls[index].1;
            behind.take_while(move |hull| hull.0 < end).count()
        };
        let mut comparisons = 0;
        if !self.is_taken_apart {
            for index in 0..self.items.len() {
                comparisons += pairs(index) as u64;
                if self.is_too_much(comparisons) {
                    return false;
                }
            }
        }
        for (index, item) in self.items.iter().enumerate() {
            if among == Among::Threads
                && item.strip.mask.count_ones() > 1
                && let Some(overlap) = among.overlap(item, item)
            {
                found(item, item, overlap);
            }
            let end = self.hulls[index].1;
            for (hull, other) in self.hulls[index + 1..].iter().zip(&self.items[index + 1..]) {
                if hull.0 >= end {
                    break;
                }
                self.counts.pairs += 1;
                if let Some(overlap) = among.overlap(item, other) {
                    found(item, other, overlap);
                }
            }
        }
        true
    }

    /// Whether anything was written in this range.
    #[inline]
    pub(super) fn touch(&self, (start, end): (u64, u64)) -> bool {
        let behind = self.compressed.partition_point(|region| region.end <= start);
        self.compressed.get(behind).is_some_and(|region| region.start < end)
    }

    /// Compares regions that were read with all writes; `found` is given the write first.
    pub(super) fn with_read(&mut self, read: &Item, mut found: impl FnMut(&Item, &Item, Overlap)) {
        let hull = read.strip.hull();
        if !self.touch(hull) {
            self.counts.by_compressed += 1;
            return;
        }
        self.reads += 1;
        self.looked_at += self.candidates(hull) as u64;
        if self.is_too_much(self.looked_at) {
            self.take_apart();
        }
        if self.is_taken_apart && !read.strip.is_dense() {
            for strip in read.strip.split() {
                self.compare_read(&Item { strip, owner: read.owner }, &mut found);
            }
        } else {
            self.compare_read(read, &mut found);
        }
    }

    fn compare_read(&mut self, read: &Item, found: &mut impl FnMut(&Item, &Item, Overlap)) {
        let (start, end) = read.strip.hull();
        let behind = self.hulls.partition_point(|hull| hull.0 < end);
        for index in (0..behind).rev() {
            if self.reach[index] <= start {
                break;
            }
            if self.hulls[index].1 > start {
                self.counts.pairs += 1;
                let write = &self.items[index];
                if let Some(overlap) = self.among.overlap(write, read) {
                    found(write, read, overlap);
                }
            }
        }
    }

    /// How many bytes the writes take.
    pub(super) fn bytes(&self) -> u64 {
        (self.items.len() * size_of::<Item>() + self.compressed.len() * size_of::<Region>()) as u64
    }

    /// How many items would be looked at for this range.
    fn candidates(&self, (start, end): (u64, u64)) -> usize {
        let behind = self.hulls.partition_point(|hull| hull.0 < end);
        behind - self.reach[..behind].partition_point(|reach| *reach <= start)
    }
}

#[cfg(test)]
mod tests;
