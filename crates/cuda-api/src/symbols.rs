//! Device variables by the host symbol that stands for them.

use crate::call::{Api, call};
use crate::copy::{DEFAULT_KIND, DEVICE_TO_DEVICE, DEVICE_TO_HOST, HOST_TO_DEVICE, Returns, copy};
use crate::error::CudaError;
use crate::streams::answer;
use crate::types::CudaStream;
use std::ffi::{c_int, c_void};

/// The device address `offset` bytes into a variable that has room for `bytes` bytes there.
fn place_in_symbol(
    api: &mut Api,
    symbol: *const c_void,
    offset: usize,
    bytes: usize,
) -> Result<*mut c_void, CudaError> {
    let (session, registry) = api.session_and_registry()?;
    let (address, size) = registry.variable(session, symbol)?;
    let end = (offset as u64).checked_add(bytes as u64);
    if end.is_none_or(|end| end > size) {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok(std::ptr::with_exposed_provenance_mut(address.0 as usize + offset))
}

/// Where a copy to a variable goes to and comes from.
pub(crate) fn checked_copy_to_symbol(
    api: &mut Api,
    (symbol, from): (*const c_void, *const c_void),
    (bytes, offset, kind): (usize, usize, c_int),
) -> Result<(*mut c_void, *const c_void), CudaError> {
    if !matches!(kind, HOST_TO_DEVICE | DEVICE_TO_DEVICE | DEFAULT_KIND) {
        return Err(CudaError::INVALID_MEMCPY_DIRECTION);
    }
    Ok((place_in_symbol(api, symbol, offset, bytes)?, from))
}

/// Where a copy from a variable goes to and comes from.
pub(crate) fn checked_copy_from_symbol(
    api: &mut Api,
    (to, symbol): (*mut c_void, *const c_void),
    (bytes, offset, kind): (usize, usize, c_int),
) -> Result<(*mut c_void, *const c_void), CudaError> {
    if !matches!(kind, DEVICE_TO_HOST | DEVICE_TO_DEVICE | DEFAULT_KIND) {
        return Err(CudaError::INVALID_MEMCPY_DIRECTION);
    }
    Ok((to, place_in_symbol(api, symbol, offset, bytes)?))
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
    call("cudaMemcpyToSymbolAsync", |api| {
        let (to, from) = checked_copy_to_symbol(api, (symbol, from), (bytes, offset, kind))?;
        // SAFETY: the program copies from its own memory.
        unsafe { copy(api, (to, from, bytes, kind), stream, Returns::Soon) }
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
    call("cudaMemcpyToSymbol", |api| {
        let (to, from) = checked_copy_to_symbol(api, (symbol, from), (bytes, offset, kind))?;
        // SAFETY: the program copies from its own memory.
        unsafe { copy(api, (to, from, bytes, kind), std::ptr::null_mut(), Returns::Afterwards) }
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
    call("cudaMemcpyFromSymbolAsync", |api| {
        let (to, from) = checked_copy_from_symbol(api, (to, symbol), (bytes, offset, kind))?;
        // SAFETY: the program copies to its own memory.
        unsafe { copy(api, (to, from, bytes, kind), stream, Returns::Soon) }
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
    call("cudaMemcpyFromSymbol", |api| {
        let (to, from) = checked_copy_from_symbol(api, (to, symbol), (bytes, offset, kind))?;
        // SAFETY: the program copies to its own memory.
        unsafe { copy(api, (to, from, bytes, kind), std::ptr::null_mut(), Returns::Afterwards) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGetSymbolAddress(
    address: *mut *mut c_void,
    symbol: *const c_void,
) -> CudaError {
    call("cudaGetSymbolAddress", |api| {
        let place = place_in_symbol(api, symbol, 0, 0)?;
        // SAFETY: the program passes a place for an address.
        unsafe { answer(address, place) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGetSymbolSize(size: *mut usize, symbol: *const c_void) -> CudaError {
    call("cudaGetSymbolSize", |api| {
        let (session, registry) = api.session_and_registry()?;
        let (_, bytes) = registry.variable(session, symbol)?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(size, bytes as usize) }
    })
}
