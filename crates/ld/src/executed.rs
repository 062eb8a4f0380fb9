//! What safe execution executes, as events: every warp accesses its own copy of memory, which has addresses of its own.

use std::cell::Cell;
use std::rc::Rc;
use warpsan_event::{Access, Batch, Event, EventBuffer, EventMask, EventSink, LaneAddresses};
use warpsan_model::Space;
use warpsan_simt::Place;

/// Copies of device memory, and of shared memory, are so far from each other.
const COPY_BITS: u32 = 40;
/// Where copies of shared memory begin: no allocation is so far up.
const SHARED: u64 = 0x3000_0000_0000;

/// Where a place is in the copy of a warp.
pub(crate) fn private_address(place: Place, block: u32, warp: u32, warps: u32) -> u64 {
    let copy = 2 * (u64::from(block) * u64::from(warps) + u64::from(warp) + 1);
    match place {
        Place::Global(address) => address.wrapping_add(copy << COPY_BITS),
        Place::Shared(offset) => {
            SHARED.wrapping_add((copy + 1) << COPY_BITS).wrapping_add(u64::from(offset))
        }
    }
}

/// Gives accesses the addresses of private copies.
pub(crate) struct Executed<'a> {
    listener: &'a mut dyn EventSink,
    warps: u32,
    /// Whether accesses are those of warps in their copies; writes that merge copies have their addresses already.
    renames: Rc<Cell<bool>>,
}

impl<'a> Executed<'a> {
    pub(crate) fn new(listener: &'a mut dyn EventSink, warps: u32) -> Executed<'a> {
        Executed { listener, warps, renames: Rc::new(Cell::new(true)) }
    }

    /// The switch.
    pub(crate) fn renames(&self) -> Rc<Cell<bool>> {
        Rc::clone(&self.renames)
    }

    fn rename(&self, access: &Access<'_>, buffer: &mut EventBuffer) {
        let addresses: Vec<u64> = access
            .lanes()
            .map(|(_, address)| {
                let place = match access.space {
                    Space::Shared => Place::Shared(address as u32),
                    _ => Place::Global(address),
                };
                private_address(place, access.block.0, access.warp, self.warps)
            })
            .collect();
        let addresses = LaneAddresses::PerLane(&addresses);
        buffer.push(Event::Access(Access { space: Space::Global, addresses, ..*access }));
    }
}

impl EventSink for Executed<'_> {
    fn interest(&self) -> EventMask {
        self.listener.interest()
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        let mut buffer = EventBuffer::new();
        for event in batch.events() {
            match event {
                Event::Access(access) if self.renames.get() => self.rename(&access, &mut buffer),
                other => buffer.push(other),
            }
        }
        self.listener.buffer(&mut buffer);
    }
}
