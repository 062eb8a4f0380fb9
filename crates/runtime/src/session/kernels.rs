//! Modules and their kernels and variables.

use super::Session;
use crate::RuntimeError;
use crate::kernel::{KernelId, KernelInfo, ModuleId, ModuleImage, ParameterInfo};
use crate::module::{Image, KernelError, Module};
use warpsan_ir::display_name;
use warpsan_model::{DeviceAddress, Dim3, EMULATED_DEVICE};
use warpsan_report::NotCovered;
use warpsan_simt::Prepared;

impl Session {
    /// Takes a module. It is read when something of it is used, and failures surface then.
    pub fn load_module(&mut self, image: ModuleImage<'_>) -> ModuleId {
        let id = ModuleId(self.next_module);
        self.next_module += 1;
        let image = match image {
            ModuleImage::FatBinary(bytes) => Image::FatBinary(bytes.to_vec()),
            ModuleImage::Units(units) => {
                Image::Units(units.iter().map(|unit| unit.to_vec()).collect())
            }
            ModuleImage::Ptx(text) => Image::Ptx(text.to_string()),
        };
        self.starts.modules.insert(id, Module::new(image));
        id
    }

    /// Gives a module back, with its variables.
    pub fn unload_module(&mut self, module: ModuleId) {
        if let Some(module) = self.starts.modules.remove(&module) {
            for address in module.variables() {
                let _ = self.free(address);
            }
        }
    }

    /// A kernel by its mangled name. Whether it can run is found out when it is used.
    pub fn kernel(&mut self, module: ModuleId, name: &str) -> Result<KernelId, RuntimeError> {
        if !self.starts.modules.contains_key(&module) {
            return Err(RuntimeError::InvalidValue("the module is not loaded".to_string()));
        }
        let wanted = (module, name.to_string());
        let known = self.starts.kernels.iter().position(|kernel| *kernel == wanted);
        let index = known.unwrap_or_else(|| {
            self.starts.kernels.push(wanted);
            self.starts.kernels.len() - 1
        });
        Ok(KernelId(index as u32))
    }

    /// The kernels of a module, by their mangled names.
    pub fn kernel_names(&mut self, module: ModuleId) -> Result<Vec<String>, RuntimeError> {
        let mut placed = Vec::new();
        let names = match self.starts.modules.get_mut(&module) {
            Some(module) => module.kernel_names(&self.memory, &mut placed),
            None => Err(RuntimeError::InvalidValue("the module is not loaded".to_string())),
        };
        self.announce(&placed);
        names
    }

    /// What is known of a kernel. Reads and lowers it on first use.
    pub fn kernel_info(&mut self, kernel: KernelId) -> Result<KernelInfo, RuntimeError> {
        let prepared = self.prepared(kernel)?;
        let kernel = &prepared.kernel;
        Ok(KernelInfo {
            name: kernel.name.clone(),
            parameters: kernel
                .parameters
                .iter()
                .map(|parameter| ParameterInfo { offset: parameter.offset, size: parameter.bytes })
                .collect(),
            parameter_bytes: kernel.parameter_bytes,
            static_shared_bytes: kernel.static_shared_bytes as usize,
            registers: prepared.device_registers(),
            local_bytes: kernel.local_bytes as usize,
            max_threads: kernel.max_threads.unwrap_or(EMULATED_DEVICE.max_threads_per_block),
            cluster: kernel.cluster.map(|[x, y, z]| Dim3 { x, y, z }),
        })
    }

    pub(super) fn prepared(&mut self, kernel: KernelId) -> Result<Prepared, RuntimeError> {
        let unknown = || RuntimeError::InvalidDeviceFunction("the kernel is not known".to_string());
        let (module, name) =
            self.starts.kernels.get(kernel.0 as usize).cloned().ok_or_else(unknown)?;
        let module = self.starts.modules.get_mut(&module).ok_or_else(unknown)?;
        let mut placed = Vec::new();
        let prepared = module.kernel(&name, &self.memory, &mut placed);
        self.announce(&placed);
        prepared.map_err(|error| match error {
            KernelError::Unsupported { what, place } => {
                let message = format!("{place}: {what} is not supported yet");
                self.journal.not_covered(NotCovered {
                    what: format!("{what} is not supported yet, so the kernel did not run"),
                    place,
                    advice: "the program went on without the kernel's results".to_string(),
                });
                RuntimeError::NotSupported(message)
            }
            KernelError::Invalid(error) => {
                self.journal.not_covered(NotCovered {
                    what: error.to_string(),
                    place: format!("kernel `{}`", display_name(&name)),
                    advice: "the kernel did not run".to_string(),
                });
                error
            }
        })
    }

    /// The address and size of a module's variable, by its name in the module.
    pub fn symbol(
        &mut self,
        module: ModuleId,
        name: &str,
    ) -> Result<(DeviceAddress, u64), RuntimeError> {
        let mut placed = Vec::new();
        let found = match self.starts.modules.get_mut(&module) {
            Some(module) => module.symbol(name, &self.memory, &mut placed),
            None => Err(RuntimeError::InvalidValue("the module is not loaded".to_string())),
        };
        self.announce(&placed);
        found
    }
}
