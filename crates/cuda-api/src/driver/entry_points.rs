//! Functions of the driver by their names.

use crate::answer::answer;
use crate::call::{call_without_device, with_state};
use crate::driver::{errors, functions as driver};
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::state::Machine;

/// All names that `libcuda.so.1` exports.
const EXPORTED: &str = include_str!("../../symbols/cuda-driver.txt");

/// Whether the driver exports such a name.
pub(crate) fn is_exported(name: &str) -> bool {
    EXPORTED.lines().any(|exported| exported == name)
}

/// `cudaDriverEntryPointQueryResult`.
const FOUND: c_int = 0;
const NOT_FOUND: c_int = 1;

/// The function that answers a name, which is given without the version that the newest has.
fn function_of(name: &str) -> Option<*const c_void> {
    Some(match name {
        "cuInit" => driver::wsrt_cuInit as *const c_void,
        "cuDriverGetVersion" => driver::wsrt_cuDriverGetVersion as *const c_void,
        "cuDeviceGetCount" => driver::wsrt_cuDeviceGetCount as *const c_void,
        "cuDeviceGet" => driver::wsrt_cuDeviceGet as *const c_void,
        "cuDeviceGetName" => driver::wsrt_cuDeviceGetName as *const c_void,
        "cuDeviceGetPCIBusId" => driver::wsrt_cuDeviceGetPCIBusId as *const c_void,
        "cuDeviceGetUuid" => driver::wsrt_cuDeviceGetUuid_v2 as *const c_void,
        "cuDeviceGetAttribute" => driver::wsrt_cuDeviceGetAttribute as *const c_void,
        "cuDeviceTotalMem" => driver::wsrt_cuDeviceTotalMem_v2 as *const c_void,
        "cuMemGetInfo" => driver::wsrt_cuMemGetInfo_v2 as *const c_void,
        "cuMemGetAddressRange" => driver::wsrt_cuMemGetAddressRange_v2 as *const c_void,
        "cuCtxGetCurrent" => driver::wsrt_cuCtxGetCurrent as *const c_void,
        "cuCtxSetCurrent" => driver::wsrt_cuCtxSetCurrent as *const c_void,
        "cuCtxGetDevice" => driver::wsrt_cuCtxGetDevice as *const c_void,
        "cuCtxSynchronize" => driver::wsrt_cuCtxSynchronize as *const c_void,
        "cuDevicePrimaryCtxRetain" => driver::wsrt_cuDevicePrimaryCtxRetain as *const c_void,
        "cuDevicePrimaryCtxRelease" => driver::wsrt_cuDevicePrimaryCtxRelease_v2 as *const c_void,
        "cuDevicePrimaryCtxGetState" => driver::wsrt_cuDevicePrimaryCtxGetState as *const c_void,
        "cuGetErrorName" => errors::wsrt_cuGetErrorName as *const c_void,
        "cuGetErrorString" => errors::wsrt_cuGetErrorString as *const c_void,
        "cuGetProcAddress" => wsrt_cuGetProcAddress_v2 as *const c_void,
        _ => return None,
    })
}

/// Looks a function up. One that the driver has and that is not answered is refused and noted; one that
/// the driver has not is not there.
///
/// # Safety
/// `name` is null or a string.
unsafe fn look_up(
    machine: &mut Machine,
    name: *const c_char,
) -> Result<Option<*const c_void>, CudaError> {
    if name.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: not null, so it is a string.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    match function_of(&name) {
        Some(function) => Ok(Some(function)),
        None if is_exported(&name) => machine.refuse_driver_function(&name),
        None => Ok(None),
    }
}

/// Writes what was found, and how the search went.
///
/// # Safety
/// The places are null or places for a pointer and a number.
unsafe fn answer_function(
    function: *mut *const c_void,
    status: *mut c_int,
    found: Option<*const c_void>,
) -> Result<(), CudaError> {
    // SAFETY: passed on from the caller.
    unsafe { answer(function, found.unwrap_or(std::ptr::null())) }?;
    let outcome = if found.is_some() { FOUND } else { NOT_FOUND };
    match (status.is_null(), outcome) {
        (false, outcome) => {
            // SAFETY: not null, so it is a place for an enumerator.
            unsafe { status.write(outcome) };
            Ok(())
        }
        (true, FOUND) => Ok(()),
        // Without a place for the status the answer itself has to say so.
        (true, _) => Err(CudaError::SYMBOL_NOT_FOUND),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGetDriverEntryPointByVersion(
    name: *const c_char,
    function: *mut *const c_void,
    _version: c_uint,
    _flags: c_ulonglong,
    status: *mut c_int,
) -> CudaError {
    call_without_device("cudaGetDriverEntryPointByVersion", |machine| {
        // SAFETY: the program passes a string.
        let found = unsafe { look_up(machine, name) }?;
        // SAFETY: the program passes a place for a pointer, and for a status or nothing.
        unsafe { answer_function(function, status, found) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGetDriverEntryPoint(
    name: *const c_char,
    function: *mut *const c_void,
    flags: c_ulonglong,
    status: *mut c_int,
) -> CudaError {
    // SAFETY: the same contract.
    unsafe { wsrt_cudaGetDriverEntryPointByVersion(name, function, 0, flags, status) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cuGetProcAddress_v2(
    name: *const c_char,
    function: *mut *const c_void,
    _version: c_int,
    _flags: c_ulonglong,
    status: *mut c_int,
) -> CudaError {
    let answered = with_state(|machine| {
        // SAFETY: the program passes a string.
        let found = unsafe { look_up(machine, name) }?;
        // SAFETY: the program passes a place for a pointer, and for a status or nothing.
        unsafe { answer_function(function, status, found) }?;
        // The driver says it twice.
        found.map(|_| ()).ok_or(CudaError::SYMBOL_NOT_FOUND)
    });
    answered.err().unwrap_or(CudaError::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answered_function_is_one_of_the_driver() {
        let answered: Vec<&str> =
            EXPORTED.lines().filter(|name| function_of(name).is_some()).collect();
        assert_eq!(answered.len(), 21, "{answered:?}");
    }

    #[test]
    fn a_name_that_no_driver_has_is_not_found() {
        let mut machine = Machine::default();
        // SAFETY: strings.
        let found = unsafe { look_up(&mut machine, c"cuNoSuchFunction".as_ptr()) };
        assert_eq!(found, Ok(None));
        // SAFETY: as above.
        let found = unsafe { look_up(&mut machine, c"cuInit".as_ptr()) };
        assert_eq!(found, Ok(Some(driver::wsrt_cuInit as *const c_void)));
        let (mut function, mut status) = (std::ptr::dangling(), 7);
        // SAFETY: places for both.
        let answered = unsafe { answer_function(&mut function, &mut status, None) };
        assert_eq!((answered, function.is_null(), status), (Ok(()), true, NOT_FOUND));
    }
}
