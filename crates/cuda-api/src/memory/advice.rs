//! Calls about where managed memory should be, as CUDA 12 and 13 have them.

use crate::call::call;
use crate::handles::{address_of, stream_of};
use crate::types::{CudaStream, MemoryLocation};
use std::ffi::{c_int, c_uint, c_void};
use warpsan_runtime::machine::advice::{HOST_NUMBER, Location, Said};
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::state::Machine;
use warpsan_runtime::{Allocation, AllocationKind};

/// The allocation around an address.
fn allocation_at(machine: &mut Machine, address: *const c_void) -> Result<Allocation, CudaError> {
    // SAFETY: memory that is asked about is not followed.
    let allocation = machine.allocation_at(unsafe { address_of(address) })?;
    allocation.ok_or(CudaError::INVALID_VALUE)
}

/// Refuses a range that is not inside of one allocation of managed memory.
fn check_managed(
    machine: &mut Machine,
    address: *const c_void,
    bytes: usize,
) -> Result<(), CudaError> {
    let allocation = allocation_at(machine, address)?;
    let left = allocation.address.0 + allocation.bytes - address.addr() as u64;
    if allocation.kind != AllocationKind::Managed || bytes == 0 || bytes as u64 > left {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok(())
}

/// The location that a device's number stands for.
fn location_of_number(number: c_int) -> Option<Location> {
    match number {
        HOST_NUMBER => Some(Location::Host),
        0 => Some(Location::Device),
        _ => None,
    }
}

fn advise(
    machine: &mut Machine,
    (address, bytes): (*const c_void, usize),
    advice: c_int,
    location: Result<Location, CudaError>,
) -> Result<(), CudaError> {
    check_managed(machine, address, bytes)?;
    let accessed = |location: Location, holds: bool| match location {
        Location::Device => Said::AccessedByDevice(holds),
        Location::Host | Location::Node(_) => Said::AccessedByHost(holds),
    };
    let said = match advice {
        1 => Said::ReadMostly(true),
        2 => Said::ReadMostly(false),
        3 => Said::Preferred(Some(location?)),
        4 => Said::Preferred(None),
        5 => accessed(location?, true),
        6 => accessed(location?, false),
        _ => return Err(CudaError::INVALID_VALUE),
    };
    machine.advice.say(address.addr() as u64, bytes as u64, said);
    Ok(())
}

fn prefetch(
    machine: &mut Machine,
    (address, bytes): (*const c_void, usize),
    location: Option<Location>,
    stream: CudaStream,
) -> Result<(), CudaError> {
    machine.streams.check(stream_of(stream))?;
    check_managed(machine, address, bytes)?;
    let location = location.ok_or(CudaError::INVALID_DEVICE)?;
    machine.advice.say(address.addr() as u64, bytes as u64, Said::PrefetchedTo(location));
    Ok(())
}

fn advise_at(
    address: *const c_void,
    bytes: usize,
    advice: c_int,
    location: MemoryLocation,
) -> CudaError {
    call("cudaMemAdvise", |machine| {
        let location = Location::new(location.kind, location.id).ok_or(CudaError::INVALID_VALUE);
        advise(machine, (address, bytes), advice, location)
    })
}

fn prefetch_to(
    address: *const c_void,
    bytes: usize,
    location: MemoryLocation,
    flags: c_uint,
    stream: CudaStream,
) -> CudaError {
    call("cudaMemPrefetchAsync", |machine| {
        if flags != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        prefetch(machine, (address, bytes), Location::new(location.kind, location.id), stream)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt12_cudaMemAdvise(
    address: *const c_void,
    bytes: usize,
    advice: c_int,
    device: c_int,
) -> CudaError {
    call("cudaMemAdvise", |machine| {
        let location = location_of_number(device).ok_or(CudaError::INVALID_DEVICE);
        advise(machine, (address, bytes), advice, location)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt12_cudaMemAdvise_v2(
    address: *const c_void,
    bytes: usize,
    advice: c_int,
    location: MemoryLocation,
) -> CudaError {
    advise_at(address, bytes, advice, location)
}

#[unsafe(no_mangle)]
extern "C" fn wsrt13_cudaMemAdvise(
    address: *const c_void,
    bytes: usize,
    advice: c_int,
    location: MemoryLocation,
) -> CudaError {
    advise_at(address, bytes, advice, location)
}

#[unsafe(no_mangle)]
extern "C" fn wsrt12_cudaMemPrefetchAsync(
    address: *const c_void,
    bytes: usize,
    device: c_int,
    stream: CudaStream,
) -> CudaError {
    call("cudaMemPrefetchAsync", |machine| {
        prefetch(machine, (address, bytes), location_of_number(device), stream)
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt12_cudaMemPrefetchAsync_v2(
    address: *const c_void,
    bytes: usize,
    location: MemoryLocation,
    flags: c_uint,
    stream: CudaStream,
) -> CudaError {
    prefetch_to(address, bytes, location, flags, stream)
}

#[unsafe(no_mangle)]
extern "C" fn wsrt13_cudaMemPrefetchAsync(
    address: *const c_void,
    bytes: usize,
    location: MemoryLocation,
    flags: c_uint,
    stream: CudaStream,
) -> CudaError {
    prefetch_to(address, bytes, location, flags, stream)
}

/// # Safety
/// `data` is null or has room for `room` bytes.
unsafe fn range_attribute(
    machine: &mut Machine,
    data: *mut c_void,
    room: usize,
    attribute: c_int,
    (address, bytes): (*const c_void, usize),
) -> Result<(), CudaError> {
    if data.is_null() || room == 0 || !room.is_multiple_of(size_of::<c_int>()) {
        return Err(CudaError::INVALID_VALUE);
    }
    check_managed(machine, address, bytes)?;
    let (start, room) = (address.addr() as u64, room / size_of::<c_int>());
    let numbers = machine.advice.attribute(attribute, start, bytes as u64, room);
    for (index, number) in numbers.ok_or(CudaError::INVALID_VALUE)?.into_iter().enumerate() {
        // SAFETY: there are as many numbers as there is room for, or one.
        unsafe { data.cast::<c_int>().add(index).write_unaligned(number) };
    }
    Ok(())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemRangeGetAttribute(
    data: *mut c_void,
    room: usize,
    attribute: c_int,
    address: *const c_void,
    bytes: usize,
) -> CudaError {
    call("cudaMemRangeGetAttribute", |machine| {
        // SAFETY: the program passes so much room.
        unsafe { range_attribute(machine, data, room, attribute, (address, bytes)) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemRangeGetAttributes(
    data: *const *mut c_void,
    rooms: *const usize,
    attributes: *const c_int,
    count: usize,
    address: *const c_void,
    bytes: usize,
) -> CudaError {
    call("cudaMemRangeGetAttributes", |machine| {
        if data.is_null() || rooms.is_null() || attributes.is_null() || count == 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        for index in 0..count {
            // SAFETY: the program passes three arrays of this length, and the room that they name.
            unsafe {
                let (data, room) = (data.add(index).read(), rooms.add(index).read());
                let attribute = attributes.add(index).read();
                range_attribute(machine, data, room, attribute, (address, bytes))
            }?;
        }
        Ok(())
    })
}

/// `cudaMemAttachGlobal`, `cudaMemAttachHost` and `cudaMemAttachSingle`.
const ATTACH_FLAGS: [c_uint; 3] = [1, 2, 4];

/// Says which stream uses managed memory, or all of them. The memory can be used from everywhere
/// here, so that only mistakes show.
#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaStreamAttachMemAsync(
    stream: CudaStream,
    address: *mut c_void,
    bytes: usize,
    flags: c_uint,
) -> CudaError {
    call("cudaStreamAttachMemAsync", |machine| {
        machine.streams.check(stream_of(stream))?;
        check_managed(machine, address, bytes.max(1))?;
        let whole = allocation_at(machine, address)?;
        let is_whole =
            whole.address.0 == address.addr() as u64 && (bytes == 0 || bytes as u64 == whole.bytes);
        if is_whole && ATTACH_FLAGS.contains(&flags) {
            return Ok(());
        }
        Err(CudaError::INVALID_VALUE)
    })
}
