//! Events on their way to the sink.

use std::collections::HashMap;
use warpsan_event::{Access, AccessKind, Event, EventBuffer, EventMask, EventSink, LaneAddresses};
use warpsan_model::{BlockIndex, Space, Strength};

/// Events of one batch.
const BATCH: usize = 4096;

/// Collects events and hands them on in batches.
pub(crate) struct Trace<'a> {
    buffer: EventBuffer,
    sink: &'a mut dyn EventSink,
    interest: EventMask,
    scratch: Vec<u64>,
    /// Strong writes that each location has seen, where somebody wants to know.
    versions: HashMap<(Space, BlockIndex, u64), u64>,
    /// Accesses by lanes to shared and global memory, whether anybody wanted to know or not.
    pub(crate) accesses: u64,
}

impl<'a> Trace<'a> {
    pub(crate) fn new(sink: &'a mut dyn EventSink) -> Self {
        let interest = sink.interest();
        Trace {
            buffer: EventBuffer::new(),
            sink,
            interest,
            scratch: Vec::new(),
            versions: HashMap::new(),
            accesses: 0,
        }
    }

    pub(crate) fn wants_accesses(&self) -> bool {
        self.interest.contains(EventMask::ACCESSES)
    }

    pub(crate) fn wants_values(&self) -> bool {
        self.interest.contains(EventMask::VALUES)
    }

    pub(crate) fn wants_observations(&self) -> bool {
        self.interest.contains(EventMask::OBSERVATIONS)
    }

    pub(crate) fn structure(&mut self, event: Event<'_>) {
        self.push_if(EventMask::STRUCTURE, event);
    }

    pub(crate) fn synchronisation(&mut self, event: Event<'_>) {
        self.push_if(EventMask::SYNCHRONISATION, event);
    }

    fn push_if(&mut self, class: EventMask, event: Event<'_>) {
        if self.interest.contains(class) {
            self.buffer.push(event);
            if self.buffer.len() >= BATCH {
                self.flush();
            }
        }
    }

    /// An access whose addresses are given for all 32 lanes. The shortest form of the addresses is
    /// found here, unless the caller knows it.
    pub(crate) fn access(
        &mut self,
        access: Access<'_>,
        addresses: &[u64; 32],
        known: Option<LaneAddresses<'static>>,
    ) {
        self.accesses += u64::from(access.mask.count_ones());
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let form = known.or_else(|| regular(access.mask, addresses));
        if form.is_none() {
            scratch.extend(crate::warp::lanes(access.mask).map(|lane| addresses[lane]));
        }
        let in_addresses = scratch.len();
        if access.strength != Strength::Weak && self.wants_observations() {
            self.count_versions(&access, addresses, &mut scratch);
        }
        let (per_lane, versions) = scratch.split_at(in_addresses);
        let addresses = form.unwrap_or(LaneAddresses::PerLane(per_lane));
        self.buffer.push(Event::Access(Access { addresses, versions, ..access }));
        self.scratch = scratch;
        if self.buffer.len() >= BATCH {
            self.flush();
        }
    }

    fn count_versions(&mut self, access: &Access<'_>, addresses: &[u64; 32], to: &mut Vec<u64>) {
        let writes = access.kind != AccessKind::Read;
        for lane in crate::warp::lanes(access.mask) {
            let place = (access.space, access.owner, addresses[lane]);
            let version = self.versions.entry(place).or_insert(0);
            *version += u64::from(writes && access.wrote >> lane & 1 == 1);
            to.push(*version);
        }
    }

    pub(crate) fn flush(&mut self) {
        if !self.buffer.is_empty() {
            self.sink.buffer(&mut self.buffer);
        }
    }
}

/// The uniform or strided form, if the active lanes' addresses have one.
pub(crate) fn regular(mask: u32, addresses: &[u64; 32]) -> Option<LaneAddresses<'static>> {
    let first = mask.trailing_zeros() as usize;
    let rest = mask & mask.wrapping_sub(1);
    if rest == 0 {
        return Some(LaneAddresses::Uniform(addresses[first]));
    }
    let second = rest.trailing_zeros() as usize;
    let distance = addresses[second].wrapping_sub(addresses[first]);
    let gap = (second - first) as u64;
    let stride = (distance as i64 / gap as i64) as u64;
    let base = addresses[first].wrapping_sub(stride.wrapping_mul(first as u64));
    let fits = crate::warp::lanes(mask)
        .all(|lane| addresses[lane] == base.wrapping_add(stride.wrapping_mul(lane as u64)));
    fits.then_some(match stride {
        0 => LaneAddresses::Uniform(base),
        _ => LaneAddresses::Strided { first: base, stride },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_addresses_are_recognised_also_with_gaps() {
        let mut addresses = [0u64; 32];
        for (lane, address) in addresses.iter_mut().enumerate() {
            *address = 1000 - 4 * lane as u64;
        }
        let form = regular(0b1010_0100, &addresses);
        assert_eq!(form, Some(LaneAddresses::Strided { first: 1000, stride: (-4i64) as u64 }));
        assert_eq!(regular(0b100, &addresses), Some(LaneAddresses::Uniform(992)));
        addresses[7] = 5;
        assert_eq!(regular(0b1010_0100, &addresses), None);
        assert_eq!(regular(u32::MAX, &[8; 32]), Some(LaneAddresses::Uniform(8)));
    }
}
