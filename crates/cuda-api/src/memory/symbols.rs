//! Device variables by the host symbol that stands for them.

use crate::answer::answer;
use crate::call::call;
use crate::handles::{memory_at, stream_of};
use crate::memory::copy::copy_request;
use crate::types::CudaStream;
use std::ffi::{c_int, c_void};
use warpsan_runtime::machine::copy_kind::{
    DEFAULT_KIND, DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE,
};
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::state::Machine;
use warpsan_runtime::machine::streams::StreamHandle;
use warpsan_runtime::machine::transfers::Returns;

/// The device address `offset` bytes into a variable that has room for `bytes` bytes there.
fn place_in_symbol(
    machine: &mut Machine,
    symbol: *const c_void,
    offset: usize,
    bytes: usize,
) -> Result<*mut c_void, CudaError> {
    let (address, size) = machine.variable(symbol.addr())?;
    let end = (offset as u64).checked_add(bytes as u64);
    if end.is_none_or(|end| end > size) {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok(memory_at(address.0 + offset as u64))
}

/// Where a copy to a variable goes to and comes from.
pub(crate) fn checked_copy_to_symbol(
    machine: &mut Machine,
    (symbol, from): (*const c_void, *const c_void),
    (bytes, offset, kind): (usize, usize, c_int),
) -> Result<(*mut c_void, *const c_void), CudaError> {
    if !matches!(kind, HOST_TO_DEVICE | DEVICE_TO_DEVICE | DEFAULT_KIND) {
        return Err(CudaError::INVALID_MEMCPY_DIRECTION);
    }
    Ok((place_in_symbol(machine, symbol, offset, bytes)?, from))
}

/// Where a copy from a variable goes to and comes from.
pub(crate) fn checked_copy_from_symbol(
    machine: &mut Machine,
    (to, symbol): (*mut c_void, *const c_void),
    (bytes, offset, kind): (usize, usize, c_int),
) -> Result<(*mut c_void, *const c_void), CudaError> {
    if !matches!(kind, DEVICE_TO_HOST | DEVICE_TO_DEVICE | DEFAULT_KIND) {
        return Err(CudaError::INVALID_MEMCPY_DIRECTION);
    }
    Ok((to, place_in_symbol(machine, symbol, offset, bytes)?))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpyToSymbolAsync(
    symbol: *const c_void,
    from: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
    stream: CudaStream,
) -> CudaError {
    call("cudaMemcpyToSymbolAsync", |machine| {
        let (to, from) = checked_copy_to_symbol(machine, (symbol, from), (bytes, offset, kind))?;
        // SAFETY: the program copies from its own memory.
        let copy = unsafe { copy_request(to, from, bytes, kind) };
        machine.copy(copy, stream_of(stream), Returns::Soon)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpyToSymbol(
    symbol: *const c_void,
    from: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> CudaError {
    call("cudaMemcpyToSymbol", |machine| {
        let (to, from) = checked_copy_to_symbol(machine, (symbol, from), (bytes, offset, kind))?;
        // SAFETY: the program copies from its own memory.
        let copy = unsafe { copy_request(to, from, bytes, kind) };
        machine.copy(copy, StreamHandle::DEFAULT, Returns::Afterwards)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpyFromSymbolAsync(
    to: *mut c_void,
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
    stream: CudaStream,
) -> CudaError {
    call("cudaMemcpyFromSymbolAsync", |machine| {
        let (to, from) = checked_copy_from_symbol(machine, (to, symbol), (bytes, offset, kind))?;
        // SAFETY: the program copies to its own memory.
        let copy = unsafe { copy_request(to, from, bytes, kind) };
        machine.copy(copy, stream_of(stream), Returns::Soon)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaMemcpyFromSymbol(
    to: *mut c_void,
    symbol: *const c_void,
    bytes: usize,
    offset: usize,
    kind: c_int,
) -> CudaError {
    call("cudaMemcpyFromSymbol", |machine| {
        let (to, from) = checked_copy_from_symbol(machine, (to, symbol), (bytes, offset, kind))?;
        // SAFETY: the program copies to its own memory.
        let copy = unsafe { copy_request(to, from, bytes, kind) };
        machine.copy(copy, StreamHandle::DEFAULT, Returns::Afterwards)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGetSymbolAddress(
    address: *mut *mut c_void,
    symbol: *const c_void,
) -> CudaError {
    call("cudaGetSymbolAddress", |machine| {
        let place = place_in_symbol(machine, symbol, 0, 0)?;
        // SAFETY: the program passes a place for an address.
        unsafe { answer(address, place) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGetSymbolSize(size: *mut usize, symbol: *const c_void) -> CudaError {
    call("cudaGetSymbolSize", |machine| {
        let (_, bytes) = machine.variable(symbol.addr())?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(size, bytes as usize) }
    })
}
