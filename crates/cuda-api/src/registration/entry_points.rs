//! The calls that nvcc puts before and after `main`: registering fat binaries and their parts.

use crate::call::{call_at_exit, call_without_device};
use crate::handles::{handle_of, memory_at, pointer_of};
use crate::registration::wrapper::code_of;
use crate::types::{CudaDim3, CudaKernel};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::registry::{ManagedVariable, RegisteredCode};

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
    call_without_device("__cudaRegisterFatBinary", |machine| {
        // SAFETY: nvcc's start-up code passes the wrapper of this image, which unregisters itself
        // before it is unmapped.
        let code = unsafe { code_of(wrapper) };
        // An image that cannot be recognised fails at its first use, where it can be reported.
        let code = code.unwrap_or(RegisteredCode::Container(&[]));
        handle = machine.registry.add_module(code);
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
    call_at_exit("__cudaUnregisterFatBinary", |machine| {
        if let Some(session) = machine.existing_session() {
            // Launches that are queued may be of this code.
            session.run_device_work();
        }
        let loaded = machine.registry.unregister_module(handle_of(handle.cast()));
        if let (Some(module), Some(session)) = (loaded, machine.existing_session()) {
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
    call_without_device("__cudaRegisterFunction", |machine| {
        // SAFETY: nvcc's start-up code passes a string literal.
        let name = unsafe { name_of(name) }?;
        machine.registry.add_function(handle_of(handle.cast()), host.addr(), name);
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
    call_without_device("__cudaRegisterVar", |machine| {
        // SAFETY: nvcc's start-up code passes a string literal.
        let name = unsafe { name_of(name) }?;
        machine.registry.add_variable(handle_of(handle.cast()), host.addr(), lossy(&name));
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
    call_without_device("__cudaRegisterManagedVar", |machine| {
        // SAFETY: nvcc's start-up code passes a string literal.
        let name = unsafe { name_of(name) }?;
        let variable = ManagedVariable { pointer: pointer.expose_provenance(), name: lossy(&name) };
        machine.registry.add_managed_variable(handle_of(handle.cast()), variable);
        Ok(())
    });
}

#[unsafe(no_mangle)]
extern "C" fn wsrt___cudaInitModule(handle: *mut *mut c_void) -> c_char {
    let result = call_without_device("__cudaInitModule", |machine| {
        let (session, registry) = machine.session_and_registry()?;
        for (variable, address) in registry.managed_variables(session, handle_of(handle.cast()))? {
            let pointer: *mut *mut c_void = std::ptr::with_exposed_provenance_mut(variable.pointer);
            // SAFETY: the calling image registered this place for the pointer to its variable, and is still mapped.
            unsafe { pointer.write(memory_at(address.0)) };
        }
        Ok(())
    });
    c_char::from(result == CudaError::SUCCESS)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt___cudaGetKernel(
    kernel: *mut CudaKernel,
    host: *const c_void,
) -> CudaError {
    // A launch stub asks once and keeps the answer, so an earlier kernel's failure must not get in.
    call_without_device("__cudaGetKernel", |machine| {
        machine.function(host.addr())?;
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
