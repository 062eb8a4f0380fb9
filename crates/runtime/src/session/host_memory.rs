//! Memory of the host that kernels use in place.

use super::{PlacedVariable, Session};
use warpsan_event::Event;
use warpsan_model::DeviceAddress;
use warpsan_simt::{Allocation, ProgramAddress};

impl Session {
    /// The allocation that an address lies in.
    pub fn allocation_at(&self, address: DeviceAddress) -> Option<Allocation> {
        self.memory.allocation_at(address)
    }

    /// Lets kernels use a range of the host's memory, at its own address. The answer is false where a
    /// part of it is registered already, or is device memory.
    pub fn register_host_range(&mut self, address: ProgramAddress, bytes: u64) -> bool {
        if !self.memory.register_host_range(address, bytes) {
            return false;
        }
        let address = DeviceAddress(address.get());
        let label = format!("registered host memory of {bytes} bytes");
        self.announce(&[PlacedVariable { label, address, bytes }]);
        true
    }

    /// Takes a range of the host's memory back by its first address, and says how long it was.
    pub fn unregister_host_range(&mut self, address: DeviceAddress) -> Option<u64> {
        let bytes = self.memory.unregister_host_range(address.0)?;
        self.emit(&[Event::Free { address }]);
        Some(bytes)
    }
}
