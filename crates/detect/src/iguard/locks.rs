//! Locks that a warp or a thread seems to hold (section 6.3 of the paper).

use crate::last_access::Reach;
use crate::last_access::lock_slots::LockSlots;

/// A lock table: three locks of 21 bits and a flag, which are 64 bits in the paper's figure 7.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LockTable {
    locks: LockSlots<3, 18>,
    /// The lanes of this warp take locks of their own.
    per_thread: bool,
}

impl LockTable {
    /// Whether the lanes of this warp take locks of their own.
    #[inline]
    pub(super) fn is_per_thread(self) -> bool {
        self.per_thread
    }

    /// Lanes of this warp take locks of their own, for the rest of the launch.
    pub(super) fn set_per_thread(&mut self) {
        self.per_thread = true;
    }

    /// A lock may have been taken: it is held from the next fence on. A lock that is known already stays as it
    /// is, and the fourth is not noted.
    pub(super) fn insert(&mut self, address: u64, reach: Reach) {
        if self.locks.contains(address, reach) {
            return;
        }
        if let Some(free) = self.locks.free() {
            self.locks.put(free, address, reach);
        }
    }

    /// A fence: locks of its scope, or of a narrower one, are held from now on.
    pub(super) fn activate(&mut self, reach: Reach) {
        self.locks.activate(reach);
    }

    /// A lock was given back.
    pub(super) fn remove(&mut self, address: u64, reach: Reach) {
        self.locks.remove(address, reach);
    }

    /// The locks that are held, as a set with two bits of sixteen for each.
    #[inline]
    pub(super) fn summary(self) -> u16 {
        if self.locks.is_empty() {
            return 0;
        }
        self.locks.held().fold(0, |bits, (hash, _)| bits | 1 << (hash & 15) | 1 << (hash >> 9 & 15))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Reach::{Block, Device};

    const LOCK: u64 = 0x7_0000_1000;
    const OTHER: u64 = 0x7_0000_2000;

    fn held(address: u64) -> u16 {
        let mut table = LockTable::default();
        table.insert(address, Device);
        table.activate(Device);
        table.summary()
    }

    #[test]
    fn a_lock_is_held_from_the_fence_to_the_exchange() {
        let mut table = LockTable::default();
        table.insert(LOCK, Device);
        assert_eq!(table.summary(), 0, "no fence yet");
        table.activate(Device);
        assert_eq!(table.summary(), held(LOCK));
        assert!((1..=2).contains(&table.summary().count_ones()));
        table.remove(OTHER, Device);
        table.remove(LOCK, Block);
        assert_eq!(table.summary(), held(LOCK), "another lock, and another scope");
        table.remove(LOCK, Device);
        assert_eq!(table, LockTable::default());
    }

    #[test]
    fn a_fence_activates_what_it_reaches() {
        let mut table = LockTable::default();
        table.insert(LOCK, Device);
        table.activate(Block);
        assert_eq!(table.summary(), 0, "a block's fence is too narrow for a device's lock");
        table.insert(OTHER, Block);
        table.activate(Block);
        assert_eq!(table.summary(), held(OTHER));
        table.activate(Device);
        assert_eq!(table.summary(), held(OTHER) | held(LOCK));
    }

    #[test]
    fn three_locks_are_noted_and_one_of_them_not_twice() {
        let locks: [u64; 4] = std::array::from_fn(|number| 0x7_0000_1000 + 0x140 * number as u64);
        let mut table = LockTable::default();
        for lock in [locks[0], locks[0], locks[1], locks[2], locks[3]] {
            table.insert(lock, Device);
        }
        table.activate(Device);
        assert_eq!(table.summary(), held(locks[0]) | held(locks[1]) | held(locks[2]));
        table.remove(locks[1], Device);
        table.insert(locks[0], Device);
        table.insert(locks[3], Device);
        assert_eq!(table.summary(), held(locks[0]) | held(locks[2]), "the new one is not active");
        table.activate(Device);
        assert_eq!(table.summary(), held(locks[0]) | held(locks[2]) | held(locks[3]));
    }

    #[test]
    fn the_flag_is_no_lock() {
        let mut table = LockTable::default();
        table.set_per_thread();
        table.activate(Device);
        assert!(table.is_per_thread() && table.summary() == 0);
        for lock in [LOCK, OTHER, LOCK + 4] {
            table.insert(lock, Block);
        }
        table.activate(Block);
        assert!(table.is_per_thread() && table.summary() != 0);
    }
}
