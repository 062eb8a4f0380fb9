//! What stores write: kept, to distinguish stores of the same value from others.

use crate::hb::diagnosis::PendingRace;
use crate::hb::history::{LINE, PAGE, Shadow, Sites};
use crate::hb::ids::Agent;
use warpsan_event::{Access, LaneAddresses};

/// What a lane stores in one of its elements.
pub(super) fn element_value<'v>(
    access: &Access<'v>,
    lane: u32,
    element: usize,
) -> Option<&'v [u64]> {
    let words = usize::from(access.bytes).div_ceil(8);
    lane_values(access, lane)?.get(element * words..(element + 1) * words)
}

/// What a lane stores, word by word.
fn lane_values<'v>(access: &Access<'v>, lane: u32) -> Option<&'v [u64]> {
    let words = usize::from(access.elements) * usize::from(access.bytes.div_ceil(8));
    let rank = (access.mask & ((1u32 << lane) - 1)).count_ones() as usize;
    access.values.get(rank * words..(rank + 1) * words)
}

/// Keeps what those lanes store that are in `mask`.
pub(super) fn store_values(shadow: &mut Shadow, access: &Access<'_>, mask: u32) {
    let (bytes, size) = (usize::from(access.bytes), access.bytes_of_lane() as usize);
    // What most stores are: neighbouring words of all lanes.
    if let LaneAddresses::Strided { first, stride: 4 } = access.addresses
        && (access.mask & mask, bytes, size) == (u32::MAX, 4, 4)
        && first % PAGE <= PAGE - LINE
    {
        let start = (first % PAGE) as usize;
        store_elements(&mut shadow.values(first)[start..start + LINE as usize], access.values, 4);
        return;
    }
    let per_lane = usize::from(access.elements) * bytes.div_ceil(8);
    let mut lanes = access.lanes().zip(access.values.chunks_exact(per_lane.max(1))).peekable();
    while let Some(((_, address), _)) = lanes.peek() {
        let page = address / PAGE;
        let stored = shadow.values(page * PAGE);
        while let Some(((lane, address), values)) =
            lanes.next_if(|((_, address), _)| address / PAGE == page)
        {
            let start = (address % PAGE) as usize;
            if mask >> lane & 1 == 1
                && let Some(places) = stored.get_mut(start..start + size)
            {
                store_elements(places, values, bytes);
            }
        }
    }
}

/// Stores the elements of one lane. Those of more than eight bytes are several values.
#[inline]
fn store_elements(places: &mut [u8], values: &[u64], bytes: usize) {
    if bytes == 4 {
        for (place, value) in places.chunks_exact_mut(4).zip(values) {
            place.copy_from_slice(&(*value as u32).to_le_bytes());
        }
        return;
    }
    let parts = places.chunks_exact_mut(bytes).flat_map(|element| element.chunks_mut(8));
    for (place, value) in parts.zip(values) {
        let bytes = place.len();
        place.copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
}

/// What a store writes, and what was stored before in the same line.
pub(super) struct Stored<'a, 'v> {
    pub(super) access: &'a Access<'v>,
    pub(super) base: u64,
    /// The bytes of the line.
    pub(super) values: &'a [u8],
    pub(super) sites: &'a Sites,
}

impl Stored<'_, '_> {
    /// Finds out where earlier stores wrote the same bytes. A pair that did in one place and did not in
    /// another is reported twice.
    pub(super) fn split_by_value(&self, found: &mut Vec<PendingRace>, first: usize) {
        for index in first..found.len() {
            let conflict = found[index];
            let bytes = u64::from(self.access.bytes);
            let mut kinds = [None, None];
            for address in conflict.addresses(self.base) {
                let conflict = PendingRace { address, ..conflict };
                let same = self.is_same(&conflict);
                kinds[usize::from(same)]
                    .get_or_insert(PendingRace { same_value: same, ..conflict });
                if bytes >= LINE || kinds.iter().all(Option::is_some) {
                    break;
                }
            }
            let mut kinds = kinds.into_iter().flatten();
            if let Some(kind) = kinds.next() {
                found[index] = kind;
            }
            found.extend(kinds);
        }
    }

    fn is_same(&self, conflict: &PendingRace) -> bool {
        let access = self.access;
        let old = self.sites.info(conflict.old.site);
        let stored = conflict.old.writes && old.stores && conflict.old.agent == Agent::Thread;
        if !stored || old.bytes != access.bytes || access.values.is_empty() {
            return false;
        }
        let bytes = u64::from(access.bytes);
        let start = conflict.address - conflict.address % bytes;
        let at = (start - self.base) as usize;
        let lane = conflict.new.lane;
        let Some(new) = lane_values(access, lane) else { return false };
        let address =
            access.lanes().find(|(own, _)| *own == lane).map_or(0, |(_, address)| address);
        let element = ((start - address.min(start)) / bytes) as usize;
        let words = usize::from(access.bytes).div_ceil(8);
        if !conflict.old.weak {
            return conflict.old.value.is_some_and(|old| new.get(element * words) == Some(&old));
        }
        (0..bytes as usize).step_by(8).enumerate().all(|(word, part)| {
            let count = (bytes as usize - part).min(8);
            let old = &self.values[at + part..at + part + count];
            new.get(element * words + word)
                .is_some_and(|value| value.to_le_bytes()[..count] == *old)
        })
    }
}
