//! Events on their way to the sink.

use std::collections::HashMap;
use warpsan_event::{Access, AccessKind, Event, EventBuffer, EventMask, EventSink, LaneAddresses};
use warpsan_model::{BlockIndex, Space, Strength};

/// Events of one batch. Few enough for their words to stay near the processor.
const BATCH: usize = 512;

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
    /// found here, unless the caller knows it. Those of the access itself do not count.
    #[inline(always)]
    pub(crate) fn access(
        &mut self,
        access: Access<'_>,
        addresses: &[u64; 32],
        known: Option<LaneAddresses<'static>>,
    ) {
        self.accesses += u64::from(access.mask.count_ones());
        let mut active;
        let form = match known.or_else(|| regular(access.mask, addresses)) {
            Some(short) => short,
            None if access.mask == u32::MAX => LaneAddresses::PerLane(addresses),
            None => {
                active = [0; 32];
                LaneAddresses::PerLane(only_active(access.mask, addresses, &mut active))
            }
        };
        let access = Access { addresses: form, ..access };
        if access.strength != Strength::Weak && self.wants_observations() {
            self.push_with_versions(access, addresses);
        } else {
            self.buffer.push_access(&access);
        }
        if self.buffer.len() >= BATCH {
            self.flush();
        }
    }

    #[inline(never)]
    fn push_with_versions(&mut self, access: Access<'_>, addresses: &[u64; 32]) {
        let mut versions = std::mem::take(&mut self.scratch);
        versions.clear();
        self.count_versions(&access, addresses, &mut versions);
        self.buffer.push_access(&Access { versions: &versions, ..access });
        self.scratch = versions;
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

    #[inline(never)]
    pub(crate) fn flush(&mut self) {
        if !self.buffer.is_empty() {
            self.sink.buffer(&mut self.buffer);
            // Who kept the buffer has left a new one here.
            self.buffer.reserve(BATCH);
        }
    }
}

/// The words of the active lanes of all lanes' words, lowest lane first.
#[inline(always)]
pub(crate) fn only_active<'w>(mask: u32, all: &[u64; 32], to: &'w mut [u64; 32]) -> &'w [u64] {
    // Every lane's word is written, and the next one over it unless the lane is active: no jump
    // depends on the mask.
    let mut count = 0;
    for (lane, word) in all.iter().enumerate() {
        to[count & 31] = *word;
        count += (mask >> lane & 1) as usize;
    }
    &to[..count]
}

/// The uniform or strided form, if the active lanes' addresses have one.
#[inline(always)]
pub(crate) fn regular(mask: u32, addresses: &[u64; 32]) -> Option<LaneAddresses<'static>> {
    let first = mask.trailing_zeros() as usize & 31;
    let rest = mask & mask.wrapping_sub(1);
    if rest == 0 {
        return Some(LaneAddresses::Uniform(addresses[first]));
    }
    let second = rest.trailing_zeros() as usize & 31;
    let distance = addresses[second].wrapping_sub(addresses[first]);
    let stride = match (second - first) as i64 {
        1 => distance,
        gap => (distance as i64 / gap) as u64,
    };
    let base = addresses[first].wrapping_sub(stride.wrapping_mul(first as u64));
    // Lanes that go different ways mostly have done so by the last one.
    let last = 31 - mask.leading_zeros() as usize;
    if addresses[last] != base.wrapping_add(stride.wrapping_mul(last as u64)) {
        return None;
    }
    let (mut expected, mut differs) = (base, 0);
    for (lane, address) in addresses.iter().enumerate() {
        let counts = 0u64.wrapping_sub(u64::from(mask >> lane & 1));
        differs |= (address ^ expected) & counts;
        expected = expected.wrapping_add(stride);
    }
    (differs == 0).then_some(match stride {
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
        addresses[7] = 1000 - 28;
        addresses[5] = 7;
        assert_eq!(regular(0b1010_0100, &addresses), None, "only a lane in between differs");
        assert_eq!(regular(0b1000_0100, &addresses), form, "a lane that is not active differs");
    }

    #[test]
    fn active_lanes_are_picked_in_their_order() {
        let all: [u64; 32] = std::array::from_fn(|lane| 100 + lane as u64);
        for mask in [0, 1, 1 << 31, 0x8000_0001, 0xaaaa_aaaa, u32::MAX - 1, u32::MAX] {
            let expected: Vec<u64> = crate::warp::lanes(mask).map(|lane| all[lane]).collect();
            assert_eq!(only_active(mask, &all, &mut [0; 32]), expected, "{mask:#x}");
        }
    }
}
