//! The sets of the threads of a warp, and of a block. Knows no events.

use super::compressed::Compressor;
use super::regions::{Inserted, Region, Set, Source};
use super::settings::CurdSettings;
use super::strips::{ScatteredSet, Strip};
use super::writes::{Item, Writes};
use warpsan_event::LaneAddresses;
use warpsan_model::{WARP_LANES, lanes};

/// What was done to sets.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SetCounts {
    /// Strips that found nothing to be merged with.
    pub(super) added: u64,
    /// Strips that were merged with others, and those of them that were with the first one that was looked at.
    pub(super) merged: u64,
    pub(super) merged_at_once: u64,
    /// Rows of regions at no regular distance.
    pub(super) scattered: u64,
    /// Regions that went to sets of blocks, after compression.
    pub(super) compressed: u64,
    /// Regions, or strips, that found no room.
    pub(super) no_room: u64,
}

impl SetCounts {
    fn count(&mut self, inserted: Inserted) {
        match inserted {
            Inserted::Added => self.added += 1,
            Inserted::Merged { at_once, .. } => {
                self.merged += 1;
                self.merged_at_once += u64::from(at_once);
            }
            Inserted::Full => self.no_room += 1,
        }
    }
}

/// What the lanes of an instruction accessed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) addresses: LaneAddresses<'a>,
    pub(super) mask: u32,
    /// Bytes of each lane.
    pub(super) bytes: u64,
    /// The thread of lane 0.
    pub(super) base: u32,
    pub(super) site: u32,
}

/// Addresses of lanes are taken for so many strips at most, of so many lanes each in the mean; otherwise they are scattered.
const MOST_STRIPS: usize = 8;
const LANES_OF_A_STRIP: usize = 4;

/// The read sets, or the write sets, of all threads of a warp in one memory space.
#[derive(Debug, Default)]
pub(super) struct WarpSet {
    strips: Set<Strip>,
    scattered: ScatteredSet,
}

impl WarpSet {
    /// Each lane puts its region into its set.
    #[inline]
    pub(super) fn insert(
        &mut self,
        row: &Row<'_>,
        settings: &CurdSettings,
        counts: &mut SetCounts,
    ) {
        let line = match row.addresses {
            LaneAddresses::Uniform(address) => (address, 0),
            LaneAddresses::Strided { first, stride } => (first, stride),
            LaneAddresses::PerLane(addresses) => {
                return self.insert_scattered(addresses, row, settings, counts);
            }
        };
        self.insert_strip(line, row.mask, row, settings, counts);
    }

    #[inline]
    fn insert_strip(
        &mut self,
        line: (u64, u64),
        mask: u32,
        row: &Row<'_>,
        settings: &CurdSettings,
        counts: &mut SetCounts,
    ) {
        let strip = Strip::new(line, row.bytes, mask, row.base, Source::of(row.site));
        let limit = room_of(settings).saturating_sub(self.scattered.len());
        counts.count(self.strips.insert(strip, settings.search, limit));
    }

    fn insert_scattered(
        &mut self,
        addresses: &[u64],
        row: &Row<'_>,
        settings: &CurdSettings,
        counts: &mut SetCounts,
    ) {
        let mut lines = [(0, 0, 0); MOST_STRIPS];
        if let Some(count) = lines_of(addresses, row.mask, &mut lines) {
            for (mask, first, stride) in &lines[..count] {
                self.insert_strip((*first, *stride), *mask, row, settings, counts);
            }
            return;
        }
        if self.strips.len() + self.scattered.len() >= room_of(settings) {
            counts.no_room += 1;
            return;
        }
        let Row { mask, bytes, base, site, .. } = *row;
        let source = Source::of(site);
        match self.scattered.insert(addresses, bytes, mask, base, source, settings.search) {
            true => counts.merged += 1,
            false => counts.scattered += 1,
        }
    }

    pub(super) fn clear(&mut self) {
        self.strips.clear();
        self.scattered.clear();
    }
}

/// How many strips and scattered rows a warp's set has room for: lanes may be on their own with all of their regions.
fn room_of(settings: &CurdSettings) -> usize {
    settings.thread_regions as usize * WARP_LANES as usize
}

/// Takes addresses apart into lines of lanes at equal distances: lanes, address of lane 0, distance. Nothing if there are
/// too many.
fn lines_of(
    addresses: &[u64],
    mask: u32,
    lines: &mut [(u32, u64, u64); MOST_STRIPS],
) -> Option<usize> {
    let most = (addresses.len() / LANES_OF_A_STRIP).clamp(1, MOST_STRIPS);
    let mut count = 0;
    let mut of_lanes = lanes(mask).zip(addresses.iter().copied()).peekable();
    while let Some((lane, address)) = of_lanes.next() {
        let (mut last, mut line) = ((lane, address), 1_u32 << lane);
        let mut stride = None;
        while let Some(&(next, at)) = of_lanes.peek() {
            let distance = at.wrapping_sub(last.1);
            let goes_on = next == last.0 + 1 && stride.is_none_or(|stride| stride == distance);
            if !goes_on {
                break;
            }
            stride = Some(distance);
            line |= 1 << next;
            last = (next, at);
            of_lanes.next();
        }
        let stride = stride.unwrap_or(0);
        let first = address.wrapping_sub(stride.wrapping_mul(u64::from(lane)));
        *lines[..most].get_mut(count)? = (line, first, stride);
        count += 1;
    }
    Some(count)
}

/// Puts the writes of all threads of a block into a list, in the order of the rows.
pub(super) fn gather<'a>(
    warps: impl Iterator<Item = (u32, &'a WarpSet)> + Clone,
    writes: &mut Writes,
) {
    writes.clear();
    let rows = warps.clone().map(|(_, set)| set.strips.len()).max().unwrap_or(0);
    for row in 0..rows {
        for (warp, set) in warps.clone() {
            if let Some(strip) = set.strips.elements().get(row) {
                writes.add(*strip, warp);
            }
        }
    }
    for (warp, set) in warps {
        set.scattered.strips().for_each(|strip| writes.add(strip, warp));
    }
}

/// Visits what was read, where writes are near.
pub(super) fn visit_near(
    owner: u32,
    strips: &[Strip],
    scattered: &ScatteredSet,
    writes: &mut Writes,
    mut visit: impl FnMut(&mut Writes, &Item),
) {
    for strip in strips {
        visit(writes, &Item { strip: *strip, owner });
    }
    for (range, lanes) in scattered.ranges() {
        if writes.touch(range) {
            lanes.for_each(|strip| visit(writes, &Item { strip, owner }));
        } else {
            writes.counts.by_compressed += 1;
        }
    }
}

impl WarpSet {
    /// Visits what the warp read, where writes are near.
    pub(super) fn visit_near(
        &self,
        warp: u32,
        writes: &mut Writes,
        visit: impl FnMut(&mut Writes, &Item),
    ) {
        visit_near(warp, self.strips.elements(), &self.scattered, writes, visit);
    }
}

/// Scattered addresses that the set of a block keeps as they are; more of them become regions.
const KEPT_ADDRESSES: usize = 1 << 14;

/// The read set, or the write set, of a block in global memory: that of all its threads.
#[derive(Debug, Default)]
pub(super) struct BlockSet {
    regions: Set<Region>,
    strips: Set<Strip>,
    scattered: ScatteredSet,
}

/// Room for compressing sets of threads, which is kept.
#[derive(Debug, Default)]
pub(super) struct Room {
    compressor: Compressor,
    rows: Vec<Region>,
    compressed: Vec<Region>,
}

impl BlockSet {
    /// Adds the sets of all threads.
    pub(super) fn add<'a>(
        &mut self,
        warps: impl Iterator<Item = &'a WarpSet> + Clone,
        room: &mut Room,
        settings: &CurdSettings,
        counts: &mut SetCounts,
    ) {
        let (search, limit) = (settings.search, settings.block_regions as usize);
        room.rows.clear();
        let rows = warps.clone().map(|set| set.strips.len()).max().unwrap_or(0);
        for row in 0..rows {
            for set in warps.clone() {
                let Some(strip) = set.strips.elements().get(row) else { continue };
                if strip.is_dense() {
                    room.rows.push(strip.as_region());
                } else if self.strips.insert(*strip, search, limit) == Inserted::Full {
                    counts.no_room += 1;
                }
            }
        }
        room.compressed.clear();
        room.compressor.compress(&room.rows, &mut room.compressed);
        counts.compressed += room.compressed.len() as u64;
        for region in &room.compressed {
            self.add_region(region, settings, counts);
        }
        for set in warps.filter(|set| !set.scattered.is_empty()) {
            self.scattered.append(&set.scattered);
        }
        if self.scattered.addresses() > KEPT_ADDRESSES.min(limit) {
            self.gather_scattered(settings, counts);
        }
    }

    fn add_region(&mut self, region: &Region, settings: &CurdSettings, counts: &mut SetCounts) {
        let (search, limit) = (settings.search, settings.block_regions as usize);
        if self.regions.insert(*region, search, limit) == Inserted::Full {
            // What the bounded search has left beside each other may make room.
            self.regions.merge_all();
            if self.regions.insert(*region, search, limit) == Inserted::Full {
                counts.no_room += 1;
            }
        }
    }

    /// Makes regions of what is scattered.
    #[cold]
    fn gather_scattered(&mut self, settings: &CurdSettings, counts: &mut SetCounts) {
        let mut gathered: Vec<Region> =
            self.scattered.strips().map(|strip| strip.as_region()).collect();
        self.scattered.clear();
        gathered.sort_unstable_by_key(|region| region.start);
        for region in &gathered {
            self.add_region(region, settings, counts);
        }
        self.regions.merge_all();
    }

    /// Puts everything into a list of writes.
    pub(super) fn gather(&self, block: u32, writes: &mut Writes) {
        let regions = self.regions.elements().iter().map(Strip::of_region);
        let strips = self.strips.elements().iter().copied();
        let all = regions.chain(strips).chain(self.scattered.strips());
        all.for_each(|strip| writes.add(strip, block));
    }

    /// Visits what the block read, where writes are near.
    pub(super) fn visit_near(
        &self,
        block: u32,
        writes: &mut Writes,
        mut visit: impl FnMut(&mut Writes, &Item),
    ) {
        for region in self.regions.elements() {
            visit(writes, &Item { strip: Strip::of_region(region), owner: block });
        }
        visit_near(block, self.strips.elements(), &self.scattered, writes, visit);
    }

    /// How many bytes the set takes.
    pub(super) fn bytes(&self) -> u64 {
        let regions = self.regions.len() * size_of::<Region>();
        let strips = self.strips.len() * size_of::<Strip>();
        (regions + strips + self.scattered.addresses() * size_of::<u64>()) as u64
    }

    pub(super) fn is_empty(&self) -> bool {
        self.regions.is_empty() && self.strips.is_empty() && self.scattered.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.regions.clear();
        self.strips.clear();
        self.scattered.clear();
    }
}

#[cfg(test)]
mod tests;
