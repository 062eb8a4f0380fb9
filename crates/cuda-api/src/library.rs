//! Libraries: code that a program loads while it runs.

use crate::answer::answer;
use crate::call::{call, call_when_idle};
use crate::handles::{handle_of, memory_at, pointer_of};
use crate::registration::wrapper::container_at;
use crate::types::CudaKernel;
use std::ffi::{CStr, OsStr, c_char, c_int, c_uint, c_void};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::state::Machine;
use warpsan_runtime::{AllocationKind, ModuleImage, readable_bytes};

/// The magic number of an ELF file, which a library of machine code is.
const ELF_MAGIC: &[u8; 4] = b"\x7fELF";
/// The magic number of a fat-binary container, as it lies in memory.
const CONTAINER_MAGIC: &[u8; 4] = &0xBA55_ED50_u32.to_le_bytes();
/// `cudaLibraryHostUniversalFunctionAndDataTable`.
const HOST_TABLE_OPTION: c_int = 0;

/// The most that is read of a file: its name may be that of a device that never ends.
const MOST_BYTES: u64 = 1 << 30;

/// The bytes of a file, unless there are more than `most`.
fn read_bounded(file: File, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

/// Loads what a program has in memory: PTX text that ends with a zero, or a fat binary. Whether it can
/// be read is found out when something of it is used.
///
/// # Safety
/// `code` is such a text or a fat binary.
unsafe fn load_from_memory(machine: &mut Machine, code: *const c_void) -> Result<usize, CudaError> {
    // SAFETY: a fat binary begins with its magic number; anything else is read as text up to its end.
    if let Some(container) = unsafe { container_of(code) } {
        return machine.load_library(ModuleImage::FatBinary(container));
    }
    // SAFETY: passed on from the caller.
    load_bytes(machine, unsafe { text_at(code.cast()) })
}

/// A text up to its zero, or up to the end of what can be read: what is no fat binary should be a text, and a damaged one
/// has no end.
///
/// # Safety
/// `code` points to something readable that outlives the answer.
unsafe fn text_at<'a>(code: *const u8) -> &'a [u8] {
    let most = readable_bytes(code.addr(), MOST_BYTES);
    // SAFETY: so much can be read.
    let readable = unsafe { std::slice::from_raw_parts(code, most) };
    let end = readable.iter().position(|byte| *byte == 0).unwrap_or(most);
    &readable[..end]
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

fn load_bytes(machine: &mut Machine, bytes: &[u8]) -> Result<usize, CudaError> {
    if bytes.starts_with(ELF_MAGIC) {
        return machine.refuse("a library of machine code without PTX");
    }
    if bytes.starts_with(CONTAINER_MAGIC) {
        return machine.load_library(ModuleImage::FatBinary(bytes));
    }
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    machine.load_library(ModuleImage::Ptx(&String::from_utf8_lossy(&bytes[..end])))
}

/// Refuses a table of functions of the host, by which kernels of a library could reach others.
///
/// # Safety
/// `options` points to so many numbers.
unsafe fn check_options(
    machine: &mut Machine,
    options: *const c_int,
    count: c_uint,
) -> Result<(), CudaError> {
    for index in 0..count as usize {
        if options.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: there are so many options.
        if unsafe { *options.add(index) } == HOST_TABLE_OPTION {
            return machine.refuse("a library with a table of functions of the host");
        }
    }
    Ok(())
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
    call("cudaLibraryLoadData", |machine| {
        if place.is_null() || code.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program passes so many options.
        unsafe { check_options(machine, options, count) }?;
        // SAFETY: the program passes PTX text or a fat binary.
        let loaded = unsafe { load_from_memory(machine, code) }?;
        // SAFETY: not null, so it is a place for a handle.
        unsafe { answer(place, pointer_of(loaded)) }
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
    call("cudaLibraryLoadFromFile", |machine| {
        if place.is_null() || path.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: the program passes so many options.
        unsafe { check_options(machine, options, count) }?;
        // SAFETY: not null, so the program passes a string.
        let path = unsafe { CStr::from_ptr(path) }.to_bytes();
        let file = File::open(OsStr::from_bytes(path)).map_err(|_| CudaError::FILE_NOT_FOUND)?;
        let Some(bytes) = read_bounded(file, MOST_BYTES).map_err(|_| CudaError::FILE_NOT_FOUND)?
        else {
            return machine.refuse("a library in a file of more than 1 GiB");
        };
        let loaded = load_bytes(machine, &bytes)?;
        // SAFETY: not null, so it is a place for a handle.
        unsafe { answer(place, pointer_of(loaded)) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn wsrt_cudaLibraryUnload(handle: *mut c_void) -> CudaError {
    call_when_idle("cudaLibraryUnload", |machine| machine.unload_library(handle_of(handle)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLibraryGetKernel(
    kernel: *mut CudaKernel,
    handle: *mut c_void,
    name: *const c_char,
) -> CudaError {
    call("cudaLibraryGetKernel", |machine| {
        // SAFETY: the program passes null or a string.
        let name = unsafe { text_of(name) }?;
        if !machine.library_kernels(handle_of(handle))?.contains(&name) {
            return Err(CudaError::SYMBOL_NOT_FOUND);
        }
        let found = machine.library_kernel(handle_of(handle), &name)?;
        // SAFETY: the program passes a place for a handle.
        unsafe { answer(kernel, pointer_of(found).cast_const()) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLibraryGetKernelCount(
    count: *mut c_uint,
    handle: *mut c_void,
) -> CudaError {
    call("cudaLibraryGetKernelCount", |machine| {
        let names = machine.library_kernels(handle_of(handle))?;
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
    call("cudaLibraryEnumerateKernels", |machine| {
        if kernels.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let names = machine.library_kernels(handle_of(handle))?;
        for (index, name) in names.iter().take(count as usize).enumerate() {
            let found = machine.library_kernel(handle_of(handle), name)?;
            // SAFETY: the program passes places for so many handles.
            unsafe { kernels.add(index).write(pointer_of(found).cast_const()) };
        }
        Ok(())
    })
}

/// Writes address and size of a variable; the program may not want one of them.
///
/// # Safety
/// `address` and `bytes` are null or places for a pointer and a size.
unsafe fn answer_variable(
    machine: &mut Machine,
    (address, bytes): (*mut *mut c_void, *mut usize),
    (handle, name): (*mut c_void, *const c_char),
    only_managed: bool,
) -> Result<(), CudaError> {
    // SAFETY: the program passes null or a string.
    let name = unsafe { text_of(name) }?;
    let found = machine.library_variable(handle_of(handle), &name)?;
    let kind = machine.session()?.allocation_at(found.0).map(|allocation| allocation.kind);
    if only_managed && kind != Some(AllocationKind::Managed) {
        return Err(CudaError::SYMBOL_NOT_FOUND);
    }
    if !address.is_null() {
        // SAFETY: not null, so it is a place for a pointer.
        unsafe { address.write(memory_at(found.0.0)) };
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
    call("cudaLibraryGetGlobal", |machine| {
        // SAFETY: the same contract.
        unsafe { answer_variable(machine, (address, bytes), (handle, name), false) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaLibraryGetManaged(
    address: *mut *mut c_void,
    bytes: *mut usize,
    handle: *mut c_void,
    name: *const c_char,
) -> CudaError {
    call("cudaLibraryGetManaged", |machine| {
        // SAFETY: the same contract.
        unsafe { answer_variable(machine, (address, bytes), (handle, name), true) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_distinguished_from_a_fat_binary_without_reading_past_its_end() {
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
    fn a_text_without_an_end_is_read_as_far_as_memory_goes() {
        const PAGE: usize = 4096;
        // SAFETY: two new pages, of which the second is closed.
        unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let pages = libc::mmap(std::ptr::null_mut(), 2 * PAGE, access, flags, -1, 0);
            assert_ne!(pages, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(pages.byte_add(PAGE), PAGE, libc::PROT_NONE), 0);
            pages.cast::<u8>().write_bytes(b'x', PAGE);
            assert_eq!(text_at(pages.cast_const().cast()), vec![b'x'; PAGE]);
            pages.cast::<u8>().add(5).write(0);
            assert_eq!(text_at(pages.cast_const().cast()), b"xxxxx");
        }
    }

    #[test]
    fn a_file_that_never_ends_is_not_read_to_its_end() {
        let endless = File::open("/dev/zero").expect("the device");
        assert_eq!(read_bounded(endless, 1 << 16).expect("bytes"), None);
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/src/library.rs");
        let length = std::fs::metadata(own).expect("this file").len();
        let read = |most| read_bounded(File::open(own).expect("this file"), most).expect("bytes");
        assert_eq!(read(length).map(|bytes| bytes.len() as u64), Some(length));
        assert_eq!(read(length - 1), None);
    }
}
