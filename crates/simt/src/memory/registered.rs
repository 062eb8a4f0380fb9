//! Memory of the host that kernels may use in place, at its own address.
//!
//! It is not part of device memory: a kernel that uses it reads and writes the bytes of the program
//! itself, and no private view covers it.

use std::collections::BTreeMap;

/// The ranges that are registered now, by their first address. They do not overlap.
#[derive(Debug, Default)]
pub(super) struct RegisteredRanges {
    ranges: BTreeMap<u64, u64>,
}

impl RegisteredRanges {
    /// Adds a range. The answer is false, and nothing changes, where a part of it is there already.
    pub(super) fn add(&mut self, address: u64, bytes: u64) -> bool {
        let Some(end) = address.checked_add(bytes) else { return false };
        let before = self.ranges.range(..end).next_back();
        if bytes == 0 || before.is_some_and(|(start, length)| start + length > address) {
            return false;
        }
        self.ranges.insert(address, bytes);
        true
    }

    /// Takes a range out by its first address, and says how long it was.
    pub(super) fn remove(&mut self, address: u64) -> Option<u64> {
        self.ranges.remove(&address)
    }

    /// Whether so many bytes lie inside of one range.
    pub(super) fn contains(&self, address: u64, bytes: u64) -> bool {
        self.ranges.range(..=address).next_back().is_some_and(|(start, length)| {
            let offset = address - start;
            offset < *length && bytes <= length - offset
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_known_until_they_are_taken_out_and_do_not_overlap() {
        let mut registered = RegisteredRanges::default();
        assert!(registered.add(1000, 100));
        assert!(!registered.add(1099, 1) && !registered.add(900, 101) && !registered.add(900, 900));
        assert!(registered.add(1100, 50) && registered.add(950, 50));
        assert!(registered.contains(1000, 100) && registered.contains(1099, 1));
        assert!(!registered.contains(1000, 101), "two ranges that touch are two");
        assert!(!registered.contains(949, 1) && !registered.contains(1150, 1));
        assert_eq!(registered.remove(1001), None);
        assert_eq!(registered.remove(1000), Some(100));
        assert!(!registered.contains(1000, 1) && !registered.is_empty());
        assert!(!registered.add(u64::MAX, 2) && !registered.add(5, 0));
    }
}
