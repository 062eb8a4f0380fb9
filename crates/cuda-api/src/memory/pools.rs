//! The calls about pools of memory, and about memory in the order of a stream.

use crate::answer::answer;
use crate::call::call;
use crate::device::limits::check_device;
use crate::handles::{address_of, handle_of, pointer_of, stream_of};
use crate::memory::allocation::allocate;
use crate::memory::types::{AccessDescription, PoolProperties};
use crate::types::{CudaStream, MemoryLocation};
use std::ffi::{c_int, c_void};
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::pools::{PoolHandle, PoolValue, Pools};
use warpsan_runtime::machine::state::Machine;
use warpsan_runtime::{AllocationKind, DeviceAddress, Task};

/// `cudaMemPool_t`, an opaque handle.
type CudaPool = *mut c_void;

fn pool_of(pool: CudaPool) -> PoolHandle {
    PoolHandle(handle_of(pool))
}

/// `cudaMemAllocationTypePinned`.
const PINNED: c_int = 1;
/// `cudaMemLocationTypeDevice`.
const ON_DEVICE: c_int = 1;
/// `cudaMemAccessFlagsProtReadWrite`.
const READ_AND_WRITE: c_int = 3;

/// # Safety
/// `address` is null or a place for an address.
unsafe fn allocate_from(
    machine: &mut Machine,
    address: *mut *mut c_void,
    bytes: usize,
    pool: PoolHandle,
    stream: CudaStream,
) -> Result<(), CudaError> {
    if machine.is_capturing(stream_of(stream))? {
        return machine.refuse("cudaMallocAsync in a stream that is captured");
    }
    machine.pools.check_room(pool, bytes as u64)?;
    // SAFETY: passed on from the caller.
    let allocated = unsafe { allocate(machine, address, bytes, AllocationKind::Device) }?;
    if allocated != 0 {
        machine.pools.note(pool, allocated as usize, bytes as u64);
    }
    Ok(())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMallocAsync(
    address: *mut *mut c_void,
    bytes: usize,
    stream: CudaStream,
) -> CudaError {
    call("cudaMallocAsync", |machine| {
        let pool = machine.pools.current();
        // SAFETY: the program passes a place for an address.
        unsafe { allocate_from(machine, address, bytes, pool, stream) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMallocFromPoolAsync(
    address: *mut *mut c_void,
    bytes: usize,
    pool: CudaPool,
    stream: CudaStream,
) -> CudaError {
    call("cudaMallocFromPoolAsync", |machine| {
        // SAFETY: the program passes a place for an address.
        unsafe { allocate_from(machine, address, bytes, pool_of(pool), stream) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFreeAsync(address: *mut c_void, stream: CudaStream) -> CudaError {
    call("cudaFreeAsync", |machine| {
        if machine.is_capturing(stream_of(stream))? {
            return machine.refuse("cudaFreeAsync in a stream that is captured");
        }
        // SAFETY: memory that is freed is not followed.
        machine.check_can_be_freed(unsafe { address_of(address) })?;
        machine.pools.forget(address.addr());
        let task = Task::Free(DeviceAddress(address.addr() as u64));
        machine.submit(stream_of(stream), task)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemPoolCreate(
    pool: *mut CudaPool,
    properties: *const PoolProperties,
) -> CudaError {
    call("cudaMemPoolCreate", |machine| {
        // SAFETY: the program passes null or the properties of a pool.
        let properties = unsafe { properties.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        if pool.is_null() || properties.allocation_kind == 0 || properties.location.kind == 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        if properties.allocation_kind != PINNED || properties.location.kind != ON_DEVICE {
            return machine
                .refuse("cudaMemPoolCreate of a pool that is not the device's own memory");
        }
        if properties.handle_kinds != 0 {
            return machine.refuse("cudaMemPoolCreate of a pool for other processes");
        }
        check_device(properties.location.id)?;
        let most_bytes = match properties.most_bytes {
            0 => u64::MAX,
            bytes => bytes as u64,
        };
        let made = machine.pools.create(most_bytes);
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(pool, pointer_of(made.0)) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaMemPoolDestroy(pool: CudaPool) -> CudaError {
    call("cudaMemPoolDestroy", |machine| machine.pools.destroy(pool_of(pool)))
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaMemPoolTrimTo(pool: CudaPool, keep: usize) -> CudaError {
    call("cudaMemPoolTrimTo", |machine| machine.pools.trim(pool_of(pool), keep as u64))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemPoolGetAttribute(
    pool: CudaPool,
    attribute: c_int,
    value: *mut c_void,
) -> CudaError {
    call("cudaMemPoolGetAttribute", |machine| {
        match machine.pools.attribute(pool_of(pool), attribute)? {
            // SAFETY: the program passes a place for an `int`.
            PoolValue::Flag(flag) => unsafe { answer(value.cast(), flag) },
            // SAFETY: the program passes a place for 64 bits.
            PoolValue::Bytes(bytes) => unsafe { answer(value.cast(), bytes) },
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemPoolSetAttribute(
    pool: CudaPool,
    attribute: c_int,
    value: *const c_void,
) -> CudaError {
    call("cudaMemPoolSetAttribute", |machine| {
        if value.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let value = match Pools::is_flag(attribute) {
            // SAFETY: the program passes an `int`.
            true => PoolValue::Flag(unsafe { value.cast::<c_int>().read() }),
            // SAFETY: the program passes 64 bits.
            false => PoolValue::Bytes(unsafe { value.cast::<u64>().read() }),
        };
        machine.pools.set_attribute(pool_of(pool), attribute, value)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemPoolSetAccess(
    pool: CudaPool,
    descriptions: *const AccessDescription,
    count: usize,
) -> CudaError {
    call("cudaMemPoolSetAccess", |machine| {
        machine.pools.trim(pool_of(pool), u64::MAX)?;
        if descriptions.is_null() && count != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        for index in 0..count {
            // SAFETY: the program passes so many descriptions.
            let description = unsafe { descriptions.add(index).read() };
            // The one device always has access to its pools, and no other is there.
            if description.location.kind != ON_DEVICE || description.access != READ_AND_WRITE {
                return Err(CudaError::INVALID_VALUE);
            }
            check_device(description.location.id)?;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemPoolGetAccess(
    access: *mut c_int,
    pool: CudaPool,
    location: *const MemoryLocation,
) -> CudaError {
    call("cudaMemPoolGetAccess", |machine| {
        machine.pools.trim(pool_of(pool), u64::MAX)?;
        // SAFETY: the program passes null or a location.
        let location = unsafe { location.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        if location.kind != ON_DEVICE {
            return Err(CudaError::INVALID_VALUE);
        }
        check_device(location.id)?;
        // SAFETY: the program passes a place for an enumerator.
        unsafe { answer(access, READ_AND_WRITE) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaDeviceGetDefaultMemPool(
    pool: *mut CudaPool,
    device: c_int,
) -> CudaError {
    call("cudaDeviceGetDefaultMemPool", |machine| {
        check_device(device)?;
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(pool, pointer_of(machine.pools.default_pool().0)) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaDeviceGetMemPool(pool: *mut CudaPool, device: c_int) -> CudaError {
    call("cudaDeviceGetMemPool", |machine| {
        check_device(device)?;
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(pool, pointer_of(machine.pools.current().0)) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaDeviceSetMemPool(device: c_int, pool: CudaPool) -> CudaError {
    call("cudaDeviceSetMemPool", |machine| {
        check_device(device).map_err(|_| CudaError::INVALID_VALUE)?;
        machine.pools.choose(pool_of(pool))
    })
}

/// Refuses what is not the device's own memory, of which alone there are pools.
///
/// # Safety
/// `location` is null or a location.
unsafe fn check_is_on_device(
    machine: &mut Machine,
    location: *const MemoryLocation,
    kind: c_int,
) -> Result<(), CudaError> {
    // SAFETY: passed on from the caller.
    let location = unsafe { location.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    if kind != PINNED || location.kind != ON_DEVICE {
        return machine.refuse("pools of memory that is not the device's own");
    }
    check_device(location.id)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt13_cudaMemGetDefaultMemPool(
    pool: *mut CudaPool,
    location: *const MemoryLocation,
    kind: c_int,
) -> CudaError {
    call("cudaMemGetDefaultMemPool", |machine| {
        // SAFETY: the program passes null or a location, and a place for a handle.
        unsafe {
            check_is_on_device(machine, location, kind)?;
            answer(pool, pointer_of(machine.pools.default_pool().0))
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt13_cudaMemGetMemPool(
    pool: *mut CudaPool,
    location: *const MemoryLocation,
    kind: c_int,
) -> CudaError {
    call("cudaMemGetMemPool", |machine| {
        // SAFETY: the program passes null or a location, and a place for a handle.
        unsafe {
            check_is_on_device(machine, location, kind)?;
            answer(pool, pointer_of(machine.pools.current().0))
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt13_cudaMemSetMemPool(
    location: *const MemoryLocation,
    kind: c_int,
    pool: CudaPool,
) -> CudaError {
    call("cudaMemSetMemPool", |machine| {
        // SAFETY: the program passes null or a location.
        unsafe { check_is_on_device(machine, location, kind) }?;
        machine.pools.choose(pool_of(pool))
    })
}
