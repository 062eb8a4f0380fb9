//! Memory of the host that kernels can use: page-locked memory of CUDA, and what the program registers.

use super::error::CudaError;
use super::memory::Owner;
use super::page_locked::{MAPPED, PORTABLE, PageLockedMemory};
use super::state::Machine;
use crate::{AllocationKind, DeviceAddress, ProgramAddress};
use std::ffi::c_uint;

/// `cudaHostRegisterIoMemory` and `cudaHostRegisterReadOnly`.
const IO_MEMORY: c_uint = 4;
const READ_ONLY: c_uint = 8;

impl Machine {
    /// Allocates page-locked memory.
    pub fn allocate_page_locked(&mut self, bytes: u64, flags: c_uint) -> Result<u64, CudaError> {
        PageLockedMemory::check_flags(flags)?;
        let address = self.allocate(bytes, AllocationKind::Pinned)?;
        if address != 0 {
            self.page_locked.insert(address, flags);
        }
        Ok(address)
    }

    /// Frees page-locked memory, and nothing for a null address.
    pub fn free_page_locked(&mut self, address: ProgramAddress) -> Result<(), CudaError> {
        if address.is_null() {
            return Ok(());
        }
        self.page_locked.remove(address.get())?;
        self.free(address)
    }

    /// The flags of the page-locked or managed memory around an address.
    pub fn page_locked_flags(&mut self, address: ProgramAddress) -> Result<c_uint, CudaError> {
        if self.owner_of(address)? == Owner::Managed {
            return Ok(MAPPED);
        }
        if let Some(flags) = self.registered_memory.flags_at(address.get()) {
            return Ok(flags);
        }
        let allocation = self.allocation_at(address)?.ok_or(CudaError::INVALID_VALUE)?;
        self.page_locked.flags_of(allocation.address.0)
    }

    /// Lets kernels use memory of the program.
    pub fn register_memory(
        &mut self,
        address: ProgramAddress,
        bytes: u64,
        flags: c_uint,
    ) -> Result<(), CudaError> {
        let known = PORTABLE | MAPPED | IO_MEMORY | READ_ONLY;
        let end = address.get().checked_add(bytes);
        if address.is_null() || bytes == 0 || flags & !known != 0 || end.is_none() {
            return Err(CudaError::INVALID_VALUE);
        }
        if flags & IO_MEMORY != 0 {
            return self.refuse("cudaHostRegister of memory for input and output");
        }
        if self.session()?.is_device_address(address.get()) {
            return Err(CudaError::INVALID_VALUE);
        }
        let Ok(mappings) = std::fs::read_to_string("/proc/self/maps") else {
            return self.refuse("cudaHostRegister where /proc/self/maps cannot be read");
        };
        if !covers(&mappings, address.get(), address.get().saturating_add(bytes)) {
            if flags & READ_ONLY != 0 {
                return self.refuse("cudaHostRegister of memory that cannot be written");
            }
            return Err(CudaError::INVALID_VALUE);
        }
        if !self.session()?.register_host_range(address, bytes) {
            return Err(CudaError::HOST_MEMORY_ALREADY_REGISTERED);
        }
        // With unified addresses all of it is mapped.
        self.registered_memory.insert(address.get(), bytes, flags | MAPPED);
        Ok(())
    }

    /// Takes memory of the program back from kernels.
    pub fn unregister_memory(&mut self, address: ProgramAddress) -> Result<(), CudaError> {
        let place = address.get();
        if !self.registered_memory.remove(place) {
            let is_other_memory = self.session()?.is_device_address(place);
            let is_inside = self.registered_memory.contains(place, 1);
            return Err(match address.is_null() || is_other_memory || is_inside {
                true => CudaError::INVALID_VALUE,
                false => CudaError::HOST_MEMORY_NOT_REGISTERED,
            });
        }
        let gone = self.session()?.unregister_host_range(DeviceAddress(place));
        gone.map(|_| ()).ok_or(CudaError::HOST_MEMORY_NOT_REGISTERED)
    }
}

/// Whether the lines of `/proc/self/maps`, which are ordered, have all of a range open: a kernel that uses a bad address
/// must not end the process.
fn covers(mappings: &str, address: u64, end: u64) -> bool {
    let mut at = address;
    for line in mappings.lines() {
        let Some((range, rest)) = line.split_once(' ') else { continue };
        let Some((first, last)) = range.split_once('-') else { continue };
        let number = |text| u64::from_str_radix(text, 16);
        let (Ok(first), Ok(last)) = (number(first), number(last)) else { continue };
        if first <= at && at < last && at < end {
            if !rest.starts_with("rw") {
                return false;
            }
            at = last;
        }
    }
    at >= end
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPPINGS: &str = "\
1000-3000 rw-p 00000000 00:00 0 [heap]
3000-4000 rw-s 00000000 00:01 5 /dev/zero
4000-5000 r--p 00000000 00:00 0
6000-7000 rw-p 00000000 00:00 0
";

    #[test]
    fn memory_has_to_be_open_from_end_to_end() {
        assert!(covers(MAPPINGS, 0x1010, 0x2000) && covers(MAPPINGS, 0x1000, 0x4000));
        assert!(!covers(MAPPINGS, 0x1000, 0x4001), "the rest can only be read");
        assert!(!covers(MAPPINGS, 0x6000, 0x7001), "nothing is behind");
        assert!(!covers(MAPPINGS, 0x5000, 0x5001) && !covers(MAPPINGS, 0x800, 0x1800));
    }

    #[test]
    fn the_mappings_of_this_process_are_read() {
        let memory = vec![0u8; 10_000];
        let mappings = std::fs::read_to_string("/proc/self/maps").expect("the mappings");
        let is_open = |address: u64, bytes: u64| covers(&mappings, address, address + bytes);
        assert!(is_open(memory.as_ptr().addr() as u64, memory.len() as u64));
        let code = covers as fn(&str, u64, u64) -> bool;
        assert!(!is_open(code as usize as u64, 1));
        assert!(!is_open(4096, 9));
    }
}
