//! Events on their way to the sink.

use std::collections::HashMap;
use warpsan_event::{
    Access, AccessKind, Event, EventBuffer, EventMask, EventSink, LaneAddresses, only_active,
    regular,
};
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

    /// Whether what happens is emitted from now on, for those who asked for it.
    pub(crate) fn listen(&mut self, is_heard: bool) {
        self.interest = if is_heard { self.sink.interest() } else { EventMask::NONE };
    }

    pub(crate) fn interest(&self) -> EventMask {
        self.sink.interest()
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

    /// Lanes of a warp execute together again.
    pub(crate) fn reconvergence(&mut self, block: BlockIndex, warp: u32, mask: u32) {
        self.push_if(EventMask::RECONVERGENCE, Event::Reconvergence { block, warp, mask });
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
            // Global memory is one, whoever accesses it.
            let owner = match access.space {
                Space::Shared => access.owner,
                _ => BlockIndex(0),
            };
            let place = (access.space, owner, addresses[lane]);
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
