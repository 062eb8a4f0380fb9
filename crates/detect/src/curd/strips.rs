//! What the lanes of a warp insert into their sets with one instruction: one region each.
//!
//! The thesis interleaves the sets of threads: the first elements of all threads, then the second ones, and so on, since threads
//! of a warp access neighbouring memory at the same time. A strip is a piece of such a row, in a form that does
//! not grow with the lanes. Knows no events.

use super::regions::{Merge, Region, Source};
use warpsan_model::lanes;

/// Regions of the same size of some lanes, at equal distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Strip {
    /// Where the region of lane 0 is, or would be.
    pub(super) first: u64,
    /// The distance from one lane to the next; 0 if there is only one lane.
    pub(super) stride: u64,
    /// Bytes of each region.
    pub(super) bytes: u64,
    /// The lanes, at least one.
    pub(super) mask: u32,
    /// The thread of lane 0, in its block.
    pub(super) base: u32,
    pub(super) source: Source,
}

impl Strip {
    /// A strip of lanes, which is normalised: one lane has no distance to others.
    #[inline]
    pub(super) fn new(
        (first, stride): (u64, u64),
        bytes: u64,
        mask: u32,
        base: u32,
        source: Source,
    ) -> Strip {
        debug_assert!(mask != 0 && bytes > 0);
        if mask & (mask - 1) == 0 {
            let first = first.wrapping_add(stride.wrapping_mul(u64::from(mask.trailing_zeros())));
            return Strip { first, stride: 0, bytes, mask, base, source };
        }
        Strip { first, stride, bytes, mask, base, source }
    }

    /// A region as a strip of one lane.
    pub(super) fn of_region(region: &Region) -> Strip {
        Strip {
            first: region.start,
            stride: 0,
            bytes: region.end - region.start,
            mask: 1,
            base: region.thread,
            source: region.source,
        }
    }

    /// Where a lane's region begins.
    #[inline]
    pub(super) fn address(&self, lane: u32) -> u64 {
        self.first.wrapping_add(self.stride.wrapping_mul(u64::from(lane)))
    }

    /// The smallest range that has all regions.
    #[inline]
    pub(super) fn hull(&self) -> (u64, u64) {
        let (low, high) = (self.mask.trailing_zeros(), 31 - self.mask.leading_zeros());
        let (one, other) = (self.address(low), self.address(high));
        (one.min(other), one.max(other).saturating_add(self.bytes))
    }

    /// Whether the regions are all of that range.
    #[inline]
    pub(super) fn is_dense(&self) -> bool {
        let run = u64::from(self.mask >> self.mask.trailing_zeros());
        self.stride == 0
            || (run & (run + 1) == 0 && (self.stride as i64).unsigned_abs() <= self.bytes)
    }

    /// All regions as one, which names the last lane.
    pub(super) fn as_region(&self) -> Region {
        let (start, end) = self.hull();
        let thread = self.base + 31 - self.mask.leading_zeros();
        Region { start, end, source: self.source, thread }
    }

    /// The strip of one of the lanes.
    pub(super) fn of_lane(&self, lane: u32) -> Strip {
        Strip { first: self.address(lane), stride: 0, mask: 1 << lane, ..*self }
    }

    /// A strip for each lane.
    pub(super) fn split(&self) -> impl Iterator<Item = Strip> + use<> {
        let strip = *self;
        lanes(self.mask).map(move |lane| strip.of_lane(lane))
    }
}

impl Merge for Strip {
    #[inline]
    fn merged(&self, newer: &Strip) -> Option<(Strip, bool)> {
        if self.mask != newer.mask || self.stride != newer.stride {
            return None;
        }
        let ahead = newer.first.wrapping_sub(self.first) as i64;
        if ahead > self.bytes as i64 || ahead < -(newer.bytes as i64) {
            return None;
        }
        let begin = ahead.min(0);
        let end = (self.bytes as i64).max(ahead + newer.bytes as i64);
        let strip = Strip {
            first: self.first.wrapping_add_signed(begin),
            bytes: (end - begin) as u64,
            source: self.source.merged(newer.source),
            ..*newer
        };
        Some((strip, strip.bytes != self.bytes))
    }
}

/// Regions of the same size of some lanes, anywhere. Their addresses are kept in one array of the set.
#[derive(Debug, Clone, Copy)]
struct Scattered {
    start: u64,
    end: u64,
    at: usize,
    bytes: u64,
    mask: u32,
    base: u32,
    source: Source,
}

/// Scattered regions, of which only the last ones are looked at for merging.
#[derive(Debug, Default)]
pub(super) struct ScatteredSet {
    elements: Vec<Scattered>,
    addresses: Vec<u64>,
}

impl ScatteredSet {
    /// Adds regions at these addresses, lowest lane first. The answer is yes if they were merged with others of the
    /// same lanes, all of which they overlap or adjoin at the same distance.
    pub(super) fn insert(
        &mut self,
        addresses: &[u64],
        bytes: u64,
        mask: u32,
        base: u32,
        source: Source,
        search: u32,
    ) -> bool {
        let (start, end) = range_of(addresses, bytes);
        for older in self.elements.iter_mut().rev().take(search as usize) {
            if older.mask != mask || older.base != base {
                continue;
            }
            let known = &mut self.addresses[older.at..][..addresses.len()];
            let ahead = addresses[0].wrapping_sub(known[0]) as i64;
            let is_near = ahead <= older.bytes as i64 && ahead >= -(bytes as i64);
            let distance = ahead as u64;
            let is_same = |(new, old): (&u64, &u64)| new.wrapping_sub(*old) == distance;
            if !is_near || !addresses.iter().zip(known.iter()).all(is_same) {
                continue;
            }
            let begin = ahead.min(0);
            known.iter_mut().for_each(|address| *address = address.wrapping_add_signed(begin));
            older.bytes = (older.bytes as i64).max(ahead + bytes as i64).wrapping_sub(begin) as u64;
            (older.start, older.end) = (older.start.min(start), older.end.max(end));
            older.source = older.source.merged(source);
            return true;
        }
        let at = self.addresses.len();
        self.addresses.extend_from_slice(addresses);
        self.elements.push(Scattered { start, end, at, bytes, mask, base, source });
        false
    }

    /// Takes over what another set has.
    pub(super) fn append(&mut self, other: &ScatteredSet) {
        let offset = self.addresses.len();
        self.addresses.extend_from_slice(&other.addresses);
        let moved = other.elements.iter().map(|one| Scattered { at: one.at + offset, ..*one });
        self.elements.extend(moved);
    }

    /// The range of each element with its lanes' strips.
    pub(super) fn ranges(
        &self,
    ) -> impl Iterator<Item = ((u64, u64), impl Iterator<Item = Strip> + '_)> + '_ {
        self.elements.iter().map(|one| ((one.start, one.end), self.strips_of(one)))
    }

    /// A strip for each lane of all elements.
    pub(super) fn strips(&self) -> impl Iterator<Item = Strip> + '_ {
        self.elements.iter().flat_map(|one| self.strips_of(one))
    }

    fn strips_of(&self, one: &Scattered) -> impl Iterator<Item = Strip> + use<'_> {
        let Scattered { bytes, base, source, .. } = *one;
        let addresses = &self.addresses[one.at..];
        lanes(one.mask).zip(addresses).map(move |(lane, address)| Strip {
            first: *address,
            stride: 0,
            bytes,
            mask: 1 << lane,
            base,
            source,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.elements.len()
    }

    /// How many addresses are kept.
    pub(super) fn addresses(&self) -> usize {
        self.addresses.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.elements.clear();
        self.addresses.clear();
    }
}

fn range_of(addresses: &[u64], bytes: u64) -> (u64, u64) {
    let mut range = (u64::MAX, 0);
    for address in addresses {
        range = (range.0.min(*address), range.1.max(*address));
    }
    (range.0, range.1.saturating_add(bytes))
}

#[cfg(test)]
mod tests;
