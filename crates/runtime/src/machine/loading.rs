//! Loading libraries of kernels at run time, and what is in them.

use super::error::CudaError;
use super::state::Machine;
use crate::{DeviceAddress, ModuleImage, RuntimeError};
use std::ffi::CString;

impl Machine {
    /// Loads a library, and gives its handle. Whether its code can be read is found out when something of it is used.
    pub fn load_library(&mut self, image: ModuleImage<'_>) -> Result<usize, CudaError> {
        let loaded = self.session()?.load_module(image);
        let module = self.registry.add_loaded_module(loaded);
        Ok(self.libraries.insert(module, loaded))
    }

    /// Takes a library away, with its kernels and variables.
    pub fn unload_library(&mut self, library: usize) -> Result<(), CudaError> {
        let module = self.libraries.remove(library)?.module;
        if let Some(loaded) = self.registry.remove_module(module) {
            self.session()?.unload_module(loaded);
        }
        Ok(())
    }

    /// The names of the kernels of a library.
    pub fn library_kernels(&mut self, library: usize) -> Result<Vec<String>, CudaError> {
        let module = self.libraries.get(library)?.loaded;
        self.session()?.kernel_names(module).map_err(unreadable)
    }

    /// The handle of a kernel that the library has.
    pub fn library_kernel(&mut self, library: usize, name: &str) -> Result<usize, CudaError> {
        let (kernel, is_new) = self.libraries.kernel_handle(library, name)?;
        if is_new {
            let module = self.libraries.get(library)?.module;
            let name = CString::new(name).map_err(|_| CudaError::INVALID_VALUE)?;
            self.registry.add_function(module, kernel, name);
        }
        Ok(kernel)
    }

    /// Address and size of a variable of a library.
    pub fn library_variable(
        &mut self,
        library: usize,
        name: &str,
    ) -> Result<(DeviceAddress, u64), CudaError> {
        let module = self.libraries.get(library)?.loaded;
        // An unreadable library fails here and not as one that lacks the variable.
        self.library_kernels(library)?;
        self.session()?.symbol(module, name).map_err(|_| CudaError::SYMBOL_NOT_FOUND)
    }
}

/// A library whose code cannot be read says so when it is used.
fn unreadable(error: RuntimeError) -> CudaError {
    match error {
        RuntimeError::Unreadable(_) => CudaError::INVALID_PTX,
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_that_was_never_given_out_is_refused() {
        let mut machine = Machine::default();
        let refused = Some(CudaError::INVALID_RESOURCE_HANDLE);
        assert_eq!(machine.library_kernels(0x1000).err(), refused);
        assert_eq!(machine.unload_library(0x1000).err(), refused);
    }
}
