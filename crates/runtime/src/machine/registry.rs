//! Which handles stand for which kernels and variables: host addresses where the program registered them.

use super::error::CudaError;
use super::handles::HandleTable;
use crate::{DeviceAddress, KernelId, ModuleId, ModuleImage, Session};
use std::collections::BTreeMap;
use std::ffi::CString;

/// The code, kernels and variables that the program has registered.
#[derive(Default)]
pub struct Registry {
    modules: HandleTable<Module>,
    functions: BTreeMap<usize, Function>,
    variables: BTreeMap<usize, Variable>,
    /// The names of kernels and variables that were unregistered, by their host addresses. None of these is in
    /// `functions` or `variables`.
    unregistered: BTreeMap<usize, String>,
}

struct Module {
    image: RegisteredCode,
    loaded: Option<ModuleId>,
    managed_variables: Vec<ManagedVariable>,
}

/// Code as the program has it.
pub enum RegisteredCode {
    /// A fat binary of the program.
    Container(&'static [u8]),
    /// The fat binaries of the units of a program that was compiled with `-rdc=true`.
    Units(Vec<&'static [u8]>),
    /// Code that the session has taken already.
    Taken,
}

/// A managed variable, which the program uses through a pointer of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManagedVariable {
    /// The address at which the program keeps its pointer to the variable.
    pub pointer: usize,
    /// The variable's name.
    pub name: String,
}

/// A kernel under the host address that stands for it.
pub struct Function {
    module: usize,
    /// The device name, kept as the C string that `cudaFuncGetName` hands out.
    pub name: CString,
    kernel: Option<KernelId>,
    /// What the attributes of this kernel are set to.
    pub settings: FunctionSettings,
}

/// What a program has set for a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionSettings {
    /// What `cudaFuncSetAttribute` allowed this kernel to ask for.
    pub max_dynamic_shared_bytes: Option<u32>,
    /// A hint that is kept only to be read back.
    pub preferred_shared_carveout: i32,
    /// Clusters that the kernel has to be launched with; a zero is not set.
    pub required_cluster: [i32; 3],
    /// Whether clusters may be larger than every device of the architecture allows.
    pub non_portable_cluster_allowed: i32,
    /// A hint that is kept only to be read back.
    pub cluster_scheduling_policy: i32,
}

impl Default for FunctionSettings {
    fn default() -> Self {
        FunctionSettings {
            max_dynamic_shared_bytes: None,
            preferred_shared_carveout: -1,
            required_cluster: [0; 3],
            non_portable_cluster_allowed: 0,
            cluster_scheduling_policy: 0,
        }
    }
}

struct Variable {
    module: usize,
    name: String,
}

impl Registry {
    /// Takes in code of the program and gives the handle under which its parts are registered.
    pub fn add_module(&mut self, image: RegisteredCode) -> usize {
        self.modules.insert(Module { image, loaded: None, managed_variables: Vec::new() })
    }

    /// Takes in a module that the session has already, and gives its handle.
    pub fn add_loaded_module(&mut self, module: ModuleId) -> usize {
        let image = RegisteredCode::Taken;
        self.modules.insert(Module { image, loaded: Some(module), managed_variables: Vec::new() })
    }

    /// Forgets a fat binary and all that was registered under it.
    pub fn remove_module(&mut self, handle: usize) -> Option<ModuleId> {
        self.functions.retain(|_, function| function.module != handle);
        self.variables.retain(|_, variable| variable.module != handle);
        self.modules.remove(handle).and_then(|module| module.loaded)
    }

    /// The same of code that the program itself registered; its kernels and variables stay known by name, since what
    /// uses them afterwards has to be named.
    pub fn unregister_module(&mut self, handle: usize) -> Option<ModuleId> {
        let Registry { functions, variables, unregistered, .. } = self;
        functions.retain(|host, function| {
            let stays = function.module != handle;
            if !stays {
                let name = std::mem::take(&mut function.name);
                unregistered.insert(*host, name.into_string().unwrap_or_default());
            }
            stays
        });
        variables.retain(|host, variable| {
            let stays = variable.module != handle;
            if !stays {
                unregistered.insert(*host, std::mem::take(&mut variable.name));
            }
            stays
        });
        self.modules.remove(handle).and_then(|module| module.loaded)
    }

    /// The name of a kernel or variable whose code was unregistered.
    pub(super) fn unregistered(&self, host: usize) -> Option<&str> {
        self.unregistered.get(&host).map(String::as_str)
    }

    /// A kernel of a module is known by a host address from now on.
    pub fn add_function(&mut self, module: usize, host: usize, name: CString) {
        let function =
            Function { module, name, kernel: None, settings: FunctionSettings::default() };
        self.unregistered.remove(&host);
        self.functions.insert(host, function);
    }

    /// A variable of a module is known by a host address from now on.
    pub fn add_variable(&mut self, module: usize, host: usize, name: String) {
        self.unregistered.remove(&host);
        self.variables.insert(host, Variable { module, name });
    }

    /// A managed variable: the program reads and writes it through a pointer, which is set with what
    /// [`Registry::managed_variables`] answers.
    pub fn add_managed_variable(&mut self, module: usize, variable: ManagedVariable) {
        self.add_variable(module, variable.pointer, variable.name.clone());
        if let Some(module) = self.modules.get_mut(module) {
            module.managed_variables.push(variable);
        }
    }

    /// The managed variables of a module, with the addresses of their memory. In host code a variable's name means its
    /// memory from now on, so that is what a program passes where a symbol is asked for.
    pub fn managed_variables(
        &mut self,
        session: &mut Session,
        handle: usize,
    ) -> Result<Vec<(ManagedVariable, DeviceAddress)>, CudaError> {
        let module = self.load(session, handle)?;
        let variables = self.modules.get(handle).map(|module| module.managed_variables.clone());
        let mut placed = Vec::new();
        for variable in variables.into_iter().flatten() {
            let (address, _) = session.symbol(module, &variable.name)?;
            self.add_variable(handle, address.0 as usize, variable.name.clone());
            placed.push((variable, address));
        }
        Ok(placed)
    }

    /// The function behind a host address.
    pub fn function(&mut self, host: usize) -> Result<&mut Function, CudaError> {
        let unknown = match host {
            0 => CudaError::INVALID_DEVICE_FUNCTION,
            _ => CudaError::INVALID_RESOURCE_HANDLE,
        };
        self.functions.get_mut(&host).ok_or(unknown)
    }

    /// The kernel behind a host address; its module is loaded when this is its first use.
    pub fn kernel(&mut self, session: &mut Session, host: usize) -> Result<KernelId, CudaError> {
        let function = self.function(host)?;
        if let Some(kernel) = function.kernel {
            return Ok(kernel);
        }
        let name = function.name.to_string_lossy().into_owned();
        let handle = function.module;
        let module = self.load(session, handle)?;
        let kernel = session.kernel(module, &name)?;
        self.function(host)?.kernel = Some(kernel);
        Ok(kernel)
    }

    /// Address and size of the device variable behind a host address.
    pub fn variable(
        &mut self,
        session: &mut Session,
        host: usize,
    ) -> Result<(DeviceAddress, u64), CudaError> {
        let variable = self.variables.get(&host).ok_or(CudaError::INVALID_SYMBOL)?;
        let (handle, name) = (variable.module, variable.name.clone());
        let module = self.load(session, handle)?;
        Ok(session.symbol(module, &name)?)
    }

    fn load(&mut self, session: &mut Session, handle: usize) -> Result<ModuleId, CudaError> {
        let module = self.modules.get_mut(handle).ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
        if let Some(loaded) = module.loaded {
            return Ok(loaded);
        }
        let loaded = match &module.image {
            RegisteredCode::Container(bytes) => session.load_module(ModuleImage::FatBinary(bytes)),
            RegisteredCode::Units(units) => session.load_module(ModuleImage::Units(units)),
            RegisteredCode::Taken => return Err(CudaError::INVALID_RESOURCE_HANDLE),
        };
        module.loaded = Some(loaded);
        Ok(loaded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_is_not_known_is_no_handle_and_null_is_no_function() {
        let mut registry = Registry::default();
        let nothing = registry.function(0).err();
        assert_eq!(nothing, Some(CudaError::INVALID_DEVICE_FUNCTION));
        let unknown = registry.function(0x1234).err();
        assert_eq!(unknown, Some(CudaError::INVALID_RESOURCE_HANDLE));
    }
}
