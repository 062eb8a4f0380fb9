//! Libraries of kernels that a program loads at run time: which there are.

use super::error::CudaError;
use super::handles::HandleTable;
use crate::ModuleId;
use std::collections::BTreeMap;

/// The libraries that the program has loaded.
#[derive(Default)]
pub struct Libraries {
    table: HandleTable<Library>,
    /// Kernels get handles that are no addresses, so that none is that of a host function.
    kernels: usize,
}

/// A library that is loaded.
pub(super) struct Library {
    /// The module's handle in the registry.
    pub(super) module: usize,
    pub(super) loaded: ModuleId,
    /// The handles of its kernels, by name.
    kernels: BTreeMap<String, usize>,
}

/// The first handle of a kernel: no address of a process is as large.
const FIRST_KERNEL: usize = 0x7f00_0000_0000_0000;
const KERNEL_STEP: usize = 16;

impl Libraries {
    pub(super) fn insert(&mut self, module: usize, loaded: ModuleId) -> usize {
        self.table.insert(Library { module, loaded, kernels: BTreeMap::new() })
    }

    pub(super) fn get(&self, library: usize) -> Result<&Library, CudaError> {
        self.table.get(library).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    pub(super) fn remove(&mut self, library: usize) -> Result<Library, CudaError> {
        self.table.remove(library).ok_or(CudaError::INVALID_RESOURCE_HANDLE)
    }

    /// The handle of a kernel, and whether it is a new one.
    pub(super) fn kernel_handle(
        &mut self,
        library: usize,
        name: &str,
    ) -> Result<(usize, bool), CudaError> {
        let found = self.table.get_mut(library).ok_or(CudaError::INVALID_RESOURCE_HANDLE)?;
        if let Some(kernel) = found.kernels.get(name) {
            return Ok((*kernel, false));
        }
        let kernel = FIRST_KERNEL + self.kernels * KERNEL_STEP;
        found.kernels.insert(name.to_owned(), kernel);
        self.kernels += 1;
        Ok((kernel, true))
    }
}
