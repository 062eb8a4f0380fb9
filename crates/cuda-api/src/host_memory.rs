//! Page-locked host memory. It is plain host memory here: kernels cannot reach it yet, and a
//! program that asks for its device address is told so.

use crate::call::call;
use crate::error::CudaError;
use crate::streams::answer;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;
use std::ffi::{c_uint, c_void};

/// Page-locked memory starts on a page.
const ALIGNMENT: usize = 4096;

/// `cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined`.
const KNOWN_FLAGS: c_uint = 1 | 2 | 4;

/// The host allocations of this API, by address.
#[derive(Default)]
pub(crate) struct HostMemory {
    allocations: BTreeMap<usize, Allocation>,
}

struct Allocation {
    layout: Layout,
    flags: c_uint,
}

impl HostMemory {
    fn allocate(&mut self, bytes: usize, flags: c_uint) -> Result<*mut c_void, CudaError> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT)
            .map_err(|_| CudaError::MEMORY_ALLOCATION)?;
        // SAFETY: the layout has a size of at least one byte.
        let memory = unsafe { alloc_zeroed(layout) };
        if memory.is_null() {
            return Err(CudaError::MEMORY_ALLOCATION);
        }
        self.allocations.insert(memory.expose_provenance(), Allocation { layout, flags });
        Ok(memory.cast())
    }

    fn free(&mut self, address: *mut c_void) -> Result<(), CudaError> {
        let allocation = self.allocations.remove(&address.addr());
        let layout = allocation.ok_or(CudaError::INVALID_VALUE)?.layout;
        // SAFETY: the address came from an allocation of this layout, and is taken out of the
        // table, so that it is freed once.
        unsafe { dealloc(address.cast(), layout) };
        Ok(())
    }

    /// Whether a range lies inside one of the allocations.
    pub(crate) fn contains(&self, address: usize, bytes: usize) -> bool {
        self.allocations.range(..=address).next_back().is_some_and(|(start, allocation)| {
            address.checked_add(bytes).is_some_and(|end| end <= start + allocation.layout.size())
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaHostAlloc(
    address: *mut *mut c_void,
    bytes: usize,
    flags: c_uint,
) -> CudaError {
    call("cudaHostAlloc", |api| {
        if address.is_null() || flags & !KNOWN_FLAGS != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        let memory = if bytes == 0 {
            std::ptr::null_mut()
        } else {
            api.host_memory.allocate(bytes, flags)?
        };
        // SAFETY: the program passes a place for an address.
        unsafe { answer(address, memory) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMallocHost(address: *mut *mut c_void, bytes: usize) -> CudaError {
    // SAFETY: the same contract.
    unsafe { wsrt_cudaHostAlloc(address, bytes, 0) }
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFreeHost(address: *mut c_void) -> CudaError {
    call(
        "cudaFreeHost",
        |api| {
            if address.is_null() { Ok(()) } else { api.host_memory.free(address) }
        },
    )
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaHostGetFlags(flags: *mut c_uint, address: *mut c_void) -> CudaError {
    call("cudaHostGetFlags", |api| {
        let allocation = api.host_memory.allocations.get(&address.addr());
        let value = allocation.ok_or(CudaError::INVALID_VALUE)?.flags;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(flags, value) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_known_by_range_and_freed_once() {
        let mut memory = HostMemory::default();
        let address = memory.allocate(100, 0).expect("memory");
        assert_eq!(address.addr() % ALIGNMENT, 0);
        assert!(memory.contains(address.addr() + 50, 50));
        assert!(!memory.contains(address.addr() + 50, 51));
        assert!(!memory.contains(address.addr() - 1, 1));
        assert_eq!(memory.free(address), Ok(()));
        assert_eq!(memory.free(address), Err(CudaError::INVALID_VALUE));
    }
}
