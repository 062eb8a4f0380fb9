//! The software cache of the metadata (section IV-B of the paper): one entry for sixteen locations, direct-mapped, with
//! tags of four bits.
//!
//! The paper divides the memory of its device. Here the allocations that are there when a launch begins are taken to lie
//! one behind the other, as the memory of a device that has no more; it has at least 64 KiB, so that a small program is
//! not all aliases. Memory that no allocation is known of has entries of its own.

use crate::allocations::Allocations;
use crate::last_access::Granularity;
use rustc_hash::FxHashSet;

/// Locations that share an entry.
const WAYS: u64 = 16;
/// The memory that a device has at least.
const LEAST_BYTES: u64 = 64 << 10;
/// Entries of memory that no allocation is known of are beyond all others.
const UNKNOWN: u64 = 1 << 63;

/// Locations of one allocation, and where they are in the device's memory.
#[derive(Debug, Clone, Copy)]
struct Range {
    first: u64,
    end: u64,
    place: u64,
}

/// Where a location's metadata is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Home {
    /// The number of the entry.
    pub(super) entry: u64,
    pub(super) tag: u8,
}

/// The cache's counters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CacheCounts {
    /// The entry was the location's.
    pub(super) hits: u64,
    /// Nobody had used the entry.
    pub(super) misses: u64,
    /// The entry was another location's, whose metadata is lost.
    pub(super) evictions: u64,
}

/// How locations share entries, and which of them have lost theirs.
#[derive(Debug, Default)]
pub(super) struct Cache {
    ranges: Vec<Range>,
    entries: u64,
    /// The granules whose metadata was overwritten by that of another one.
    evicted: FxHashSet<u64>,
    pub(super) counts: CacheCounts,
}

impl Cache {
    /// A launch begins.
    pub(super) fn begin_launch(&mut self, allocations: &Allocations, granularity: Granularity) {
        self.ranges.clear();
        let (mut place, mut free) = (0, 0);
        for (address, bytes) in allocations.ranges() {
            let granules = granularity.granules(address, bytes);
            // Small allocations may share a granule.
            let (first, end) = ((*granules.start()).max(free), granules.end().saturating_add(1));
            if first < end {
                self.ranges.push(Range { first, end, place });
                place += end - first;
                free = end;
            }
        }
        let locations = place.max(LEAST_BYTES >> granularity.shift());
        self.entries = locations.div_ceil(WAYS);
    }

    /// Where a granule's metadata is.
    #[inline]
    pub(super) fn home(&self, granule: u64) -> Home {
        let behind = self.ranges.partition_point(|range| range.first <= granule);
        let range = behind.checked_sub(1).map(|number| self.ranges[number]);
        match range.filter(|range| granule < range.end) {
            None => Home { entry: UNKNOWN | granule, tag: 0 },
            Some(range) => {
                let place = range.place + (granule - range.first);
                Home { entry: place % self.entries, tag: (place / self.entries) as u8 }
            }
        }
    }

    /// The entry had this tag, and is given to another location.
    #[cold]
    pub(super) fn evict(&mut self, home: Home) {
        self.counts.evictions += 1;
        let place = u64::from(home.tag) * self.entries + home.entry;
        let behind = self.ranges.partition_point(|range| range.place <= place);
        if let Some(range) = behind.checked_sub(1).map(|number| self.ranges[number]) {
            self.evicted.insert(range.first + (place - range.place));
        }
    }

    /// Whether a granule's metadata was overwritten by that of another one.
    pub(super) fn was_evicted(&self, granule: u64) -> bool {
        self.evicted.contains(&granule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_model::DeviceAddress;

    fn cache(allocations: &[(u64, u64)], granularity: u8) -> Cache {
        let mut all = Allocations::default();
        for (address, bytes) in allocations {
            all.add(DeviceAddress(*address), *bytes, "");
        }
        let mut cache = Cache::default();
        cache.begin_launch(&all, granularity.try_into().expect("a choice"));
        cache
    }

    #[test]
    fn sixteen_locations_share_an_entry_and_tags_distinguish_them() {
        let cache = cache(&[(0x1_0000, 1 << 20)], 4);
        let entries = (1 << 20) / 4 / 16;
        assert_eq!(cache.entries, entries);
        let homes: Vec<Home> = (0..17).map(|way| cache.home(0x4000 + way * entries)).collect();
        for (way, home) in homes[..16].iter().enumerate() {
            assert_eq!(*home, Home { entry: 0, tag: way as u8 });
        }
        assert_eq!(homes[16], Home { entry: UNKNOWN | (0x4000 + 16 * entries), tag: 0 });
        assert_eq!(cache.home(0x4001).entry, 1, "neighbours do not share");
    }

    #[test]
    fn allocations_lie_one_behind_the_other() {
        // The second one begins within the last granule of the first.
        let cache = cache(&[(0x1000, 36), (0x1024, 12), (1 << 40, 64)], 16);
        assert_eq!(cache.entries, (64 << 10) / 16 / 16, "at least 64 KiB");
        let entries = [0x100, 0x101, 0x102, 1 << 36, (1 << 36) + 3];
        assert_eq!(entries.map(|granule| cache.home(granule).entry), [0, 1, 2, 3, 6]);
    }

    #[test]
    fn what_was_evicted_is_known_by_its_address() {
        let mut cache = cache(&[(0x1_0000, 1 << 19), (1 << 40, 1 << 19)], 4);
        let granule = (1 << 38) + 77;
        let home = cache.home(granule);
        assert!(home.tag >= 8 && !cache.was_evicted(granule));
        cache.evict(home);
        assert!(cache.was_evicted(granule) && !cache.was_evicted(granule + 1));
        assert_eq!(cache.counts.evictions, 1);
    }
}
