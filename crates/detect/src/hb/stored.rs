//! What stores write: kept, so that two that write the same are told apart from two that do not.

use super::SiteInfo;
use super::found::Conflict;
use super::shadow::{Agent, Entry, LINE};
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

/// Puts what is stored into the copy of the line.
pub(super) fn store_values(
    values: &mut [u8; LINE as usize],
    base: u64,
    access: &Access<'_>,
    entry: &Entry,
) {
    let bytes = usize::from(access.bytes);
    if let LaneAddresses::Strided { first, stride: 4 } = access.addresses
        && (access.mask, bytes, access.elements) == (u32::MAX, 4, 1)
        && first == base
    {
        for (value, place) in access.values.iter().zip(values.chunks_exact_mut(4)) {
            place.copy_from_slice(&(*value as u32).to_le_bytes());
        }
        return;
    }
    let per_element = bytes.div_ceil(8);
    let per_lane = usize::from(access.elements) * per_element;
    for (rank, (lane, address)) in access.lanes().enumerate() {
        if entry.lanes >> lane & 1 == 0 {
            continue;
        }
        for element in 0..usize::from(access.elements) {
            let start = address.wrapping_add((element * bytes) as u64);
            let Some(offset) = start.checked_sub(base).filter(|offset| *offset < LINE) else {
                continue;
            };
            let at = offset as usize;
            for (word, part) in (0..bytes).step_by(8).enumerate() {
                let index = rank * per_lane + element * per_element + word;
                let Some(value) = access.values.get(index) else { return };
                let count = (bytes - part).min(8);
                values[at + part..at + part + count].copy_from_slice(&value.to_le_bytes()[..count]);
            }
        }
    }
}

/// What a store writes, and what was stored before in the same line.
pub(super) struct Stored<'a, 'v> {
    pub(super) access: &'a Access<'v>,
    pub(super) base: u64,
    pub(super) values: &'a [u8; LINE as usize],
    pub(super) sites: &'a [SiteInfo],
}

impl Stored<'_, '_> {
    /// Finds out where earlier stores wrote the same bytes. A pair that did in one place and did not in
    /// another is told twice.
    pub(super) fn tell_apart(&self, found: &mut Vec<Conflict>, first: usize) {
        for index in first..found.len() {
            let conflict = found[index];
            let bytes = u64::from(self.access.bytes);
            let mut kinds = [None, None];
            for address in conflict.addresses(self.base) {
                let conflict = Conflict { address, ..conflict };
                let same = self.is_same(&conflict);
                kinds[usize::from(same)].get_or_insert(Conflict { same_value: same, ..conflict });
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

    fn is_same(&self, conflict: &Conflict) -> bool {
        let access = self.access;
        let old = self.sites.get(conflict.old.site as usize).copied().unwrap_or_default();
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
