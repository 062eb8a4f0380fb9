use warpsan_event::{Access, Event, EventBuffer, EventMask, EventSink, LaneAddresses};

/// Events of one batch.
const BATCH: usize = 4096;

/// Collects events and hands them on in batches.
pub(crate) struct Trace<'a> {
    buffer: EventBuffer,
    sink: &'a mut dyn EventSink,
    interest: EventMask,
    scratch: Vec<u64>,
    /// Accesses by lanes to shared and global memory, whether anybody wanted to know or not.
    pub(crate) accesses: u64,
}

impl<'a> Trace<'a> {
    pub(crate) fn new(sink: &'a mut dyn EventSink) -> Self {
        let interest = sink.interest();
        Trace { buffer: EventBuffer::new(), sink, interest, scratch: Vec::new(), accesses: 0 }
    }

    pub(crate) fn wants_values(&self) -> bool {
        self.interest.contains(EventMask::VALUES)
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

    /// An access whose addresses are given for all 32 lanes; the shortest form is chosen here.
    pub(crate) fn access(&mut self, access: Access<'_>, addresses: &[u64; 32]) {
        self.accesses += u64::from(access.mask.count_ones());
        if !self.interest.contains(EventMask::ACCESSES) {
            return;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let form = match regular(access.mask, addresses) {
            Some(form) => form,
            None => {
                scratch.clear();
                scratch.extend(crate::warp::lanes(access.mask).map(|lane| addresses[lane]));
                LaneAddresses::PerLane(&scratch)
            }
        };
        self.buffer.push(Event::Access(Access { addresses: form, ..access }));
        self.scratch = scratch;
        if self.buffer.len() >= BATCH {
            self.flush();
        }
    }

    pub(crate) fn flush(&mut self) {
        if !self.buffer.is_empty() {
            self.sink.batch(&self.buffer.batch());
            self.buffer.clear();
        }
    }
}

/// The uniform or strided form, if the active lanes' addresses have one.
fn regular(mask: u32, addresses: &[u64; 32]) -> Option<LaneAddresses<'static>> {
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
