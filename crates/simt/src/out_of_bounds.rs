//! Accesses that are counted from a pointer among the arguments of a launch, and go to another allocation than the one that
//! it points into.
//!
//! On a GPU nothing happens then but that other memory is read or changed, and so it is here: the launch goes on, and says
//! in the end what it saw. A pointer that stands in front of its memory, so that elements are numbered from 1, or behind
//! its end may by chance point into other memory. So a pointer into the middle of an allocation has to be used
//! inside of it, too; and so has one to the start of an allocation, before accesses right in front of it count.

use crate::memory::{Allocation, DeviceMemory};
use std::collections::HashMap;
use warpsan_event::AccessKind;
use warpsan_model::{BlockIndex, DeviceAddress, SiteId};

/// A site whose address comes from no argument that is known.
pub(crate) const NO_ARGUMENT: u16 = u16::MAX;
/// More are not told apart.
const MOST: usize = 4096;

/// An access outside of the allocation that it was meant for, in another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutOfBounds {
    /// The instruction.
    pub site: SiteId,
    /// Who.
    pub block: BlockIndex,
    /// The thread in its block.
    pub thread: u32,
    /// What it does.
    pub kind: AccessKind,
    /// Bytes that the thread accesses.
    pub bytes: u64,
    /// The first of them.
    pub address: DeviceAddress,
    /// Where the pointer stands that the address is counted from: a byte of the parameters.
    pub argument: u32,
    /// What the pointer points into.
    pub meant: Allocation,
    /// What was accessed.
    pub hit: Allocation,
    /// How often this instruction accessed this allocation.
    pub count: u64,
}

/// A pointer among the arguments of a launch.
#[derive(Debug, Clone)]
pub(crate) struct Pointer {
    /// Where it stands in the parameters.
    at: u32,
    value: u64,
    /// What it points into; nothing is known of others.
    allocation: Option<Allocation>,
}

/// The pointers that accesses of a kernel are counted from, as a launch begins.
pub(crate) fn pointers(
    arguments: &[u32],
    parameters: &[u8],
    memory: &DeviceMemory,
) -> Vec<Pointer> {
    let pointer = |at: &u32| {
        let bytes = parameters.get(*at as usize..).and_then(|rest| rest.first_chunk());
        let value = bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
        Pointer { at: *at, value, allocation: memory.allocation_at(DeviceAddress(value)) }
    };
    arguments.iter().map(pointer).collect()
}

/// One access of a thread to global memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GlobalAccess {
    pub(crate) site: SiteId,
    pub(crate) block: BlockIndex,
    pub(crate) thread: u32,
    pub(crate) kind: AccessKind,
    pub(crate) bytes: u64,
    pub(crate) address: u64,
}

/// What a part of a launch saw.
#[derive(Debug, Default)]
pub(crate) struct Strays {
    /// The pointers that were used inside of their own allocations.
    used: Vec<bool>,
    found: Vec<OutOfBounds>,
    numbers: HashMap<(SiteId, DeviceAddress), usize>,
}

impl Strays {
    /// Whether an access by a pointer may go to the allocation that begins at an address.
    pub(crate) fn is_expected(&mut self, pointers: &[Pointer], number: u16, start: u64) -> bool {
        let Some(pointer) = pointers.get(usize::from(number)) else { return true };
        let Some(own) = &pointer.allocation else { return true };
        let is_own = own.address.0 == start;
        if is_own {
            self.note_use(number);
        }
        is_own
    }

    /// Looks at an access by a pointer.
    pub(crate) fn look_at(
        &mut self,
        pointers: &[Pointer],
        number: u16,
        memory: &DeviceMemory,
        access: GlobalAccess,
    ) {
        let Some(pointer) = pointers.get(usize::from(number)) else { return };
        let Some(meant) = &pointer.allocation else { return };
        if meant.contains(access.address, access.bytes) {
            return self.note_use(number);
        }
        let GlobalAccess { site, block, thread, kind, bytes, address } = access;
        let address = DeviceAddress(address);
        let Some(hit) = memory.allocation_at(address) else { return };
        let key = (site, hit.address);
        match self.numbers.get(&key) {
            Some(known) => self.found[*known].count += 1,
            None if self.found.len() == MOST => {}
            None => {
                self.numbers.insert(key, self.found.len());
                self.found.push(OutOfBounds {
                    site,
                    block,
                    thread,
                    kind,
                    bytes,
                    address,
                    argument: pointer.at,
                    meant: meant.clone(),
                    hit,
                    count: 1,
                });
            }
        }
    }

    fn note_use(&mut self, number: u16) {
        let number = usize::from(number);
        if self.used.len() <= number {
            self.used.resize(number + 1, false);
        }
        self.used[number] = true;
    }

    /// Adds what a later part of the launch saw.
    pub(crate) fn add(&mut self, later: Strays) {
        for (number, _) in later.used.iter().enumerate().filter(|(_, used)| **used) {
            self.note_use(number as u16);
        }
        for found in later.found {
            match self.numbers.get(&(found.site, found.hit.address)) {
                Some(known) => self.found[*known].count += found.count,
                None if self.found.len() == MOST => {}
                None => {
                    self.numbers.insert((found.site, found.hit.address), self.found.len());
                    self.found.push(found);
                }
            }
        }
    }

    /// What is certain to be wrong, when the launch has ended.
    pub(crate) fn into_certain(self, pointers: &[Pointer]) -> Vec<OutOfBounds> {
        let Strays { used, mut found, .. } = self;
        found.retain(|one| {
            let number = pointers.iter().position(|pointer| pointer.at == one.argument);
            let Some(number) = number else { return false };
            let value = pointers[number].value;
            let is_start = value == one.meant.address.0;
            let is_end_of_hit = value == one.hit.address.0 + one.hit.bytes;
            used.get(number) == Some(&true) || is_start && !is_end_of_hit
        });
        found
    }
}
