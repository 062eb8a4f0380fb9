//! The calls about pools of memory, and about memory in the order of a stream.

use crate::call::{Api, call};
use crate::capture;
use crate::device::check_device;
use crate::error::CudaError;
use crate::memory::{allocate, check_can_be_freed};
use crate::memory_types::{AccessDescription, PoolProperties};
use crate::pools::{CudaPool, PoolValue, Pools};
use crate::streams::{answer, submit};
use crate::types::{CudaStream, MemoryLocation};
use crate::unsupported::refuse;
use std::ffi::{c_int, c_void};
use warpsan_runtime::{AllocationKind, DeviceAddress, Task};

/// `cudaMemAllocationTypePinned`.
const PINNED: c_int = 1;
/// `cudaMemLocationTypeDevice`.
const ON_DEVICE: c_int = 1;
/// `cudaMemAccessFlagsProtReadWrite`.
const READ_AND_WRITE: c_int = 3;

/// # Safety
/// `address` is null or a place for an address.
unsafe fn allocate_from(
    api: &mut Api,
    address: *mut *mut c_void,
    bytes: usize,
    pool: CudaPool,
    stream: CudaStream,
) -> Result<(), CudaError> {
    if capture::is_capturing(api, stream)? {
        return refuse(api, "cudaMallocAsync in a stream that is captured");
    }
    api.pools.check_room(pool, bytes as u64)?;
    // SAFETY: passed on from the caller.
    let allocated = unsafe { allocate(api, address, bytes, AllocationKind::Device) }?;
    if allocated != 0 {
        api.pools.note(pool, allocated, bytes as u64);
    }
    Ok(())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMallocAsync(
    address: *mut *mut c_void,
    bytes: usize,
    stream: CudaStream,
) -> CudaError {
    call("cudaMallocAsync", |api| {
        let pool = api.pools.current();
        // SAFETY: the program passes a place for an address.
        unsafe { allocate_from(api, address, bytes, pool, stream) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMallocFromPoolAsync(
    address: *mut *mut c_void,
    bytes: usize,
    pool: CudaPool,
    stream: CudaStream,
) -> CudaError {
    call("cudaMallocFromPoolAsync", |api| {
        // SAFETY: the program passes a place for an address.
        unsafe { allocate_from(api, address, bytes, pool, stream) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaFreeAsync(address: *mut c_void, stream: CudaStream) -> CudaError {
    call("cudaFreeAsync", |api| {
        if capture::is_capturing(api, stream)? {
            return refuse(api, "cudaFreeAsync in a stream that is captured");
        }
        check_can_be_freed(api, address)?;
        api.pools.forget(address.addr());
        let task = Task::Free(DeviceAddress(address.addr() as u64));
        // SAFETY: the work uses no memory of the host.
        unsafe { submit(api, stream, task) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemPoolCreate(
    pool: *mut CudaPool,
    properties: *const PoolProperties,
) -> CudaError {
    call("cudaMemPoolCreate", |api| {
        // SAFETY: the program passes null or the properties of a pool.
        let properties = unsafe { properties.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
        if pool.is_null() || properties.allocation_kind == 0 || properties.location.kind == 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        if properties.allocation_kind != PINNED || properties.location.kind != ON_DEVICE {
            return refuse(api, "cudaMemPoolCreate of a pool that is not the device's own memory");
        }
        if properties.handle_kinds != 0 {
            return refuse(api, "cudaMemPoolCreate of a pool for other processes");
        }
        check_device(properties.location.id)?;
        let most_bytes = match properties.most_bytes {
            0 => u64::MAX,
            bytes => bytes as u64,
        };
        let made = api.pools.create(most_bytes);
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(pool, made) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaMemPoolDestroy(pool: CudaPool) -> CudaError {
    call("cudaMemPoolDestroy", |api| api.pools.destroy(pool))
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaMemPoolTrimTo(pool: CudaPool, keep: usize) -> CudaError {
    call("cudaMemPoolTrimTo", |api| api.pools.trim(pool, keep as u64))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemPoolGetAttribute(
    pool: CudaPool,
    attribute: c_int,
    value: *mut c_void,
) -> CudaError {
    call("cudaMemPoolGetAttribute", |api| match api.pools.attribute(pool, attribute)? {
        // SAFETY: the program passes a place for an `int`.
        PoolValue::Flag(flag) => unsafe { answer(value.cast(), flag) },
        // SAFETY: the program passes a place for 64 bits.
        PoolValue::Bytes(bytes) => unsafe { answer(value.cast(), bytes) },
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemPoolSetAttribute(
    pool: CudaPool,
    attribute: c_int,
    value: *const c_void,
) -> CudaError {
    call("cudaMemPoolSetAttribute", |api| {
        if value.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let value = match Pools::is_flag(attribute) {
            // SAFETY: the program passes an `int`.
            true => PoolValue::Flag(unsafe { value.cast::<c_int>().read() }),
            // SAFETY: the program passes 64 bits.
            false => PoolValue::Bytes(unsafe { value.cast::<u64>().read() }),
        };
        api.pools.set_attribute(pool, attribute, value)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemPoolSetAccess(
    pool: CudaPool,
    descriptions: *const AccessDescription,
    count: usize,
) -> CudaError {
    call("cudaMemPoolSetAccess", |api| {
        api.pools.trim(pool, u64::MAX)?;
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
    call("cudaMemPoolGetAccess", |api| {
        api.pools.trim(pool, u64::MAX)?;
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
    call("cudaDeviceGetDefaultMemPool", |api| {
        check_device(device)?;
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(pool, api.pools.default_pool()) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaDeviceGetMemPool(pool: *mut CudaPool, device: c_int) -> CudaError {
    call("cudaDeviceGetMemPool", |api| {
        check_device(device)?;
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(pool, api.pools.current()) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaDeviceSetMemPool(device: c_int, pool: CudaPool) -> CudaError {
    call("cudaDeviceSetMemPool", |api| {
        check_device(device).map_err(|_| CudaError::INVALID_VALUE)?;
        api.pools.choose(pool)
    })
}

/// Refuses what is not the device's own memory, of which alone there are pools.
///
/// # Safety
/// `location` is null or a location.
unsafe fn check_is_on_device(
    api: &mut Api,
    location: *const MemoryLocation,
    kind: c_int,
) -> Result<(), CudaError> {
    // SAFETY: passed on from the caller.
    let location = unsafe { location.as_ref() }.ok_or(CudaError::INVALID_VALUE)?;
    if kind != PINNED || location.kind != ON_DEVICE {
        return refuse(api, "pools of memory that is not the device's own");
    }
    check_device(location.id)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt13_cudaMemGetDefaultMemPool(
    pool: *mut CudaPool,
    location: *const MemoryLocation,
    kind: c_int,
) -> CudaError {
    call("cudaMemGetDefaultMemPool", |api| {
        // SAFETY: the program passes null or a location, and a place for a handle.
        unsafe {
            check_is_on_device(api, location, kind)?;
            answer(pool, api.pools.default_pool())
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt13_cudaMemGetMemPool(
    pool: *mut CudaPool,
    location: *const MemoryLocation,
    kind: c_int,
) -> CudaError {
    call("cudaMemGetMemPool", |api| {
        // SAFETY: the program passes null or a location, and a place for a handle.
        unsafe {
            check_is_on_device(api, location, kind)?;
            answer(pool, api.pools.current())
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt13_cudaMemSetMemPool(
    location: *const MemoryLocation,
    kind: c_int,
    pool: CudaPool,
) -> CudaError {
    call("cudaMemSetMemPool", |api| {
        // SAFETY: the program passes null or a location.
        unsafe { check_is_on_device(api, location, kind) }?;
        api.pools.choose(pool)
    })
}
