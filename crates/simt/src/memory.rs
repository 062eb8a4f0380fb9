//! Device memory at fixed addresses.
//!
//! The memory exists once and is mapped twice: at the fixed device address, where the checked
//! program cannot touch it (as on a real GPU), and at some other address for the engine. Managed
//! memory is the same pages with the first mapping opened.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use thiserror::Error;
use warpsan_model::DeviceAddress;

/// Where device memory begins. Far from where Linux puts programs, heaps and libraries, and from
/// the shadow memory of the sanitizers.
pub(crate) const DEVICE_BASE: u64 = 0x3000_0000_0000;
/// How much there is. Only what is touched costs memory.
pub(crate) const DEVICE_BYTES: u64 = 64 << 30;
/// Generic addresses of shared, local and parameter memory lie in these windows.
pub(crate) const SHARED_WINDOW: u64 = 0x2F00_0000_0000;
pub(crate) const LOCAL_WINDOW: u64 = 0x2E00_0000_0000;
pub(crate) const PARAM_WINDOW: u64 = 0x2D00_0000_0000;
pub(crate) const WINDOW_BYTES: u64 = 1 << 32;

/// CUDA aligns allocations to at least this.
const ALIGNMENT: u64 = 256;
const PAGE: u64 = 4096;

/// Who may use an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllocationKind {
    /// Kernels and copies only.
    Device,
    /// The host too, at the same address.
    Managed,
}

/// A live allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// Its first byte.
    pub address: DeviceAddress,
    /// Its size as asked for.
    pub bytes: u64,
    /// Who may use it.
    pub kind: AllocationKind,
    reserved: u64,
}

/// What can go wrong with device memory.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum MemoryError {
    /// The system gave no address space.
    #[error("cannot map device memory: {0}; 64 GiB of address space are needed, see `ulimit -v`")]
    Mapping(String),
    /// Nothing that large is free.
    #[error("out of device memory: {asked} bytes were asked for, {free} are free")]
    OutOfMemory {
        /// What was asked for.
        asked: u64,
        /// What is free in all.
        free: u64,
    },
    /// The address is not the start of an allocation.
    #[error("{0} is not the start of a live device allocation")]
    NotAnAllocation(DeviceAddress),
    /// Managed memory needs the fixed addresses, and something else sits there.
    #[error("managed memory is not possible here: the address range of device memory is taken")]
    NotHostVisible,
    /// A range is not inside one allocation.
    #[error("the {bytes} bytes at {address} are not inside a device allocation")]
    OutOfBounds {
        /// Its first byte.
        address: DeviceAddress,
        /// Its size.
        bytes: u64,
    },
}

/// The memory of one device.
#[derive(Debug)]
pub struct DeviceMemory {
    engine_side: NonNull<u8>,
    host_side: bool,
    allocations: BTreeMap<u64, Allocation>,
    free: BTreeMap<u64, u64>,
    /// The range of the allocation that was used last: accesses come in runs.
    recent: Cell<(u64, u64)>,
}

// SAFETY: the pointer is to a mapping that this value owns alone; nothing is tied to a thread.
unsafe impl Send for DeviceMemory {}

impl DeviceMemory {
    /// Reserves the address space; no memory is used yet.
    pub fn reserve() -> Result<Self, MemoryError> {
        let failed = |what: &str| {
            Err(MemoryError::Mapping(format!("{what}: {}", std::io::Error::last_os_error())))
        };
        // SAFETY: the name is a C string; the call has no other precondition.
        let file = unsafe { libc::memfd_create(c"warpsan-device".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return failed("memfd_create");
        }
        // SAFETY: `file` is the descriptor from above.
        if unsafe { libc::ftruncate(file, DEVICE_BYTES as libc::off_t) } != 0 {
            return failed("ftruncate");
        }
        let engine_side = map(std::ptr::null_mut(), libc::PROT_READ | libc::PROT_WRITE, 0, file);
        let Some(engine_side) = engine_side else { return failed("mmap") };
        // A second session in the process finds the place taken. It works without the host's side.
        let place = DEVICE_BASE as *mut libc::c_void;
        let host_side = map(place, libc::PROT_NONE, libc::MAP_FIXED_NOREPLACE, file);
        // SAFETY: the mappings keep the memory; the descriptor is ours to close.
        unsafe { libc::close(file) };
        Ok(DeviceMemory {
            engine_side,
            host_side: host_side.is_some(),
            allocations: BTreeMap::new(),
            free: BTreeMap::from([(DEVICE_BASE, DEVICE_BYTES)]),
            recent: Cell::new((0, 0)),
        })
    }

    /// Takes memory. The first place that fits is used, so addresses repeat from run to run.
    pub fn allocate(
        &mut self,
        bytes: u64,
        kind: AllocationKind,
    ) -> Result<DeviceAddress, MemoryError> {
        if kind == AllocationKind::Managed && !self.host_side {
            return Err(MemoryError::NotHostVisible);
        }
        let unit = if kind == AllocationKind::Managed { PAGE } else { ALIGNMENT };
        let out_of_memory = || MemoryError::OutOfMemory { asked: bytes, free: self.free_bytes() };
        let reserved = bytes.max(1).checked_next_multiple_of(unit).ok_or_else(out_of_memory)?;
        let found = self.free.iter().find_map(|(start, length)| {
            let address = start.next_multiple_of(unit);
            (address - start + reserved <= *length).then_some((*start, *length, address))
        });
        let (start, length, address) = found.ok_or_else(out_of_memory)?;
        self.free.remove(&start);
        if address > start {
            self.free.insert(start, address - start);
        }
        let end = address + reserved;
        if start + length > end {
            self.free.insert(end, start + length - end);
        }
        if kind == AllocationKind::Managed {
            self.protect(address, reserved, libc::PROT_READ | libc::PROT_WRITE);
        }
        let address = DeviceAddress(address);
        self.allocations.insert(address.0, Allocation { address, bytes, kind, reserved });
        Ok(address)
    }

    /// Gives memory back.
    pub fn free(&mut self, address: DeviceAddress) -> Result<(), MemoryError> {
        let Some(gone) = self.allocations.remove(&address.0) else {
            return Err(MemoryError::NotAnAllocation(address));
        };
        self.recent.set((0, 0));
        if gone.kind == AllocationKind::Managed {
            self.protect(address.0, gone.reserved, libc::PROT_NONE);
        }
        let (mut start, mut length) = (address.0, gone.reserved);
        if let Some((before, before_length)) =
            self.free.range(..start).next_back().map(|(at, length)| (*at, *length))
            && before + before_length == start
        {
            self.free.remove(&before);
            (start, length) = (before, length + before_length);
        }
        if let Some(behind) = self.free.remove(&(start + length)) {
            length += behind;
        }
        self.free.insert(start, length);
        Ok(())
    }

    /// Bytes that are not allocated.
    pub fn free_bytes(&self) -> u64 {
        self.free.values().sum()
    }

    /// Bytes that there are.
    pub fn total_bytes(&self) -> u64 {
        DEVICE_BYTES
    }

    /// Whether the address is one of device memory, allocated or not.
    pub fn is_device_address(&self, address: u64) -> bool {
        (DEVICE_BASE..DEVICE_BASE + DEVICE_BYTES).contains(&address)
    }

    /// The allocation that an address lies in.
    pub fn allocation_at(&self, address: DeviceAddress) -> Option<&Allocation> {
        let (_, allocation) = self.allocations.range(..=address.0).next_back()?;
        (address.0 < allocation.address.0 + allocation.bytes).then_some(allocation)
    }

    /// Copies out of device memory.
    pub fn read(&self, from: DeviceAddress, to: &mut [u8]) -> Result<(), MemoryError> {
        let pointer = self.range(from, to.len() as u64)?;
        // SAFETY: `range` checked that so many bytes are inside the mapping; `to` is other memory.
        unsafe { std::ptr::copy_nonoverlapping(pointer, to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    /// Copies into device memory.
    pub fn write(&mut self, to: DeviceAddress, from: &[u8]) -> Result<(), MemoryError> {
        let pointer = self.range(to, from.len() as u64)?;
        // SAFETY: as in `read`.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), pointer, from.len()) };
        Ok(())
    }

    /// Copies inside device memory; the ranges may overlap.
    pub fn copy(
        &mut self,
        to: DeviceAddress,
        from: DeviceAddress,
        bytes: u64,
    ) -> Result<(), MemoryError> {
        let (source, target) = (self.range(from, bytes)?, self.range(to, bytes)?);
        // SAFETY: both ranges were checked; `copy` allows overlap.
        unsafe { std::ptr::copy(source, target, bytes as usize) };
        Ok(())
    }

    /// Fills with one byte.
    pub fn fill(&mut self, at: DeviceAddress, byte: u8, bytes: u64) -> Result<(), MemoryError> {
        let pointer = self.range(at, bytes)?;
        // SAFETY: the range was checked.
        unsafe { std::ptr::write_bytes(pointer, byte, bytes as usize) };
        Ok(())
    }

    /// One element of 1, 2, 4 or 8 bytes for a kernel; none outside of all allocations.
    pub(crate) fn load(&self, address: u64, bytes: u32) -> Option<u64> {
        let pointer = self.element(address, bytes)?;
        // SAFETY: `element` checked the range; reads are unaligned reads.
        unsafe {
            Some(match bytes {
                1 => u64::from(pointer.read()),
                2 => u64::from(pointer.cast::<u16>().read_unaligned()),
                4 => u64::from(pointer.cast::<u32>().read_unaligned()),
                8 => pointer.cast::<u64>().read_unaligned(),
                _ => return None,
            })
        }
    }

    /// Stores one element of 1, 2, 4 or 8 bytes; none outside of all allocations.
    pub(crate) fn store(&self, address: u64, bytes: u32, value: u64) -> Option<()> {
        let pointer = self.element(address, bytes)?;
        // SAFETY: `element` checked the range; writes are unaligned writes. The memory is reached
        // through raw pointers alone, never through references.
        unsafe {
            match bytes {
                1 => pointer.write(value as u8),
                2 => pointer.cast::<u16>().write_unaligned(value as u16),
                4 => pointer.cast::<u32>().write_unaligned(value as u32),
                8 => pointer.cast::<u64>().write_unaligned(value),
                _ => return None,
            }
        }
        Some(())
    }

    fn element(&self, address: u64, bytes: u32) -> Option<*mut u8> {
        let (start, end) = self.recent.get();
        let last = address.checked_add(u64::from(bytes))?;
        if address < start || last > end {
            let allocation = self.allocation_at(DeviceAddress(address))?;
            let range = (allocation.address.0, allocation.address.0 + allocation.bytes);
            if last > range.1 {
                return None;
            }
            self.recent.set(range);
        }
        Some(self.pointer(address))
    }

    fn range(&self, address: DeviceAddress, bytes: u64) -> Result<*mut u8, MemoryError> {
        let outside = MemoryError::OutOfBounds { address, bytes };
        if bytes == 0 {
            return Ok(self.engine_side.as_ptr());
        }
        let allocation = self.allocation_at(address).ok_or(outside)?;
        let left = allocation.address.0 + allocation.bytes - address.0;
        if bytes > left {
            return Err(MemoryError::OutOfBounds { address, bytes });
        }
        Ok(self.pointer(address.0))
    }

    /// The engine's side of an address that is known to be device memory.
    fn pointer(&self, address: u64) -> *mut u8 {
        debug_assert!(self.is_device_address(address));
        // SAFETY: allocations lie inside the mapping, so the offset is inside it too.
        unsafe { self.engine_side.as_ptr().add((address - DEVICE_BASE) as usize) }
    }

    fn protect(&self, address: u64, bytes: u64, protection: libc::c_int) {
        // SAFETY: the range is page-aligned and inside the host's side of our own mapping.
        let done =
            unsafe { libc::mprotect(address as *mut libc::c_void, bytes as usize, protection) };
        debug_assert_eq!(done, 0);
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        // SAFETY: both mappings are ours, and nothing points into them any more.
        unsafe {
            libc::munmap(self.engine_side.as_ptr().cast(), DEVICE_BYTES as usize);
            if self.host_side {
                libc::munmap(DEVICE_BASE as *mut libc::c_void, DEVICE_BYTES as usize);
            }
        }
    }
}

fn map(
    place: *mut libc::c_void,
    protection: libc::c_int,
    flags: libc::c_int,
    file: libc::c_int,
) -> Option<NonNull<u8>> {
    let flags = libc::MAP_SHARED | libc::MAP_NORESERVE | flags;
    // SAFETY: no existing mapping is replaced: `place` is null or MAP_FIXED_NOREPLACE is given.
    let found = unsafe { libc::mmap(place, DEVICE_BYTES as usize, protection, flags, file, 0) };
    // Kernels before 4.17 take the place for a hint only.
    if found == libc::MAP_FAILED {
        return None;
    }
    if !place.is_null() && found != place {
        // SAFETY: the mapping was made just now and nobody uses it.
        unsafe { libc::munmap(found, DEVICE_BYTES as usize) };
        return None;
    }
    NonNull::new(found.cast())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_repeat_and_freed_memory_is_used_again() {
        let mut memory = DeviceMemory::reserve().unwrap();
        let first = memory.allocate(100, AllocationKind::Device).unwrap();
        let second = memory.allocate(1000, AllocationKind::Device).unwrap();
        assert_eq!((first.0, second.0), (DEVICE_BASE, DEVICE_BASE + 256));
        memory.free(first).unwrap();
        assert_eq!(memory.allocate(200, AllocationKind::Device).unwrap(), first);
        memory.free(first).unwrap();
        memory.free(second).unwrap();
        assert_eq!(memory.free_bytes(), DEVICE_BYTES);
        assert_eq!(memory.free(second), Err(MemoryError::NotAnAllocation(second)));
    }

    #[test]
    fn what_is_outside_of_an_allocation_is_refused() {
        let mut memory = DeviceMemory::reserve().unwrap();
        let at = memory.allocate(8, AllocationKind::Device).unwrap();
        memory.write(at, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        assert_eq!(memory.load(at.0 + 4, 4), Some(0x0807_0605));
        assert_eq!(memory.load(at.0 + 6, 4), None);
        assert_eq!(memory.load(at.0 + 8, 1), None);
        assert_eq!(memory.load(0, 4), None);
        assert!(memory.store(at.0, 1, 9).is_some());
        let mut bytes = [0; 9];
        assert!(memory.read(at, &mut bytes).is_err());
        memory.read(at, &mut bytes[..2]).unwrap();
        assert_eq!(bytes[..2], [9, 2]);
    }

    #[test]
    fn too_much_is_an_error_that_says_so() {
        let mut memory = DeviceMemory::reserve().unwrap();
        let error = memory.allocate(DEVICE_BYTES + 1, AllocationKind::Device).unwrap_err();
        assert!(error.to_string().contains("out of device memory"), "{error}");
        assert!(memory.allocate(u64::MAX, AllocationKind::Device).is_err());
    }
}
