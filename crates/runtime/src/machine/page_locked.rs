//! Page-locked memory of the host that CUDA allocates. It is device memory that the host may use too, so kernels and the
//! host know it by one address.

use super::error::CudaError;
use std::collections::BTreeMap;
use std::ffi::c_uint;

/// `cudaHostAllocPortable`.
pub const PORTABLE: c_uint = 1;
/// `cudaHostAllocMapped`.
pub const MAPPED: c_uint = 2;
/// `cudaHostAllocWriteCombined`.
const WRITE_COMBINED: c_uint = 4;

/// The flags of page-locked allocations, by their first address.
#[derive(Default)]
pub struct PageLockedMemory {
    flags: BTreeMap<u64, c_uint>,
}

impl PageLockedMemory {
    /// Refuses flags that there are not.
    pub(super) fn check_flags(flags: c_uint) -> Result<(), CudaError> {
        let known = PORTABLE | MAPPED | WRITE_COMBINED;
        if flags & !known == 0 { Ok(()) } else { Err(CudaError::INVALID_VALUE) }
    }

    /// Memory was allocated. With unified addresses all of it is mapped.
    pub(super) fn insert(&mut self, address: u64, flags: c_uint) {
        self.flags.insert(address, flags | MAPPED);
    }

    /// Memory is freed.
    pub(super) fn remove(&mut self, address: u64) -> Result<(), CudaError> {
        self.flags.remove(&address).map(|_| ()).ok_or(CudaError::INVALID_VALUE)
    }

    /// The flags of the memory that begins at an address.
    pub(super) fn flags_of(&self, address: u64) -> Result<c_uint, CudaError> {
        self.flags.get(&address).copied().ok_or(CudaError::INVALID_VALUE)
    }
}
