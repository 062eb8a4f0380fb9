//! Queues in memory of the host that kernels write, with what orders their records.

use super::Engine;
use crate::driver::DriverError;
use crate::driver_types::{CUstream, host_memory_flags};
use crate::shipping::{FinalCounts, QueueMemory, Reader};
use std::ffi::c_void;
use warpsan_instrument::LaunchContext;
use warpsan_instrument::record::{DeviceHeads, QueueDescriptor, Slot};

/// Slots of a queue.
const CAPACITY: u64 = 256;
/// The table of turns has `1 << TURN_BITS` words of eight bytes.
pub(super) const TURN_BITS: u32 = 16;
/// Bytes of the lock and the ticket of a total order.
const ORDER_BYTES: u64 = 16;

/// The queues of one launch at a time. Their memory stays as long as the process.
pub(super) struct Queues {
    /// Where the device finds them: no two have the same place.
    pub(super) place: u64,
    heads: u64,
    memories: Vec<QueueMemory>,
    turns: u64,
    order: u64,
}

impl Queues {
    pub(super) fn new(
        engine: &Engine,
        count: usize,
        stream: CUstream,
    ) -> Result<Queues, DriverError> {
        let driver = engine.driver;
        let of_queue = 128 + CAPACITY as usize * (8 + size_of::<Slot>());
        let mut memory = std::ptr::null_mut();
        let flags = host_memory_flags::DEVICE_MAP | host_memory_flags::PORTABLE;
        // SAFETY: a place for an address.
        let result = unsafe { driver.cuMemHostAlloc(&mut memory, count * of_queue, flags) };
        driver.check("cuMemHostAlloc", result)?;
        let start = memory.cast::<u8>();
        // SAFETY: so many bytes were allocated.
        unsafe { start.write_bytes(0, count * of_queue) };
        let mut of_device = 0;
        // SAFETY: memory of the call before.
        let result = unsafe { driver.cuMemHostGetDevicePointer_v2(&mut of_device, memory, 0) };
        driver.check("cuMemHostGetDevicePointer", result)?;
        let heads = engine.allocate((count * size_of::<DeviceHeads>()) as u64, stream)?;
        let mut descriptors = Vec::new();
        let mut memories = Vec::new();
        for queue in 0..count {
            let at = queue * of_queue;
            let (ready, slots) = (at + 128, at + 128 + CAPACITY as usize * 8);
            // SAFETY: the parts of this queue, which nobody else has, in memory that stays.
            memories.push(unsafe {
                QueueMemory::at(
                    start.add(at).cast(),
                    start.add(ready).cast(),
                    start.add(slots).cast(),
                    CAPACITY,
                )
            });
            descriptors.push(QueueDescriptor {
                heads: heads + (queue * size_of::<DeviceHeads>()) as u64,
                read_head: of_device + at as u64,
                ready: of_device + ready as u64,
                slots: of_device + slots as u64,
                capacity: CAPACITY,
            });
        }
        let place = engine.allocate((count * size_of::<QueueDescriptor>()) as u64, stream)?;
        engine.write(place, &descriptors, stream)?;
        let turns = engine.allocate(8 << TURN_BITS, stream)?;
        let order = engine.allocate(ORDER_BYTES, stream)?;
        Ok(Queues { place, heads, memories, turns, order })
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.memories.len()
    }

    /// Where the device's counters of all queues lie.
    pub(super) fn heads(&self) -> u64 {
        self.heads
    }

    /// Makes the queues ready for a launch, in the order of its stream.
    pub(super) fn reset(&self, engine: &Engine, stream: CUstream) {
        // SAFETY: memory of ours, in the order of the launch's stream.
        unsafe {
            engine.driver.cuMemsetD8Async(self.turns, 0, 8 << TURN_BITS, stream);
            engine.driver.cuMemsetD8Async(self.order, 0, ORDER_BYTES as usize, stream);
        }
    }

    /// Enters them into the context of a launch.
    pub(super) fn enter(&self, engine: &Engine, context: &mut LaunchContext) {
        context.queues = self.place;
        context.queue_count = self.memories.len() as u32;
        context.turns = self.turns;
        context.turn_bits = TURN_BITS;
        context.order = if engine.settings.plan.has_metadata() { self.order } else { 0 };
    }

    /// Readers that go on where others stopped; at most one of each queue is used at a time.
    pub(super) fn readers(&self) -> Vec<Reader> {
        self.memories.iter().cloned().map(Reader::new).collect()
    }
}

/// What the device's counters of so many queues say; nothing if they cannot be read.
pub(super) fn counts(
    driver: &crate::Driver,
    heads: u64,
    queues: usize,
    stream: CUstream,
) -> Vec<FinalCounts> {
    let mut found = vec![DeviceHeads::default(); queues];
    let place = found.as_mut_ptr().cast::<c_void>();
    // SAFETY: as many heads as there are queues, and a stream of ours.
    let read = unsafe {
        let bytes = size_of_val(found.as_slice());
        driver.cuMemcpyDtoHAsync_v2(place, heads, bytes, stream);
        driver.cuStreamSynchronize(stream)
    };
    let counts = found.iter().map(|heads| FinalCounts {
        reserved: heads.write_head.value,
        committed: heads.commit_index.value,
    });
    if read.is_success() { counts.collect() } else { Vec::new() }
}
