//! Memory of the device: whose an address is, allocation and freeing.

use super::boxes::{BoxOfMemory, Extent};
use super::error::CudaError;
use super::state::Machine;
use crate::{Allocation, AllocationKind, DeviceAddress, ProgramAddress, Side, Wait};

/// Rows of pitched memory start at multiples of this.
const PITCH_ALIGNMENT: usize = 512;

/// Whose memory an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The program's own memory, or none at all.
    Program,
    /// Page-locked memory of the host: of CUDA, or registered with it.
    PageLocked,
    /// Memory for kernels and copies.
    Device,
    /// Memory for host and kernels.
    Managed,
}

impl Machine {
    /// Whose memory an address is.
    pub fn owner_of(&mut self, address: ProgramAddress) -> Result<Owner, CudaError> {
        if self.registered_memory.contains(address.get(), 1) {
            return Ok(Owner::PageLocked);
        }
        let allocation = self.allocation_at(address)?;
        Ok(match allocation.map(|allocation| allocation.kind) {
            None => Owner::Program,
            Some(AllocationKind::Managed) => Owner::Managed,
            Some(AllocationKind::Pinned) => Owner::PageLocked,
            Some(AllocationKind::Device | AllocationKind::Heap) => Owner::Device,
        })
    }

    /// The allocation of device memory that an address lies in.
    pub fn allocation_at(
        &mut self,
        address: ProgramAddress,
    ) -> Result<Option<Allocation>, CudaError> {
        Ok(self.session()?.allocation_at(DeviceAddress(address.get())))
    }

    /// Where an address belongs. A range of device memory has to be allocated.
    pub fn side_of(&mut self, address: ProgramAddress, bytes: u64) -> Result<Side, CudaError> {
        if address.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        if self.registered_memory.contains(address.get(), bytes) {
            return Ok(Side::Registered(address));
        }
        let session = self.session()?;
        if !session.is_device_address(address.get()) {
            return Ok(Side::Host(address));
        }
        let device = DeviceAddress(address.get());
        session.check_range(device, bytes)?;
        Ok(Side::Device(device))
    }

    /// Refuses a box in device memory that is not inside of one allocation, before anything of it is
    /// touched. The extent is not empty.
    pub(super) fn check_box(
        &mut self,
        place: &BoxOfMemory,
        extent: Extent,
    ) -> Result<(), CudaError> {
        let first = place.address.get();
        if !self.session()?.is_device_address(first) {
            return Ok(());
        }
        let allocation = self.allocation_at(place.address)?.ok_or(CudaError::INVALID_VALUE)?;
        let left = allocation.address.0 + allocation.bytes - first;
        match place.bytes_to_the_end(extent) {
            Some(bytes) if bytes as u64 <= left => Ok(()),
            _ => Err(CudaError::INVALID_VALUE),
        }
    }

    /// Allocates memory; nothing is allocated for no bytes, and the address is null then.
    pub fn allocate(&mut self, bytes: u64, kind: AllocationKind) -> Result<u64, CudaError> {
        self.captures.check_allowed()?;
        match bytes {
            0 => Ok(0),
            _ => Ok(self.session()?.allocate(bytes, kind)?.0),
        }
    }

    /// Frees an allocation, and forgets what was noted about it.
    pub fn free(&mut self, address: ProgramAddress) -> Result<(), CudaError> {
        self.captures.check_allowed()?;
        let place = DeviceAddress(address.get());
        let session = self.session()?;
        let allocation = session.allocation_at(place).ok_or(CudaError::INVALID_VALUE)?;
        session.free(place)?;
        self.pools.forget(place.0 as usize);
        self.advice.forget(place.0, allocation.bytes);
        Ok(())
    }

    /// Frees what `cudaFree` may free: no page-locked memory of the host, and nothing for a null address.
    pub fn free_device_memory(&mut self, address: ProgramAddress) -> Result<(), CudaError> {
        if address.is_null() {
            return Ok(());
        }
        self.check_can_be_freed(address)?;
        // Only memory of pools is given back without waiting for the device.
        if !self.pools.has(address.get() as usize) {
            self.wait_for(Wait::Everything)?;
        }
        self.free(address)
    }

    /// Refuses what is not the start of device or managed memory.
    pub fn check_can_be_freed(&mut self, address: ProgramAddress) -> Result<(), CudaError> {
        let allocation = self.allocation_at(address)?.ok_or(CudaError::INVALID_VALUE)?;
        let is_start = allocation.address.0 == address.get();
        match allocation.kind {
            AllocationKind::Device | AllocationKind::Managed if is_start => Ok(()),
            _ => Err(CudaError::INVALID_VALUE),
        }
    }
}

/// Bytes from one row to the next of memory with a pitch, and bytes in all.
pub fn pitched_size(
    width: usize,
    height: usize,
    depth: usize,
) -> Result<(usize, usize), CudaError> {
    if width == 0 || height == 0 || depth == 0 {
        return Ok((0, 0));
    }
    let row = width.checked_next_multiple_of(PITCH_ALIGNMENT);
    let row = row.ok_or(CudaError::MEMORY_ALLOCATION)?;
    let bytes = row.checked_mul(height).and_then(|slice| slice.checked_mul(depth));
    Ok((row, bytes.ok_or(CudaError::MEMORY_ALLOCATION)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_a_pitch_begin_at_multiples_of_the_alignment() {
        assert_eq!(pitched_size(9, 3, 2), Ok((512, 3072)));
        assert_eq!(pitched_size(512, 1, 1), Ok((512, 512)));
        assert_eq!(pitched_size(0, 3, 1), Ok((0, 0)));
        assert_eq!(pitched_size(usize::MAX, 1, 1), Err(CudaError::MEMORY_ALLOCATION));
        assert_eq!(pitched_size(512, usize::MAX / 512, 2), Err(CudaError::MEMORY_ALLOCATION));
    }
}
