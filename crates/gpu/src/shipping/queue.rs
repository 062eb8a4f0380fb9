//! A queue in memory that a device writes: the host's side of it, and a model of the device's side.
//!
//! The contract is `instrument::record`; this is the one place that touches the memory.

use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use warpsan_instrument::record::Slot;

/// The memory of a queue that the host reads: page-locked, and mapped for the device.
#[derive(Debug, Clone)]
pub struct QueueMemory {
    read_head: *const AtomicU64,
    ready: *const AtomicU64,
    slots: *const UnsafeCell<Slot>,
    capacity: u64,
    /// Keeps memory of our own alive.
    _owned: Option<Arc<OwnedQueue>>,
}

// SAFETY: the memory is shared with a device by its nature. Counters are atomics; a slot is read only
// between the moment its ready word says so and the moment the read head passes it, while nobody writes it.
unsafe impl Send for QueueMemory {}
// SAFETY: as above; only `Reader` and `Writer` use slots, and the protocol keeps them apart.
unsafe impl Sync for QueueMemory {}

impl QueueMemory {
    /// The queue whose parts lie at these addresses, as a `QueueDescriptor` has them.
    ///
    /// # Safety
    /// The memory is valid until the last user of this value is gone: a line for the read head, `capacity`
    /// ready words and `capacity` slots, all aligned. Who else writes to it keeps to the contract. At most
    /// one [`Reader`] is made of it at a time.
    pub unsafe fn at(
        read_head: *mut u64,
        ready: *mut u64,
        slots: *mut Slot,
        capacity: u64,
    ) -> Self {
        debug_assert!(capacity.is_power_of_two());
        QueueMemory {
            read_head: read_head.cast::<AtomicU64>().cast_const(),
            ready: ready.cast::<AtomicU64>().cast_const(),
            slots: slots.cast::<UnsafeCell<Slot>>().cast_const(),
            capacity,
            _owned: None,
        }
    }

    /// How many slots there are.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    fn read_head(&self) -> &AtomicU64 {
        // SAFETY: it is valid, as whoever made the value promised.
        unsafe { &*self.read_head }
    }

    fn ready(&self, index: u64) -> &AtomicU64 {
        // SAFETY: the remainder is below the number of ready words.
        unsafe { &*self.ready.add((index % self.capacity) as usize) }
    }

    fn slot(&self, index: u64) -> *mut Slot {
        // SAFETY: the remainder is below the number of slots.
        unsafe { (*self.slots.add((index % self.capacity) as usize)).get() }
    }
}

/// Takes slots out of a queue, in the order in which they were reserved.
#[derive(Debug)]
pub struct Reader {
    memory: QueueMemory,
    next: u64,
}

impl Reader {
    /// A reader that goes on where the last one stopped.
    pub fn new(memory: QueueMemory) -> Reader {
        let next = memory.read_head().load(Ordering::Acquire);
        Reader { memory, next }
    }

    /// The index of the slot that is read next: so many were read ever.
    pub fn next_index(&self) -> u64 {
        self.next
    }

    /// How many slots the queue has.
    pub fn capacity(&self) -> u64 {
        self.memory.capacity
    }

    /// Takes up to `most` slots that are committed, and makes room for new ones. Returns how many.
    pub fn take(&mut self, most: usize, to: &mut Vec<Slot>) -> usize {
        let mut taken = 0;
        while taken < most {
            let index = self.next;
            if self.memory.ready(index).load(Ordering::Acquire) != index + 1 {
                break;
            }
            // SAFETY: the slot is committed, and nobody writes it before the read head has passed it.
            to.push(unsafe { self.memory.slot(index).read_volatile() });
            self.next += 1;
            taken += 1;
        }
        if taken > 0 {
            self.memory.read_head().store(self.next, Ordering::Release);
        }
        taken
    }
}

/// The counters that a device keeps of a queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FinalCounts {
    /// Slots that were ever reserved.
    pub reserved: u64,
    /// Slots that were ever committed.
    pub committed: u64,
}

/// Memory for a queue without a device: what writes it are threads of the host.
#[derive(Debug)]
struct OwnedQueue {
    read_head: AtomicU64,
    ready: Box<[AtomicU64]>,
    slots: Box<[UnsafeCell<Slot>]>,
}

// SAFETY: slots are only used through `QueueMemory`, by whom the protocol allows.
unsafe impl Sync for OwnedQueue {}

/// Writes to a queue as the device does, step by step: a model of it for tests, and for what the host
/// has to say itself. Clones write to the same queue.
#[derive(Debug, Clone)]
pub struct Writer {
    memory: QueueMemory,
    write_head: Arc<AtomicU64>,
    commit_index: Arc<AtomicU64>,
}

/// Slots that were reserved and not committed yet.
#[derive(Debug)]
#[must_use = "the queue stands still until they are committed"]
pub struct Reservation {
    first: u64,
    slots: u64,
}

impl Writer {
    /// A queue in memory of its own, with so many slots: a power of two.
    pub fn with_capacity(capacity: usize) -> Writer {
        let capacity = capacity.next_power_of_two();
        let owned = Arc::new(OwnedQueue {
            read_head: AtomicU64::new(0),
            ready: (0..capacity).map(|_| AtomicU64::new(0)).collect(),
            slots: (0..capacity).map(|_| UnsafeCell::new(Slot::default())).collect(),
        });
        let memory = QueueMemory {
            read_head: &raw const owned.read_head,
            ready: owned.ready.as_ptr(),
            slots: owned.slots.as_ptr(),
            capacity: capacity as u64,
            _owned: Some(owned),
        };
        Writer { memory, write_head: Arc::default(), commit_index: Arc::default() }
    }

    /// The memory, for a reader.
    pub fn memory(&self) -> QueueMemory {
        self.memory.clone()
    }

    /// What the counters say.
    pub fn counts(&self) -> FinalCounts {
        FinalCounts {
            reserved: self.write_head.load(Ordering::Acquire),
            committed: self.commit_index.load(Ordering::Acquire),
        }
    }

    /// Takes the next slots, and waits until the host has read what was in them.
    pub fn reserve(&self, slots: usize) -> Reservation {
        let slots = slots as u64;
        debug_assert!(slots <= self.memory.capacity, "more than the queue can hold at once");
        let first = self.write_head.fetch_add(slots, Ordering::Relaxed);
        while first + slots > self.memory.read_head().load(Ordering::Acquire) + self.memory.capacity
        {
            std::thread::yield_now();
        }
        Reservation { first, slots }
    }

    /// Fills reserved slots and hands them to the host.
    pub fn commit(&self, reservation: Reservation, slots: &[Slot]) {
        debug_assert_eq!(slots.len() as u64, reservation.slots);
        for (index, slot) in (reservation.first..).zip(slots) {
            // SAFETY: the slot was reserved by this writer alone, and the host has read what was in it.
            unsafe { self.memory.slot(index).write(*slot) };
        }
        for index in reservation.first..reservation.first + reservation.slots {
            self.memory.ready(index).store(index + 1, Ordering::Release);
        }
        self.commit_index.fetch_add(reservation.slots, Ordering::Release);
    }

    /// Reserves, fills and commits.
    pub fn write(&self, slots: &[Slot]) {
        self.commit(self.reserve(slots.len()), slots);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_instrument::record::Header;

    fn slot(number: u64) -> Slot {
        let header = Header { site: number as u32, ticket: number, ..Header::default() };
        Slot { header, lanes: [number; 32] }
    }

    #[test]
    fn slots_come_in_the_order_of_their_reservation_also_if_committed_in_another() {
        let writer = Writer::with_capacity(8);
        let (one, two) = (writer.reserve(1), writer.reserve(2));
        let mut reader = Reader::new(writer.memory());
        let mut read = Vec::new();
        writer.commit(two, &[slot(2), slot(3)]);
        assert_eq!(reader.take(10, &mut read), 0, "the first one is missing");
        writer.commit(one, &[slot(1)]);
        assert_eq!(reader.take(2, &mut read), 2);
        assert_eq!(reader.take(10, &mut read), 1);
        assert_eq!(read, [slot(1), slot(2), slot(3)]);
        assert_eq!(writer.counts(), FinalCounts { reserved: 3, committed: 3 });
        assert_eq!(reader.next_index(), 3);
    }

    #[test]
    fn what_an_earlier_round_left_is_not_read_again() {
        let writer = Writer::with_capacity(2);
        let mut reader = Reader::new(writer.memory());
        let mut read = Vec::new();
        writer.write(&[slot(1), slot(2)]);
        assert_eq!(reader.take(10, &mut read), 2);
        assert_eq!(reader.take(10, &mut read), 0);
        writer.write(&[slot(3)]);
        assert_eq!(reader.take(10, &mut read), 1);
        // A new reader goes on where this one stopped.
        let mut next = Reader::new(writer.memory());
        writer.write(&[slot(4)]);
        assert_eq!(next.take(10, &mut read), 1);
        assert_eq!(read.last(), Some(&slot(4)));
    }

    /// Many writers in a queue of a few slots: full nearly all the time, and around thousands of times.
    #[test]
    fn nothing_is_lost_or_torn_in_a_full_queue() {
        const WRITERS: u64 = 6;
        const EACH: u64 = 4000;
        let writer = Writer::with_capacity(16);
        let mut reader = Reader::new(writer.memory());
        let mut read: Vec<Slot> = Vec::new();
        std::thread::scope(|scope| {
            for number in 0..WRITERS {
                let writer = writer.clone();
                scope.spawn(move || {
                    let mut written = 0;
                    while written < EACH {
                        let count = (1 + written % 3).min(EACH - written);
                        let numbers = (written..written + count).map(|n| number * EACH + n);
                        writer.write(&numbers.map(slot).collect::<Vec<_>>());
                        written += count;
                    }
                });
            }
            while (read.len() as u64) < WRITERS * EACH {
                if reader.take(5, &mut read) == 0 {
                    std::thread::yield_now();
                }
            }
        });
        let mut last = [None; WRITERS as usize];
        for slot in &read {
            let number = slot.header.ticket;
            assert_eq!(slot.lanes, [number; 32], "torn");
            let (of, number) = ((number / EACH) as usize, number % EACH);
            assert_eq!(number, last[of].map_or(0, |last: u64| last + 1), "order of writer {of}");
            last[of] = Some(number);
        }
        let all = WRITERS * EACH;
        assert_eq!(writer.counts(), FinalCounts { reserved: all, committed: all });
        assert_eq!(reader.take(1, &mut read), 0);
    }
}
