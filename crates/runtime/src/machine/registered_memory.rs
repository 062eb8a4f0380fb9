//! The program's own memory that it registers, so that kernels may use it in place.

use std::collections::BTreeMap;
use std::ffi::c_uint;

/// What is registered, by its first address.
#[derive(Default)]
pub struct RegisteredMemory {
    ranges: BTreeMap<u64, Range>,
}

struct Range {
    bytes: u64,
    flags: c_uint,
}

impl RegisteredMemory {
    /// A range is registered.
    pub fn insert(&mut self, address: u64, bytes: u64, flags: c_uint) {
        self.ranges.insert(address, Range { bytes, flags });
    }

    /// Forgets the range that begins at an address. The answer is false where none does.
    pub fn remove(&mut self, address: u64) -> bool {
        self.ranges.remove(&address).is_some()
    }

    /// Whether a range lies inside of one that is registered.
    pub fn contains(&self, address: u64, bytes: u64) -> bool {
        self.around(address).is_some_and(|(start, range)| {
            address.checked_add(bytes).is_some_and(|end| end <= start + range.bytes)
        })
    }

    /// Forgets all that is registered, and says where it begins.
    pub fn take_all(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.ranges).into_keys().collect()
    }

    /// The flags of what is registered around an address.
    pub fn flags_at(&self, address: u64) -> Option<c_uint> {
        self.around(address).map(|(_, range)| range.flags)
    }

    fn around(&self, address: u64) -> Option<(u64, &Range)> {
        let (start, range) = self.ranges.range(..=address).next_back()?;
        (address - start < range.bytes).then_some((*start, range))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_known_by_the_addresses_in_them() {
        let mut memory = RegisteredMemory::default();
        memory.insert(1000, 100, 1);
        assert!(memory.contains(1000, 100) && memory.contains(1099, 1));
        assert!(!memory.contains(1050, 51) && !memory.contains(999, 1));
        assert_eq!(memory.flags_at(1050), Some(1));
        assert_eq!(memory.flags_at(1100), None);
        assert!(memory.remove(1000) && !memory.remove(1000));
    }
}
