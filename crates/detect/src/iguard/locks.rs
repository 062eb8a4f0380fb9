//! Locks that a warp or a thread seems to hold: an `atomicCAS`, then a fence, takes one; an `atomicExch`
//! gives it back (section 6.3 of the paper).

/// How far an atomic or a fence reaches: iGUARD knows two scopes. A cluster is taken for a block, the system
/// for the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The threads of the block.
    Block,
    /// All threads of the device.
    Device,
}

impl Reach {
    /// What a scope of PTX is to iGUARD.
    pub fn of(scope: warpsan_model::Scope) -> Reach {
        use warpsan_model::Scope;
        match scope {
            Scope::Cta | Scope::Cluster => Reach::Block,
            Scope::Gpu | Scope::Sys => Reach::Device,
        }
    }
}

const SLOTS: u32 = 3;
const SLOT_BITS: u32 = 21;
const HASH_BITS: u32 = 18;
const HASH: u64 = (1 << HASH_BITS) - 1;
const VALID: u64 = 1 << HASH_BITS;
const ACTIVE: u64 = VALID << 1;
const OF_BLOCK: u64 = VALID << 2;
const SLOT: u64 = (1 << SLOT_BITS) - 1;
const PER_THREAD: u64 = 1 << 63;

/// A lock table: three locks of 21 bits and a flag in 64 bits, as in the paper's figure 7. A lock is the hash of
/// its address with the flags *valid*, *active* and its scope.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LockTable(u64);

impl LockTable {
    /// Whether the lanes of this warp take locks of their own.
    #[inline]
    pub(super) fn is_per_thread(self) -> bool {
        self.0 & PER_THREAD != 0
    }

    /// Lanes of this warp take locks of their own, for the rest of the launch.
    pub(super) fn set_per_thread(&mut self) {
        self.0 |= PER_THREAD;
    }

    fn slots(self) -> impl Iterator<Item = (u32, u64)> {
        (0..SLOTS).map(move |slot| (slot * SLOT_BITS, self.0 >> (slot * SLOT_BITS) & SLOT))
    }

    /// A lock may have been taken: it is held from the next fence on. A lock that is known already stays as it
    /// is, and the fourth is not noted.
    pub(super) fn insert(&mut self, address: u64, reach: Reach) {
        let lock = VALID | name(address, reach);
        if self.slots().any(|(_, slot)| slot & !ACTIVE == lock) {
            return;
        }
        let free = self.slots().find(|(_, slot)| slot & VALID == 0);
        if let Some((shift, _)) = free {
            self.0 = self.0 & !(SLOT << shift) | lock << shift;
        }
    }

    /// A fence: locks of its scope, or of a narrower one, are held from now on.
    pub(super) fn activate(&mut self, reach: Reach) {
        for (shift, slot) in self.slots() {
            let reached = reach == Reach::Device || slot & OF_BLOCK != 0;
            if slot & VALID != 0 && reached {
                self.0 |= ACTIVE << shift;
            }
        }
    }

    /// A lock was given back.
    pub(super) fn remove(&mut self, address: u64, reach: Reach) {
        let lock = VALID | name(address, reach);
        for (shift, slot) in self.slots() {
            if slot & !ACTIVE == lock {
                self.0 &= !(SLOT << shift);
            }
        }
    }

    /// The locks that are held, as a set with two bits of sixteen for each.
    #[inline]
    pub(super) fn summary(self) -> u16 {
        if self.0 & !PER_THREAD == 0 {
            return 0;
        }
        let held = self.slots().filter(|(_, slot)| slot & (VALID | ACTIVE) == VALID | ACTIVE);
        held.fold(0, |bits, (_, slot)| bits | 1 << (slot & 15) | 1 << (slot >> 9 & 15))
    }
}

/// The hash of a lock's address, with its scope.
fn name(address: u64, reach: Reach) -> u64 {
    let hash = u64::from(hash(address)) & HASH;
    match reach {
        Reach::Block => hash | OF_BLOCK,
        Reach::Device => hash,
    }
}

/// Eighteen bits of a lock's address.
fn hash(address: u64) -> u32 {
    ((address >> 2) as u32).wrapping_mul(0x9E37_79B1) >> (u32::BITS - HASH_BITS)
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

    #[test]
    fn hashes_are_those_of_the_device() {
        // (0x1000 >> 2) * 0x9E3779B1 modulo 2^32 is 0xDDE6C400; its upper eighteen bits.
        assert_eq!(hash(0x1000), 0xDDE6_C400 >> 14);
        assert_eq!(hash(0x1003), hash(0x1000), "a lock is a word");
        assert_eq!(hash(0x5_0000_1000), ((0x4000_0400_u64 * 0x9E37_79B1) as u32) >> 14);
    }
}
