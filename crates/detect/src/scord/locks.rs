//! Locks that a warp seems to hold (section IV-A of the paper).

use crate::last_access::Reach;
use crate::last_access::lock_slots::LockSlots;

/// The lock table of a warp: a circular buffer of four locks of nine bits, six of them of the hash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LockTable {
    locks: LockSlots<4, 6>,
    /// The place of the next lock.
    next: u32,
}

impl LockTable {
    /// A lock may have been taken: it is held from the next fence on. The fifth takes the place of the oldest. A lock
    /// that is known already stays as it is: whoever waits for one tries many times.
    pub(super) fn insert(&mut self, address: u64, reach: Reach) {
        if self.locks.contains(address, reach) {
            return;
        }
        self.locks.put(self.next, address, reach);
        self.next = (self.next + 1) % 4;
    }

    /// A fence: locks of its scope, or of a narrower one, are held from now on.
    pub(super) fn activate(&mut self, reach: Reach) {
        self.locks.activate(reach);
    }

    /// A lock was given back.
    pub(super) fn remove(&mut self, address: u64, reach: Reach) {
        self.locks.remove(address, reach);
    }

    /// The locks that are held, as a bloom filter with one bit of sixteen for each. Sets of more bits would have
    /// some in common more often. The same lock with another scope has another bit.
    #[inline]
    pub(super) fn summary(self) -> u16 {
        if self.locks.is_empty() {
            return 0;
        }
        self.locks.held().fold(0, |bits, (hash, reach)| {
            let scope = if reach == Reach::Block { 8 } else { 0 };
            bits | 1 << (hash >> 2 ^ scope)
        })
    }
}

/// The sets of locks of two accesses have one in common. Between blocks a lock is the same only with the same scope. Within a
/// block both scopes reach both warps, so there it is the same with either.
#[inline]
pub(super) fn have_common_lock(then: u16, now: u16, in_one_block: bool) -> bool {
    let now = if in_one_block { now | now.rotate_left(8) } else { now };
    then & now != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use Reach::{Block, Device};

    fn held(address: u64, reach: Reach) -> u16 {
        let mut table = LockTable::default();
        table.insert(address, reach);
        table.activate(reach);
        table.summary()
    }

    #[test]
    fn a_lock_is_held_from_the_fence_to_the_exchange() {
        let (lock, other) = (0x7_0000_1000, 0x7_0000_1004);
        let mut table = LockTable::default();
        table.insert(lock, Device);
        table.activate(Block);
        assert_eq!(table.summary(), 0, "no fence, or too narrow a one");
        table.activate(Device);
        assert_eq!(table.summary(), held(lock, Device));
        table.insert(lock, Device);
        assert_eq!(table.summary(), held(lock, Device), "trying again changes nothing");
        table.remove(other, Device);
        table.remove(lock, Block);
        assert_eq!(table.summary(), held(lock, Device), "another lock, and another scope");
        table.remove(lock, Device);
        assert_eq!(table.summary(), 0);
    }

    #[test]
    fn every_lock_is_one_bit_and_scopes_differ() {
        for lock in (0..256).map(|number| 0x1000 + 4 * number) {
            let (of_block, of_device) = (held(lock, Block), held(lock, Device));
            assert_eq!((of_block.count_ones(), of_device.count_ones()), (1, 1));
            assert_eq!(of_block & of_device, 0);
            assert_eq!(of_device & held(lock + 4, Device), 0, "neighbours");
        }
    }

    #[test]
    fn a_lock_of_two_scopes_is_the_same_within_a_block() {
        for lock in (0..256).map(|number| 0x1000 + 4 * number) {
            let (of_block, of_device) = (held(lock, Block), held(lock, Device));
            for (then, now) in [(of_block, of_device), (of_device, of_block)] {
                assert!(have_common_lock(then, now, true));
                assert!(!have_common_lock(then, now, false));
                assert!(have_common_lock(then, then, true) && have_common_lock(then, then, false));
            }
            let neighbour = held(lock + 4, Device);
            assert!(!have_common_lock(of_block, neighbour, true));
            assert!(!have_common_lock(of_device, neighbour, true));
            assert!(!have_common_lock(of_device, 0, true) && !have_common_lock(0, of_block, true));
        }
    }

    #[test]
    fn the_fifth_lock_takes_the_place_of_the_first() {
        let locks: [u64; 5] = std::array::from_fn(|number| 0x1000 + 4 * number as u64);
        let mut table = LockTable::default();
        locks.iter().for_each(|lock| table.insert(*lock, Device));
        table.activate(Device);
        let expected = locks[1..].iter().fold(0, |bits, lock| bits | held(*lock, Device));
        assert_eq!(table.summary(), expected);
        assert_eq!(expected.count_ones(), 4);
    }
}
