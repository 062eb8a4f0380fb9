//! The program's own memory that it registers, so that kernels may use it in place.

use crate::call::{call, call_when_idle};
use crate::error::CudaError;
use crate::host_memory::{MAPPED, PORTABLE};
use crate::unsupported::refuse;
use std::collections::BTreeMap;
use std::ffi::{c_uint, c_void};
use warpsan_runtime::DeviceAddress;

/// `cudaHostRegisterIoMemory` and `cudaHostRegisterReadOnly`.
const IO_MEMORY: c_uint = 4;
const READ_ONLY: c_uint = 8;

/// What is registered, by its first address.
#[derive(Default)]
pub(crate) struct RegisteredMemory {
    ranges: BTreeMap<usize, Range>,
}

struct Range {
    bytes: usize,
    flags: c_uint,
}

impl RegisteredMemory {
    /// Whether a range lies inside of one that is registered.
    pub(crate) fn contains(&self, address: usize, bytes: usize) -> bool {
        self.around(address).is_some_and(|(start, range)| {
            address.checked_add(bytes).is_some_and(|end| end <= start + range.bytes)
        })
    }

    /// Forgets all that is registered, and says where it begins.
    pub(crate) fn take_all(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.ranges).into_keys().collect()
    }

    /// The flags of what is registered around an address.
    pub(crate) fn flags_at(&self, address: usize) -> Option<c_uint> {
        self.around(address).map(|(_, range)| range.flags)
    }

    fn around(&self, address: usize) -> Option<(usize, &Range)> {
        let (start, range) = self.ranges.range(..=address).next_back()?;
        (address - start < range.bytes).then_some((*start, range))
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaHostRegister(
    address: *mut c_void,
    bytes: usize,
    flags: c_uint,
) -> CudaError {
    call("cudaHostRegister", |api| {
        let known = PORTABLE | MAPPED | IO_MEMORY | READ_ONLY;
        let end = address.addr().checked_add(bytes);
        if address.is_null() || bytes == 0 || flags & !known != 0 || end.is_none() {
            return Err(CudaError::INVALID_VALUE);
        }
        if flags & IO_MEMORY != 0 {
            return refuse(api, "cudaHostRegister of memory for input and output");
        }
        if api.session()?.is_device_address(address.addr() as u64) {
            return Err(CudaError::INVALID_VALUE);
        }
        if !is_readable_and_writable(address.addr(), bytes) {
            if flags & READ_ONLY != 0 {
                return refuse(api, "cudaHostRegister of memory that cannot be written");
            }
            return Err(CudaError::INVALID_VALUE);
        }
        let place = DeviceAddress(address.expose_provenance() as u64);
        // SAFETY: the memory is there now, and the program has to keep it until it unregisters it.
        if !unsafe { api.session()?.register_host_range(place, bytes as u64) } {
            return Err(CudaError::HOST_MEMORY_ALREADY_REGISTERED);
        }
        // With unified addresses all of it is mapped.
        let flags = flags | MAPPED;
        api.registered_memory.ranges.insert(address.addr(), Range { bytes, flags });
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaHostUnregister(address: *mut c_void) -> CudaError {
    call_when_idle("cudaHostUnregister", |api| {
        let place = address.addr();
        if api.registered_memory.ranges.remove(&place).is_none() {
            let is_other_memory = api.session()?.is_device_address(place as u64);
            let is_inside = api.registered_memory.contains(place, 1);
            return Err(match address.is_null() || is_other_memory || is_inside {
                true => CudaError::INVALID_VALUE,
                false => CudaError::HOST_MEMORY_NOT_REGISTERED,
            });
        }
        let gone = api.session()?.unregister_host_range(DeviceAddress(place as u64));
        gone.map(|_| ()).ok_or(CudaError::HOST_MEMORY_NOT_REGISTERED)
    })
}

/// Whether a kernel that uses the memory would work: a bad address must not end the process.
fn is_readable_and_writable(address: usize, bytes: usize) -> bool {
    let Ok(mappings) = std::fs::read_to_string("/proc/self/maps") else { return false };
    covers(&mappings, address, address.saturating_add(bytes))
}

/// Whether the lines of `/proc/self/maps`, which are ordered, have all of a range open.
fn covers(mappings: &str, address: usize, end: usize) -> bool {
    let mut at = address;
    for line in mappings.lines() {
        let Some((range, rest)) = line.split_once(' ') else { continue };
        let Some((first, last)) = range.split_once('-') else { continue };
        let number = |text| usize::from_str_radix(text, 16);
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
        assert!(is_readable_and_writable(memory.as_ptr().addr(), memory.len()));
        let code = covers as fn(&str, usize, usize) -> bool;
        assert!(!is_readable_and_writable(code as usize, 1));
        assert!(!is_readable_and_writable(4096, 9));
    }

    #[test]
    fn ranges_are_known_by_the_addresses_in_them() {
        let mut memory = RegisteredMemory::default();
        memory.ranges.insert(1000, Range { bytes: 100, flags: PORTABLE });
        assert!(memory.contains(1000, 100) && memory.contains(1099, 1));
        assert!(!memory.contains(1050, 51) && !memory.contains(999, 1));
        assert_eq!(memory.flags_at(1050), Some(PORTABLE));
        assert_eq!(memory.flags_at(1100), None);
    }
}
