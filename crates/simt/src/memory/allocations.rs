//! Which parts of device memory are in use.

use super::space::{DEVICE_BASE, DEVICE_BYTES, MemoryError, PAGE, is_device_address};
use std::collections::{BTreeMap, VecDeque};
use warpsan_model::DeviceAddress;

/// CUDA aligns allocations to at least this.
const ALIGNMENT: u64 = 256;
/// Freed allocations that are remembered, to name them when they are used again.
const REMEMBERED: usize = 256;
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
    pub(super) reserved: u64,
}

/// What is allocated, what is free, and what was freed lately.
#[derive(Debug)]
pub(super) struct Allocations {
    live: BTreeMap<u64, Allocation>,
    free: BTreeMap<u64, u64>,
    freed: VecDeque<Allocation>,
    heap: u64,
}

impl Allocations {
    pub(super) fn new() -> Allocations {
        Allocations {
            live: BTreeMap::new(),
            free: BTreeMap::from([(DEVICE_BASE, DEVICE_BYTES)]),
            freed: VecDeque::new(),
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
        let found = self.free.iter().find_map(|(start, length)| {
            let address = start.next_multiple_of(unit);
            let needed = (address - start).checked_add(reserved)?;
            (needed <= *length).then_some((*start, *length, address))
        });
        let (start, length, address) = found.ok_or_else(out_of_memory)?;
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
        let allocation = Allocation { address: DeviceAddress(address), bytes, kind, reserved };
        self.live.insert(address, allocation.clone());
        Ok(allocation)
    }

    pub(super) fn give_back(&mut self, address: DeviceAddress) -> Result<Allocation, MemoryError> {
        let gone = self.live.remove(&address.0).ok_or(MemoryError::NotAnAllocation(address))?;
        if gone.kind == AllocationKind::Heap {
            self.heap -= gone.reserved;
        }
        if self.freed.len() == REMEMBERED {
            self.freed.pop_front();
        }
        self.freed.push_back(gone.clone());
        let (mut start, mut length) = (address.0, gone.reserved);
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
        Ok(gone)
    }

    pub(super) fn free_bytes(&self) -> u64 {
        self.free.values().sum()
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
        let inside =
            |one: &&Allocation| address >= one.address.0 && address < one.address.0 + one.bytes;
        if let Some(freed) = self.freed.iter().rev().find(inside) {
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
    format!("the allocation of {} bytes at {}", allocation.bytes, allocation.address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_repeat_and_freed_memory_is_used_again() {
        let mut list = Allocations::new();
        let first = list.take(100, AllocationKind::Device).unwrap().address;
        let second = list.take(1000, AllocationKind::Device).unwrap().address;
        assert_eq!((first.0, second.0), (DEVICE_BASE, DEVICE_BASE + 256));
        list.give_back(first).unwrap();
        assert_eq!(list.take(200, AllocationKind::Device).unwrap().address, first);
        list.give_back(first).unwrap();
        list.give_back(second).unwrap();
        assert_eq!(list.free_bytes(), DEVICE_BYTES);
        assert_eq!(list.give_back(second), Err(MemoryError::NotAnAllocation(second)));
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
    }

    #[test]
    fn the_heap_of_kernels_has_its_limit() {
        let mut list = Allocations::new();
        assert!(list.take(HEAP_BYTES, AllocationKind::Heap).is_ok());
        assert!(list.take(1, AllocationKind::Heap).is_err());
        assert!(list.take(1, AllocationKind::Device).is_ok());
    }
}
