//! Libraries: code that a program loads while it runs.

use crate::call::{Api, call, call_when_idle};
use crate::error::CudaError;
use crate::handles::{HandleTable, handle_of, pointer_of};
use crate::registry::container_at;
use crate::streams::answer;
use crate::types::CudaKernel;
use crate::unsupported::refuse;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use warpsan_runtime::{AllocationKind, ModuleId, ModuleImage, RuntimeError};

/// The libraries that the program has loaded.
#[derive(Default)]
pub(crate) struct Libraries {
    table: HandleTable<Library>,
    /// Kernels get handles that are no addresses, so that none is that of a host function.
    kernels: usize,
}

struct Library {
    /// The module's handle in the registry.
    module: usize,
    loaded: ModuleId,
    /// The handles of its kernels, by name.
    kernels: BTreeMap<String, usize>,
}

/// The first handle of a kernel: no address of a process is as large.
const FIRST_KERNEL: usize = 0x7f00_0000_0000_0000;
const KERNEL_STEP: usize = 16;

/// The magic number of an ELF file, which a library of machine code is.
const ELF_MAGIC: &[u8; 4] = b"\x7fELF";
/// The magic number of a fat-binary container, as it lies in memory.
const CONTAINER_MAGIC: &[u8; 4] = &0xBA55_ED50_u32.to_le_bytes();
/// `cudaLibraryHostUniversalFunctionAndDataTable`.
const HOST_TABLE_OPTION: c_int = 0;

fn load(api: &mut Api, image: ModuleImage<'_>) -> Result<*mut c_void, CudaError> {
    let loaded = api.session()?.load_module(image);
    let module = api.registry.add_loaded_module(loaded);
    let library = Library { module, loaded, kernels: BTreeMap::new() };
    Ok(pointer_of(api.libraries.table.insert(library)))
}

/// Loads what a program has in memory: PTX text that ends with a zero, or a fat binary. Whether it can
/// be read is found out when something of it is used.
///
/// # Safety
/// `code` is such a text or a fat binary.
unsafe fn load_from_memory(api: &mut Api, code: *const c_void) -> Result<*mut c_void, CudaError> {
    // SAFETY: a fat binary begins with its magic number; anything else is read as text up to its end.
    if let Some(container) = unsafe { container_of(code) } {
        return load(api, ModuleImage::FatBinary(container));
    }
    // SAFETY: what is no fat binary is a text that ends with a zero, or machine code, which has a
    // zero soon.
    let text = unsafe { CStr::from_ptr(code.cast()) }.to_bytes();
    load_bytes(api, text)
}

/// # Safety
/// `code` is a text that ends with a zero, or a fat binary.
unsafe fn container_of(code: *const c_void) -> Option<&'static [u8]> {
    let bytes: *const u8 = code.cast();
    for (index, expected) in CONTAINER_MAGIC.iter().enumerate() {
        // SAFETY: no byte before this one was a zero, so the text goes on until here at least.
        if unsafe { bytes.add(index).read() } != *expected {
            return None;
        }
    }
    // SAFETY: it begins as a fat binary does.
    unsafe { container_at(code.cast()) }
}

fn load_bytes(api: &mut Api, bytes: &[u8]) -> Result<*mut c_void, CudaError> {
    if bytes.starts_with(ELF_MAGIC) {
        return refuse(api, "a library of machine code without PTX");
    }
    if bytes.starts_with(CONTAINER_MAGIC) {
        return load(api, ModuleImage::FatBinary(bytes));
    }
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    load(api, ModuleImage::Ptx(&String::from_utf8_lossy(&bytes[..end])))
}

/// Refuses a table of functions of the host, by which kernels of a library could reach others.
///
/// # Safety
/// `options` points to so many numbers.
unsafe fn check_options(
    api: &mut Api,
    options: *const c_int,
    count: c_uint,
) -> Result<(), CudaError> {
    for index in 0..count as usize {
        if options.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: there are so many options.
        if unsafe { *options.add(index) } == HOST_TABLE_OPTION {
            return refuse(api, "a library with a table of functions of the host");
        }
    }
    Ok(())
}

/// The library behind a handle, and the rest of the state.
fn library(api: &mut Api, library: *mut c_void) -> Result<&mut Library, CudaError> {
    let found = api.libraries.table.get_mut(handle_of(library));
    found.ok_or(CudaError::INVALID_RESOURCE_HANDLE)
}

/// A library whose code cannot be read says so when it is used.
fn unreadable(error: RuntimeError) -> CudaError {
    match error {
        RuntimeError::InvalidDeviceFunction(_) => CudaError::INVALID_PTX,
        other => other.into(),
    }
}

/// The names of the kernels of a library.
fn kernel_names(api: &mut Api, handle: *mut c_void) -> Result<Vec<String>, CudaError> {
    let module = library(api, handle)?.loaded;
    api.session()?.kernel_names(module).map_err(unreadable)
}

/// The handle of a kernel that the library has.
fn kernel_handle(api: &mut Api, handle: *mut c_void, name: &str) -> Result<CudaKernel, CudaError> {
    let next = FIRST_KERNEL + api.libraries.kernels * KERNEL_STEP;
    let found = library(api, handle)?;
    if let Some(kernel) = found.kernels.get(name) {
        return Ok(pointer_of(*kernel).cast_const());
    }
    found.kernels.insert(name.to_owned(), next);
    let module = found.module;
    api.libraries.kernels += 1;
    let kernel: CudaKernel = pointer_of(next).cast_const();
    let name = CString::new(name).map_err(|_| CudaError::INVALID_VALUE)?;
    api.registry.add_function(module, kernel, name);
    Ok(kernel)
}

/// # Safety
/// `name` is null or a string.
unsafe fn text_of(name: *const c_char) -> Result<String, CudaError> {
    if name.is_null() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: not null, so it is a string.
    Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLibraryLoadData(
    place: *mut *mut c_void,
    code: *const c_void,
    _compiler_options: *const c_int,
    _compiler_values: *const *const c_void,
    _compiler_count: c_uint,
    options: *const c_int,
    _values: *const *const c_void,
    count: c_uint,
) -> CudaError {
    call("cudaLibraryLoadData", |api| {
        if place.is_null() || code.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program passes so many options.
        unsafe { check_options(api, options, count) }?;
        // SAFETY: the program passes PTX text or a fat binary.
        let loaded = unsafe { load_from_memory(api, code) }?;
        // SAFETY: not null, so it is a place for a handle.
        unsafe { answer(place, loaded) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLibraryLoadFromFile(
    place: *mut *mut c_void,
    path: *const c_char,
    _compiler_options: *const c_int,
    _compiler_values: *const *const c_void,
    _compiler_count: c_uint,
    options: *const c_int,
    _values: *const *const c_void,
    count: c_uint,
) -> CudaError {
    call("cudaLibraryLoadFromFile", |api| {
        if place.is_null() || path.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program passes so many options.
        unsafe { check_options(api, options, count) }?;
        // SAFETY: not null, so the program passes a string.
        let path = unsafe { CStr::from_ptr(path) }.to_bytes();
        let bytes =
            std::fs::read(OsStr::from_bytes(path)).map_err(|_| CudaError::FILE_NOT_FOUND)?;
        let loaded = load_bytes(api, &bytes)?;
        // SAFETY: not null, so it is a place for a handle.
        unsafe { answer(place, loaded) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaLibraryUnload(handle: *mut c_void) -> CudaError {
    call_when_idle("cudaLibraryUnload", |api| {
        let module = library(api, handle)?.module;
        api.libraries.table.remove(handle_of(handle));
        if let Some(loaded) = api.registry.remove_module(module) {
            api.session()?.unload_module(loaded);
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLibraryGetKernel(
    kernel: *mut CudaKernel,
    handle: *mut c_void,
    name: *const c_char,
) -> CudaError {
    call("cudaLibraryGetKernel", |api| {
        // SAFETY: the program passes null or a string.
        let name = unsafe { text_of(name) }?;
        if !kernel_names(api, handle)?.contains(&name) {
            return Err(CudaError::SYMBOL_NOT_FOUND);
        }
        let found = kernel_handle(api, handle, &name)?;
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(kernel, found) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLibraryGetKernelCount(
    count: *mut c_uint,
    handle: *mut c_void,
) -> CudaError {
    call("cudaLibraryGetKernelCount", |api| {
        let names = kernel_names(api, handle)?;
        // SAFETY: the program passes a place for a number.
        unsafe { answer(count, names.len() as c_uint) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLibraryEnumerateKernels(
    kernels: *mut CudaKernel,
    count: c_uint,
    handle: *mut c_void,
) -> CudaError {
    call("cudaLibraryEnumerateKernels", |api| {
        if kernels.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let names = kernel_names(api, handle)?;
        for (index, name) in names.iter().take(count as usize).enumerate() {
            let found = kernel_handle(api, handle, name)?;
            // SAFETY: the program passes places for so many handles.
            unsafe { kernels.add(index).write(found) };
        }
        Ok(())
    })
}

/// Writes address and size of a variable; the program may not want one of them.
///
/// # Safety
/// `address` and `bytes` are null or places for a pointer and a size.
unsafe fn answer_variable(
    api: &mut Api,
    (address, bytes): (*mut *mut c_void, *mut usize),
    (handle, name): (*mut c_void, *const c_char),
    only_managed: bool,
) -> Result<(), CudaError> {
    // SAFETY: the program passes null or a string.
    let name = unsafe { text_of(name) }?;
    let module = library(api, handle)?.loaded;
    // An unreadable library fails here and not as one that lacks the variable.
    kernel_names(api, handle)?;
    let session = api.session()?;
    let found = session.symbol(module, &name).map_err(|_| CudaError::SYMBOL_NOT_FOUND)?;
    let kind = session.allocation_at(found.0).map(|allocation| allocation.kind);
    if only_managed && kind != Some(AllocationKind::Managed) {
        return Err(CudaError::SYMBOL_NOT_FOUND);
    }
    if !address.is_null() {
        // SAFETY: not null, so it is a place for a pointer.
        unsafe { address.write(std::ptr::with_exposed_provenance_mut(found.0.0 as usize)) };
    }
    if !bytes.is_null() {
        // SAFETY: not null, so it is a place for a size.
        unsafe { bytes.write(found.1 as usize) };
    }
    Ok(())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLibraryGetGlobal(
    address: *mut *mut c_void,
    bytes: *mut usize,
    handle: *mut c_void,
    name: *const c_char,
) -> CudaError {
    call("cudaLibraryGetGlobal", |api| {
        // SAFETY: the same contract.
        unsafe { answer_variable(api, (address, bytes), (handle, name), false) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLibraryGetManaged(
    address: *mut *mut c_void,
    bytes: *mut usize,
    handle: *mut c_void,
    name: *const c_char,
) -> CudaError {
    call("cudaLibraryGetManaged", |api| {
        // SAFETY: the same contract.
        unsafe { answer_variable(api, (address, bytes), (handle, name), true) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_a_fat_binary_without_reading_past_its_end() {
        // SAFETY: texts that end with a zero.
        unsafe {
            assert!(container_of(c"".as_ptr().cast()).is_none());
            assert!(container_of(c"\x50".as_ptr().cast()).is_none());
            assert!(container_of(c".version 7.8".as_ptr().cast()).is_none());
        }
        let mut container = [0_u8; 24];
        container[..4].copy_from_slice(CONTAINER_MAGIC);
        container[6] = 16;
        container[8] = 8;
        let aligned = u64::from_ne_bytes(container[..8].try_into().expect("eight bytes"));
        let words = [aligned, 8, 0];
        // SAFETY: the header states 16 and 8 bytes, which is how long the array is.
        let found = unsafe { container_of(words.as_ptr().cast()) };
        assert_eq!(found.map(<[u8]>::len), Some(24));
    }

    #[test]
    fn a_handle_that_was_never_given_out_is_refused() {
        let mut api = Api::default();
        let unknown = pointer_of(0x1000);
        assert_eq!(library(&mut api, unknown).err(), Some(CudaError::INVALID_RESOURCE_HANDLE));
    }
}
