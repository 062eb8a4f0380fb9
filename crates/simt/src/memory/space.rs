//! Where device memory lies, what can go wrong with it, and how it is mapped.

use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};
use thiserror::Error;
use warpsan_model::{DeviceAddress, EMULATED_DEVICE};

/// Where device memory begins. Far from where Linux puts programs, heaps and libraries, and from
/// the shadow memory of the sanitizers.
pub(crate) const DEVICE_BASE: u64 = 0x3000_0000_0000;
/// How much there is. Only what is touched costs memory.
pub(crate) const DEVICE_BYTES: u64 = EMULATED_DEVICE.memory_bytes;
/// Generic addresses of shared, local and parameter memory lie in these windows.
pub(crate) const SHARED_WINDOW: u64 = 0x2F00_0000_0000;
pub(crate) const LOCAL_WINDOW: u64 = 0x2E00_0000_0000;
pub(crate) const PARAM_WINDOW: u64 = 0x2D00_0000_0000;
pub(crate) const WINDOW_BYTES: u64 = 1 << 32;
/// Addresses of shared memory below this are the block's own. Above, they name a block of the
/// cluster: its rank, plus one, times this.
pub(crate) const SHARED_OF_BLOCK: u64 = 1 << 24;

/// Bytes of a page of the host.
pub(super) const PAGE: u64 = 4096;

/// What can go wrong with device memory.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
pub enum MemoryError {
    /// The system gave no address space.
    #[error(
        "cannot map device memory: {0}; {gib} GiB of address space are needed, see `ulimit -v`",
        gib = DEVICE_BYTES >> 30
    )]
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
    /// Memory that the host uses too needs the fixed addresses, and something else sits there.
    #[error(
        "memory for both host and device is not possible here: the program has mapped something in its address range, {gib} GiB from {DEVICE_BASE:#x}",
        gib = DEVICE_BYTES >> 30
    )]
    NotHostVisible,
    /// A range is not inside one allocation.
    #[error("the {bytes} bytes at {address} are not inside a device allocation: {why}")]
    OutOfBounds {
        /// Its first byte.
        address: DeviceAddress,
        /// Its size.
        bytes: u64,
        /// What is wrong with it.
        why: String,
    },
}

/// Locks something that is never left half-changed, so that a panic elsewhere does not spoil it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether an address is one of device memory, allocated or not.
pub fn is_device_address(address: u64) -> bool {
    (DEVICE_BASE..DEVICE_BASE + DEVICE_BYTES).contains(&address)
}

/// Maps memory that is in no file, as much as device memory has: no limit on the length of files is about it.
pub(super) fn map_without_file() -> Option<NonNull<u8>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let bytes = DEVICE_BYTES as usize;
    // SAFETY: a new mapping replaces nothing.
    let found = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
    if found == libc::MAP_FAILED { None } else { NonNull::new(found.cast()) }
}

/// Maps memory that is in no file once more, closed, at a place that nobody uses.
pub(super) fn map_again(memory: NonNull<u8>, place: *mut libc::c_void) -> Option<NonNull<u8>> {
    let bytes = DEVICE_BYTES as usize;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let flags = flags | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: the place is taken only if nobody has it.
    let taken = unsafe { libc::mmap(place, bytes, libc::PROT_NONE, flags, -1, 0) };
    if taken == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: both ranges are ours. A range of no bytes that is shared is not moved but mapped once more.
    let found = unsafe {
        if taken != place {
            libc::munmap(taken, bytes);
            return None;
        }
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        libc::mremap(memory.as_ptr().cast(), 0, bytes, flags, place)
    };
    // SAFETY: as above.
    if found == libc::MAP_FAILED || unsafe { libc::mprotect(found, bytes, libc::PROT_NONE) } != 0 {
        // SAFETY: the place is ours.
        unsafe { libc::munmap(place, bytes) };
        return None;
    }
    NonNull::new(found.cast())
}

/// Maps the whole of device memory, at a place or anywhere.
pub(super) fn map(
    place: *mut libc::c_void,
    protection: libc::c_int,
    flags: libc::c_int,
    file: &OwnedFd,
) -> Option<NonNull<u8>> {
    let flags = libc::MAP_NORESERVE | flags;
    let file = file.as_raw_fd();
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
