//! Resetting the device.

use super::advice::Advice;
use super::device_settings::DeviceSettings;
use super::error::CudaError;
use super::page_locked::PageLockedMemory;
use super::state::Machine;
use super::sticky;
use crate::DeviceAddress;

impl Machine {
    /// Takes back a kernel's failure and all memory, and gives variables their first values again.
    pub fn reset_device(&mut self) -> Result<(), CudaError> {
        self.device_settings = DeviceSettings::default();
        self.advice = Advice::default();
        self.page_locked = PageLockedMemory::default();
        self.pools.forget_allocations();
        let registered = self.registered_memory.take_all();
        let mut done = Ok(());
        if let Some(session) = self.existing_session() {
            done = session.reset_device();
            for address in registered {
                session.unregister_host_range(DeviceAddress(address));
            }
        }
        // What was queued may have failed only now.
        sticky::clear();
        Ok(done?)
    }
}
