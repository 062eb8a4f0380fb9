//! Memory that was freed and is not given out again yet.
//!
//! A pointer to it is one that the program must not use any more, and as long as nothing else lies there, its use can be
//! seen and named. What was freed first is the first to be given out again.

use super::allocations::Allocation;
use super::space::PAGE;
use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

/// Address space that may wait here: each part of it that was touched costs page tables.
const MOST_BYTES: u64 = 16 << 30;
/// Allocations that may wait here.
const MOST_ALLOCATIONS: usize = 1 << 16;
/// Freed bytes after which pages are given back to the system. Doing so at each time would cost programs that allocate
/// and free all the time.
const MOST_UNNEEDED: u64 = 64 << 20;

/// Memory that was freed and is not given out again yet.
#[derive(Debug, Default)]
pub(super) struct Quarantine {
    allocations: BTreeMap<u64, Allocation>,
    /// Their addresses, in the order in which they were freed.
    order: VecDeque<u64>,
    bytes: u64,
    /// Ranges whose pages are not given back, by their starts; neighbours are one.
    unneeded: BTreeMap<u64, u64>,
    unneeded_bytes: u64,
    /// Pages that have to be given back before their memory is given out.
    due: Vec<Range<u64>>,
}

impl Quarantine {
    /// Takes what was freed. What can be given out again comes back.
    pub(super) fn add(&mut self, gone: Allocation) -> Vec<Range<u64>> {
        let (start, length) = (gone.address.0, gone.reserved);
        self.bytes += length;
        self.order.push_back(start);
        self.allocations.insert(start, gone);
        self.add_unneeded(start, length);
        match self.bytes > MOST_BYTES || self.order.len() > MOST_ALLOCATIONS {
            true => self.release_older_half(),
            false => Vec::new(),
        }
    }

    /// Lets go of what has waited longest.
    pub(super) fn release_older_half(&mut self) -> Vec<Range<u64>> {
        // Later it would be somebody else's memory.
        self.make_due();
        let count = self.order.len().div_ceil(2);
        let released = self.order.drain(..count).filter_map(|start| {
            let gone = self.allocations.remove(&start)?;
            Some(start..start + gone.reserved)
        });
        let released: Vec<Range<u64>> = released.collect();
        self.bytes -= released.iter().map(|one| one.end - one.start).sum::<u64>();
        released
    }

    /// Bytes that wait here.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The freed allocation that an address lay in.
    pub(super) fn at(&self, address: u64) -> Option<&Allocation> {
        let (_, freed) = self.allocations.range(..=address).next_back()?;
        freed.contains(address, 1).then_some(freed)
    }

    /// Whole pages whose content nobody can need, if it is time to give them back.
    pub(super) fn take_unneeded_pages(&mut self) -> Vec<Range<u64>> {
        if self.unneeded_bytes >= MOST_UNNEEDED {
            self.make_due();
        }
        std::mem::take(&mut self.due)
    }

    fn add_unneeded(&mut self, mut start: u64, mut length: u64) {
        self.unneeded_bytes += length;
        if let Some((before, its_length)) = self.unneeded.range(..start).next_back()
            && before + its_length == start
        {
            (start, length) = (*before, length + its_length);
        }
        if let Some(behind) = self.unneeded.remove(&(start + length)) {
            length += behind;
        }
        self.unneeded.insert(start, length);
    }

    fn make_due(&mut self) {
        self.unneeded_bytes = 0;
        for (start, length) in std::mem::take(&mut self.unneeded) {
            let pages = start.next_multiple_of(PAGE)..(start + length) / PAGE * PAGE;
            if !pages.is_empty() {
                self.due.push(pages);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::AllocationKind;
    use warpsan_model::DeviceAddress;

    fn freed(address: u64, bytes: u64) -> Allocation {
        let (kind, label) = (AllocationKind::Device, None);
        Allocation { address: DeviceAddress(address), bytes, kind, label, reserved: bytes }
    }

    #[test]
    fn whole_pages_are_given_back_when_there_are_many() {
        let mut quarantine = Quarantine::default();
        quarantine.add(freed(PAGE / 2, PAGE));
        quarantine.add(freed(PAGE / 2 * 3, PAGE));
        assert_eq!(quarantine.take_unneeded_pages(), [], "they are few");
        quarantine.add(freed(10 * PAGE, MOST_UNNEEDED));
        let pages = [PAGE..2 * PAGE, 10 * PAGE..10 * PAGE + MOST_UNNEEDED];
        assert_eq!(quarantine.take_unneeded_pages(), pages);
        assert_eq!(quarantine.take_unneeded_pages(), []);
    }

    #[test]
    fn neither_bytes_nor_allocations_grow_without_end() {
        let mut quarantine = Quarantine::default();
        let many = MOST_ALLOCATIONS as u64;
        for number in 0..many {
            assert_eq!(quarantine.add(freed(number * 256, 256)), []);
        }
        assert_eq!(quarantine.add(freed(many * 256, 256)).len(), MOST_ALLOCATIONS / 2 + 1);
        assert!(!quarantine.take_unneeded_pages().is_empty(), "before the memory is given out");
        assert!(quarantine.at(0).is_none() && quarantine.at(many * 256).is_some());
        let released = quarantine.add(freed(1 << 40, MOST_BYTES));
        assert_eq!(released[0].start, (many / 2 + 1) * 256);
        assert!(quarantine.bytes() < MOST_BYTES + many * 256);
    }
}
