//! Device memory as a running launch sees it.

use super::device::DeviceMemory;
use super::private::PrivateMemory;
use super::space::{DEVICE_BASE, is_device_address};
use warpsan_model::DeviceAddress;

/// A range of addresses that is known to be good: that of an allocation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Window {
    pub(crate) start: u64,
    pub(crate) end: u64,
    /// The last address there.
    pub(crate) last: u64,
}

/// Device memory through one mapping of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MemoryView<'a> {
    memory: &'a DeviceMemory,
    base: *mut u8,
}

impl<'a> MemoryView<'a> {
    /// The memory itself.
    pub(crate) fn of(memory: &'a DeviceMemory) -> MemoryView<'a> {
        MemoryView { memory, base: memory.engine_side.as_ptr() }
    }

    /// The same memory through a private mapping of it.
    pub(crate) fn private(memory: &'a DeviceMemory, mapping: &'a PrivateMemory) -> MemoryView<'a> {
        MemoryView { memory, base: mapping.base() }
    }

    pub(crate) fn memory(&self) -> &'a DeviceMemory {
        self.memory
    }

    /// The allocation around an address.
    pub(crate) fn window(&self, address: u64) -> Option<Window> {
        let allocation = self.memory.allocation_at(DeviceAddress(address))?;
        let start = allocation.address.0;
        Some(Window { start, end: start + allocation.bytes, last: start })
    }

    /// Where so many bytes at an address are: in an allocation, or in memory of the host that is
    /// registered. Nothing where they are not inside of one of them.
    pub(crate) fn place(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        if is_device_address(address) {
            let window = self.window(address)?;
            return (bytes <= window.end - address).then(|| self.pointer(address));
        }
        let registered = self.memory.is_registered(address, bytes);
        registered.then(|| std::ptr::with_exposed_provenance_mut(address as usize))
    }

    /// Where the byte of an address inside a [`Window`] is.
    #[inline(always)]
    pub(crate) fn pointer(&self, address: u64) -> *mut u8 {
        self.base.wrapping_add(address.wrapping_sub(DEVICE_BASE) as usize)
    }
}
