//! The calls that nvcc puts before and after `main`: registering fat binaries and their parts.

use crate::call::{call_at_exit, call_without_device};
use crate::error::CudaError;
use crate::handles::{handle_of, pointer_of};
use crate::types::{CudaDim3, CudaKernel};
use std::ffi::{CStr, CString, c_char, c_int, c_void};

/// A name that the program passes.
///
/// # Safety
/// `name` is null or a C string.
unsafe fn name_of(name: *const c_char) -> Result<CString, CudaError> {
    if name.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: not null, so it is a C string.
    Ok(unsafe { CStr::from_ptr(name) }.to_owned())
}

fn lossy(name: &CStr) -> String {
    name.to_string_lossy().into_owned()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt___cudaRegisterFatBinary(wrapper: *mut c_void) -> *mut *mut c_void {
    let mut handle = 0;
    call_without_device("__cudaRegisterFatBinary", |api| {
        // SAFETY: nvcc's start-up code passes the wrapper of this image, which unregisters itself
        // before it is unmapped.
        handle = unsafe { api.registry.add_module(wrapper) };
        Ok(())
    });
    pointer_of(handle).cast()
}

#[unsafe(no_mangle)]
extern "C" fn wsrt___cudaRegisterFatBinaryEnd(_handle: *mut *mut c_void) {
    // Images are loaded when they are first used, so the end of a registration means nothing.
}

#[unsafe(no_mangle)]
extern "C" fn wsrt___cudaUnregisterFatBinary(handle: *mut *mut c_void) {
    call_at_exit("__cudaUnregisterFatBinary", |api| {
        if let Some(session) = api.existing_session() {
            // Launches that are in line may be of this code.
            session.run_device_work();
        }
        let loaded = api.registry.remove_module(handle_of(handle.cast()));
        if let (Some(module), Some(session)) = (loaded, api.existing_session()) {
            session.unload_module(module);
        }
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt___cudaRegisterFunction(
    handle: *mut *mut c_void,
    host: *const c_void,
    _device: *mut c_char,
    name: *const c_char,
    _thread_limit: c_int,
    _thread_index: *mut c_void,
    _block_index: *mut c_void,
    _block: *mut CudaDim3,
    _grid: *mut CudaDim3,
    _warp_size: *mut c_int,
) {
    call_without_device("__cudaRegisterFunction", |api| {
        // SAFETY: nvcc's start-up code passes a string literal.
        let name = unsafe { name_of(name) }?;
        api.registry.add_function(handle_of(handle.cast()), host, name);
        Ok(())
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt___cudaRegisterVar(
    handle: *mut *mut c_void,
    host: *const c_void,
    _device: *mut c_char,
    name: *const c_char,
    _external: c_int,
    _bytes: usize,
    _constant: c_int,
    _global: c_int,
) {
    call_without_device("__cudaRegisterVar", |api| {
        // SAFETY: nvcc's start-up code passes a string literal.
        let name = unsafe { name_of(name) }?;
        api.registry.add_variable(handle_of(handle.cast()), host, lossy(&name));
        Ok(())
    });
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt___cudaRegisterManagedVar(
    handle: *mut *mut c_void,
    pointer: *mut *mut c_void,
    _device: *mut c_char,
    name: *const c_char,
    _external: c_int,
    _bytes: usize,
    _constant: c_int,
    _global: c_int,
) {
    call_without_device("__cudaRegisterManagedVar", |api| {
        // SAFETY: nvcc's start-up code passes a string literal.
        let name = unsafe { name_of(name) }?;
        api.registry.add_managed_variable(handle_of(handle.cast()), pointer, lossy(&name));
        Ok(())
    });
}

#[unsafe(no_mangle)]
extern "C" fn wsrt___cudaInitModule(handle: *mut *mut c_void) -> c_char {
    let result = call_without_device("__cudaInitModule", |api| {
        let (session, registry) = api.session_and_registry()?;
        // SAFETY: the calling image registered these pointers and is still mapped.
        unsafe { registry.initialise_managed_variables(session, handle_of(handle.cast())) }
    });
    c_char::from(result == CudaError::SUCCESS)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt___cudaGetKernel(
    kernel: *mut CudaKernel,
    host: *const c_void,
) -> CudaError {
    // A launch stub asks once and keeps the answer, so an earlier kernel's failure must not get in.
    call_without_device("__cudaGetKernel", |api| {
        api.registry.function(host)?;
        if kernel.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: not null; the program passes a place for a handle.
        unsafe { kernel.write(host) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGetKernel(kernel: *mut CudaKernel, host: *const c_void) -> CudaError {
    // SAFETY: the same contract.
    unsafe { wsrt___cudaGetKernel(kernel, host) }
}

/// `cudaFunction_t` of a kernel, which is the same handle as its `cudaKernel_t`.
#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaGetFuncBySymbol(
    function: *mut CudaKernel,
    host: *const c_void,
) -> CudaError {
    // SAFETY: the same contract.
    unsafe { wsrt___cudaGetKernel(function, host) }
}
