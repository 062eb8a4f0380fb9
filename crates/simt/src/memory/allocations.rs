//! Which parts of device memory are in use.

use super::quarantine::Quarantine;
use super::space::{DEVICE_BASE, DEVICE_BYTES, MemoryError, PAGE, is_device_address};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use warpsan_model::DeviceAddress;

/// CUDA aligns allocations to at least this.
const ALIGNMENT: u64 = 256;
/// Bytes that kernels can take with `malloc`, as CUDA has it unless set otherwise.
const HEAP_BYTES: u64 = 8 << 20;

/// Who may use an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllocationKind {
    /// Kernels and copies only.
    Device,
    /// The host too, at the same address.
    Managed,
    /// Page-locked memory of the host, which kernels reach at the same address.
    Pinned,
    /// Taken by a kernel with `malloc`.
    Heap,
}

impl AllocationKind {
    /// Whether the host may use the memory itself.
    pub fn is_host_visible(self) -> bool {
        matches!(self, AllocationKind::Managed | AllocationKind::Pinned)
    }
}

/// A live allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// Its first byte.
    pub address: DeviceAddress,
    /// Its size as asked for.
    pub bytes: u64,
    /// Who may use it.
    pub kind: AllocationKind,
    /// What reports call it.
    pub label: Option<Arc<str>>,
    pub(super) reserved: u64,
}

impl Allocation {
    /// Whether so many bytes at an address are inside of it.
    pub fn contains(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.address.0);
        offset <= self.bytes && bytes <= self.bytes - offset
    }
}

/// What is allocated, what is free, and what was freed and is not given out yet.
#[derive(Debug)]
pub(super) struct Allocations {
    live: BTreeMap<u64, Allocation>,
    free: BTreeMap<u64, u64>,
    quarantine: Quarantine,
    heap: u64,
}

impl Allocations {
    pub(super) fn new() -> Allocations {
        Allocations {
            live: BTreeMap::new(),
            free: BTreeMap::from([(DEVICE_BASE, DEVICE_BYTES)]),
            quarantine: Quarantine::default(),
            heap: 0,
        }
    }

    /// What is allocated, in the order of addresses.
    pub(super) fn live(&self) -> impl Iterator<Item = &Allocation> {
        self.live.values()
    }

    /// The allocations that the host may use.
    pub(super) fn host_visible(&self) -> Vec<Allocation> {
        let live = self.live();
        live.filter(|allocation| allocation.kind.is_host_visible()).cloned().collect()
    }

    pub(super) fn take(
        &mut self,
        bytes: u64,
        kind: AllocationKind,
    ) -> Result<Allocation, MemoryError> {
        let unit = match kind {
            AllocationKind::Managed | AllocationKind::Pinned => PAGE,
            AllocationKind::Device => ALIGNMENT,
            AllocationKind::Heap => 16,
        };
        let free = self.free_bytes();
        let out_of_memory = || MemoryError::OutOfMemory { asked: bytes, free };
        let reserved = bytes.max(1).checked_next_multiple_of(unit).ok_or_else(out_of_memory)?;
        if kind == AllocationKind::Heap && self.heap.saturating_add(reserved) > HEAP_BYTES {
            return Err(MemoryError::OutOfMemory { asked: bytes, free: HEAP_BYTES - self.heap });
        }
        let found = loop {
            if let Some(found) = self.room(reserved, unit) {
                break found;
            }
            // There is no other room: what was freed first is given out again.
            let released = self.quarantine.release_older_half();
            if released.is_empty() {
                return Err(out_of_memory());
            }
            released.into_iter().for_each(|one| self.add_free(one));
        };
        let (start, length, address) = found;
        self.free.remove(&start);
        if address > start {
            self.free.insert(start, address - start);
        }
        let end = address + reserved;
        if start + length > end {
            self.free.insert(end, start + length - end);
        }
        if kind == AllocationKind::Heap {
            self.heap += reserved;
        }
        let address_of = DeviceAddress(address);
        let allocation = Allocation { address: address_of, bytes, kind, label: None, reserved };
        self.live.insert(address, allocation.clone());
        Ok(allocation)
    }

    pub(super) fn give_back(&mut self, address: DeviceAddress) -> Result<Allocation, MemoryError> {
        let gone = self.live.remove(&address.0).ok_or(MemoryError::NotAnAllocation(address))?;
        if gone.kind == AllocationKind::Heap {
            self.heap -= gone.reserved;
        }
        let released = self.quarantine.add(gone.clone());
        released.into_iter().for_each(|one| self.add_free(one));
        Ok(gone)
    }

    /// The first place for so many bytes: the free range that has it, its length, and the address.
    fn room(&self, reserved: u64, unit: u64) -> Option<(u64, u64, u64)> {
        self.free.iter().find_map(|(start, length)| {
            let address = start.next_multiple_of(unit);
            let needed = (address - start).checked_add(reserved)?;
            (needed <= *length).then_some((*start, *length, address))
        })
    }

    /// Memory that can be given out.
    fn add_free(&mut self, range: Range<u64>) {
        let (mut start, mut length) = (range.start, range.end - range.start);
        if let Some((before, before_length)) =
            self.free.range(..start).next_back().map(|(at, length)| (*at, *length))
            && before + before_length == start
        {
            self.free.remove(&before);
            (start, length) = (before, length + before_length);
        }
        if let Some(behind) = self.free.remove(&(start + length)) {
            length += behind;
        }
        self.free.insert(start, length);
    }

    /// Names what begins at an address.
    pub(super) fn set_label(&mut self, address: DeviceAddress, label: &str) {
        if let Some(allocation) = self.live.get_mut(&address.0) {
            allocation.label = Some(Arc::from(label));
        }
    }

    /// Whole pages of freed memory whose content nobody can need, if it is time to give them back.
    pub(super) fn take_unneeded_pages(&mut self) -> Vec<Range<u64>> {
        self.quarantine.take_unneeded_pages()
    }

    pub(super) fn free_bytes(&self) -> u64 {
        self.free.values().sum::<u64>() + self.quarantine.bytes()
    }

    pub(super) fn at(&self, address: u64) -> Option<&Allocation> {
        let (_, allocation) = self.live.range(..=address).next_back()?;
        (address < allocation.address.0 + allocation.bytes).then_some(allocation)
    }

    /// What an address that is no good was meant for, in words.
    pub(super) fn describe(&self, address: u64) -> String {
        if let Some(inside) = self.at(address) {
            let left = inside.address.0 + inside.bytes - address;
            return format!("it is in the last {left} bytes of {}", name(inside));
        }
        if let Some(freed) = self.quarantine.at(address) {
            let offset = address - freed.address.0;
            return format!("it was freed: byte {offset} of {}", name(freed));
        }
        if !is_device_address(address) {
            return "it is no address of device memory".to_string();
        }
        if let Some((_, before)) = self.live.range(..=address).next_back() {
            let behind = address - (before.address.0 + before.bytes);
            return format!("it is {behind} bytes behind the end of {}", name(before));
        }
        "nothing is allocated there".to_string()
    }
}

fn name(allocation: &Allocation) -> String {
    let Allocation { bytes, address, label, .. } = allocation;
    match label {
        Some(label) => format!("`{label}`, which has {bytes} bytes at {address}"),
        None => format!("the allocation of {bytes} bytes at {address}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_repeat_and_freed_memory_is_not_used_again_while_there_is_other_room() {
        let mut list = Allocations::new();
        let first = list.take(100, AllocationKind::Device).unwrap().address;
        let second = list.take(1000, AllocationKind::Device).unwrap().address;
        assert_eq!((first.0, second.0), (DEVICE_BASE, DEVICE_BASE + 256));
        list.give_back(first).unwrap();
        let third = list.take(100, AllocationKind::Device).unwrap().address;
        assert_eq!(third.0, DEVICE_BASE + 256 + 1024);
        assert_eq!(list.free_bytes(), DEVICE_BYTES - 1024 - 256);
        list.give_back(second).unwrap();
        list.give_back(third).unwrap();
        assert_eq!(list.free_bytes(), DEVICE_BYTES);
        assert_eq!(list.give_back(second), Err(MemoryError::NotAnAllocation(second)));
        let all = list.take(DEVICE_BYTES, AllocationKind::Device).unwrap().address;
        assert_eq!(all, first, "there was no other room");
        assert!(list.take(1, AllocationKind::Device).is_err());
    }

    #[test]
    fn memory_that_was_freed_first_is_given_out_again_first() {
        let mut list = Allocations::new();
        let take = |list: &mut Allocations| {
            list.take(DEVICE_BYTES / 64, AllocationKind::Device).unwrap().address
        };
        let all: Vec<DeviceAddress> = (0..64).map(|_| take(&mut list)).collect();
        for one in [5, 2, 7, 1] {
            list.give_back(all[one]).unwrap();
        }
        let (one, other) = (take(&mut list), take(&mut list));
        assert_eq!([one, other], [all[2], all[5]], "the older half is released at once");
        assert!(list.describe(all[7].0).starts_with("it was freed"));
    }

    #[test]
    fn bad_addresses_are_explained() {
        let mut list = Allocations::new();
        let kept = list.take(100, AllocationKind::Device).unwrap().address.0;
        let freed = list.take(100, AllocationKind::Device).unwrap().address;
        list.give_back(freed).unwrap();
        assert!(list.describe(kept + 104).starts_with("it is 4 bytes behind the end of"));
        assert!(list.describe(freed.0 + 8).starts_with("it was freed: byte 8 of"));
        assert_eq!(list.describe(8), "it is no address of device memory");
        let named = list.take(100, AllocationKind::Device).unwrap().address;
        list.set_label(named, "allocation 3 of 100 bytes");
        list.give_back(named).unwrap();
        let text = format!(
            "it was freed: byte 8 of `allocation 3 of 100 bytes`, which has 100 bytes at {named}"
        );
        assert_eq!(list.describe(named.0 + 8), text);
    }

    #[test]
    fn the_heap_of_kernels_has_its_limit() {
        let mut list = Allocations::new();
        assert!(list.take(HEAP_BYTES, AllocationKind::Heap).is_ok());
        assert!(list.take(1, AllocationKind::Heap).is_err());
        assert!(list.take(1, AllocationKind::Device).is_ok());
    }
}
