//! Locks that a warp or a thread seems to hold: an `atomicCAS`, then a fence, takes one; an `atomicExch` gives it
//! back.

use super::Reach;

/// Places for locks in 64 bits. A lock is the hash of its address with the flags *valid*, *active* and its scope.
/// Which place a new one gets is up to the detector.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LockSlots<const SLOTS: u32, const HASH_BITS: u32>(u64);

impl<const SLOTS: u32, const HASH_BITS: u32> LockSlots<SLOTS, HASH_BITS> {
    const SLOT_BITS: u32 = HASH_BITS + 3;
    const SLOT: u64 = (1 << Self::SLOT_BITS) - 1;
    const VALID: u64 = 1 << HASH_BITS;
    const ACTIVE: u64 = Self::VALID << 1;
    const OF_BLOCK: u64 = Self::VALID << 2;

    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn slots(self) -> impl Iterator<Item = (u32, u64)> {
        (0..SLOTS).map(move |slot| {
            let shift = slot * Self::SLOT_BITS;
            (shift, self.0 >> shift & Self::SLOT)
        })
    }

    /// A lock that is not active.
    fn lock(address: u64, reach: Reach) -> u64 {
        let scope = if reach == Reach::Block { Self::OF_BLOCK } else { 0 };
        Self::VALID | u64::from(hash(address, HASH_BITS)) | scope
    }

    /// Whether a lock is known, active or not.
    pub(crate) fn contains(self, address: u64, reach: Reach) -> bool {
        let lock = Self::lock(address, reach);
        self.slots().any(|(_, slot)| slot & !Self::ACTIVE == lock)
    }

    /// A place without a lock.
    pub(crate) fn free(self) -> Option<u32> {
        self.slots()
            .find(|(_, slot)| slot & Self::VALID == 0)
            .map(|(shift, _)| shift / Self::SLOT_BITS)
    }

    /// A lock that is not active takes a place, whatever was there.
    pub(crate) fn put(&mut self, slot: u32, address: u64, reach: Reach) {
        let shift = slot % SLOTS * Self::SLOT_BITS;
        self.0 = self.0 & !(Self::SLOT << shift) | Self::lock(address, reach) << shift;
    }

    /// A fence: locks of its scope, or of a narrower one, are held from now on.
    pub(crate) fn activate(&mut self, reach: Reach) {
        for (shift, slot) in self.slots() {
            let reached = reach == Reach::Device || slot & Self::OF_BLOCK != 0;
            if slot & Self::VALID != 0 && reached {
                self.0 |= Self::ACTIVE << shift;
            }
        }
    }

    /// A lock was given back.
    pub(crate) fn remove(&mut self, address: u64, reach: Reach) {
        let lock = Self::lock(address, reach);
        for (shift, slot) in self.slots() {
            if slot & !Self::ACTIVE == lock {
                self.0 &= !(Self::SLOT << shift);
            }
        }
    }

    /// The hashes and scopes of the locks that are held.
    #[inline]
    pub(crate) fn held(self) -> impl Iterator<Item = (u32, Reach)> {
        let is_held = Self::VALID | Self::ACTIVE;
        let held = self.slots().filter(move |(_, slot)| slot & is_held == is_held);
        held.map(|(_, slot)| {
            let reach = if slot & Self::OF_BLOCK != 0 { Reach::Block } else { Reach::Device };
            ((slot & (Self::VALID - 1)) as u32, reach)
        })
    }
}

/// Some bits of a lock's address.
fn hash(address: u64, bits: u32) -> u32 {
    ((address >> 2) as u32).wrapping_mul(0x9E37_79B1) >> (u32::BITS - bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_device() {
        // (0x1000 >> 2) * 0x9E3779B1 modulo 2^32 is 0xDDE6C400; its upper eighteen bits.
        assert_eq!(hash(0x1000, 18), 0xDDE6_C400 >> 14);
        assert_eq!(hash(0x1003, 18), hash(0x1000, 18), "a lock is a word");
        assert_eq!(hash(0x5_0000_1000, 18), ((0x4000_0400_u64 * 0x9E37_79B1) as u32) >> 14);
        assert_eq!(hash(0x1000, 6), 0xDDE6_C400 >> 26);
    }

    #[test]
    fn places_are_the_callers_choice() {
        let mut slots = LockSlots::<2, 6>::default();
        assert_eq!((slots.free(), slots.is_empty()), (Some(0), true));
        slots.put(0, 0x1000, Reach::Device);
        assert!(slots.contains(0x1000, Reach::Device) && !slots.contains(0x1000, Reach::Block));
        assert_eq!((slots.free(), slots.held().count()), (Some(1), 0));
        slots.activate(Reach::Block);
        assert_eq!(slots.held().count(), 0, "too narrow");
        slots.activate(Reach::Device);
        slots.put(1, 0x1000, Reach::Block);
        assert_eq!(slots.free(), None);
        assert_eq!(slots.held().collect::<Vec<_>>(), [(hash(0x1000, 6), Reach::Device)]);
        slots.put(2, 0x2000, Reach::Device);
        assert!(!slots.contains(0x1000, Reach::Device), "places come round");
        slots.remove(0x1000, Reach::Block);
        assert_eq!((slots.free(), slots.is_empty()), (Some(1), false));
    }
}
