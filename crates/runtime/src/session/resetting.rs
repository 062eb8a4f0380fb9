//! A device that is reset.

use super::Session;
use crate::RuntimeError;
use std::collections::HashSet;
use warpsan_event::Event;
use warpsan_model::DeviceAddress;

impl Session {
    /// Takes all memory back that the program has, and gives the variables of its modules their first values. What
    /// waits is done before, but for what needs functions of the host.
    pub fn reset_device(&mut self) -> Result<(), RuntimeError> {
        self.run_device_work();
        self.abandon_work();
        let modules = self.starts.modules.values();
        let variables: HashSet<DeviceAddress> = modules.flat_map(|one| one.variables()).collect();
        for allocation in self.memory.allocations() {
            if !variables.contains(&allocation.address) {
                self.free(allocation.address)?;
            }
        }
        // Kernels know the variables by their places, so these stay; to everybody else they are new.
        let mut placed = Vec::new();
        let mut modules: Vec<_> = self.starts.modules.iter().collect();
        modules.sort_by_key(|(id, _)| **id);
        let begun = modules
            .into_iter()
            .try_for_each(|(_, module)| module.begin_anew(&self.memory, &mut placed));
        begun.map_err(|error| {
            let place = "cudaDeviceReset".to_string();
            self.module_error(error, place, "variables keep the values that they had")
        })?;
        for variable in &placed {
            self.emit(&[Event::Free { address: variable.address }]);
        }
        self.announce(&placed);
        Ok(())
    }
}
