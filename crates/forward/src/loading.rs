//! Modules and libraries that are loaded and unloaded: the hooks get their images, or what these were linked from.

use crate::calls::{Call, filled_by};
use crate::linking;
use crate::wrapped::forwards;
use std::ffi::{CStr, OsStr, c_char, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use warpsan_gpu::{
    CUjitOption, CUlibrary, CUlibraryOption, CUmodule, CUresult, CodeContainer, CodeSource,
};

/// The option by which a program promises that code stays where it is.
const BINARY_IS_PRESERVED: CUlibraryOption = CUlibraryOption(1);

forwards! {
    fn (module: *mut CUmodule, file: *const c_char) = load_file: cuModuleLoad;
    fn (module: *mut CUmodule, image: *const c_void) = load_image:
        cuModuleLoadData, cuModuleLoadFatBinary;
    fn (
        module: *mut CUmodule,
        image: *const c_void,
        count: c_uint,
        options: *mut CUjitOption,
        values: *mut *mut c_void
    ) = load_image_with_options: cuModuleLoadDataEx;
    fn (module: CUmodule) = unload_module: cuModuleUnload;
    fn (
        library: *mut CUlibrary,
        code: *const c_void,
        options: *mut CUjitOption,
        values: *mut *mut c_void,
        count: c_uint,
        library_options: *mut CUlibraryOption,
        library_values: *mut *mut c_void,
        library_count: c_uint
    ) = load_library: cuLibraryLoadData;
    fn (
        library: *mut CUlibrary,
        file: *const c_char,
        options: *mut CUjitOption,
        values: *mut *mut c_void,
        count: c_uint,
        library_options: *mut CUlibraryOption,
        library_values: *mut *mut c_void,
        library_count: c_uint
    ) = load_library: cuLibraryLoadFromFile;
    fn (library: CUlibrary) = unload_library: cuLibraryUnload;
}

/// Calls the hook for an image that was loaded.
///
/// # Safety
/// The driver has just loaded `start`, so it is an image.
unsafe fn image_loaded<F>(
    call: &Call<F>,
    container: CodeContainer,
    start: *const c_void,
    stays: bool,
) {
    // SAFETY: an image.
    match unsafe { linking::pieces_of(start) } {
        Some(pieces) => {
            call.hooks.code_loaded(container, CodeSource::Linked { start, pieces: &pieces });
        }
        None => call.hooks.code_loaded(container, CodeSource::Image { start, stays }),
    }
}

/// Calls the hook for a file that was loaded.
///
/// # Safety
/// `file` is null or a text.
unsafe fn file_loaded<F>(call: &Call<F>, container: CodeContainer, file: *const c_char) {
    if !file.is_null() {
        // SAFETY: not null, so it is a text.
        let name = unsafe { CStr::from_ptr(file) };
        let path = Path::new(OsStr::from_bytes(name.to_bytes()));
        call.hooks.code_loaded(container, CodeSource::File(path));
    }
}

unsafe fn load_file(
    call: Call<unsafe extern "C" fn(*mut CUmodule, *const c_char) -> CUresult>,
    module: *mut CUmodule,
    file: *const c_char,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = (call.real)(module, file);
        if let Some(module) = filled_by(answer, module) {
            file_loaded(&call, CodeContainer::Module(module), file);
        }
        answer
    }
}

unsafe fn load_image(
    call: Call<unsafe extern "C" fn(*mut CUmodule, *const c_void) -> CUresult>,
    module: *mut CUmodule,
    image: *const c_void,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = (call.real)(module, image);
        if let Some(module) = filled_by(answer, module) {
            image_loaded(&call, CodeContainer::Module(module), image, false);
        }
        answer
    }
}

unsafe fn load_image_with_options(
    call: Call<
        unsafe extern "C" fn(
            *mut CUmodule,
            *const c_void,
            c_uint,
            *mut CUjitOption,
            *mut *mut c_void,
        ) -> CUresult,
    >,
    module: *mut CUmodule,
    image: *const c_void,
    count: c_uint,
    options: *mut CUjitOption,
    values: *mut *mut c_void,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = (call.real)(module, image, count, options, values);
        if let Some(module) = filled_by(answer, module) {
            image_loaded(&call, CodeContainer::Module(module), image, false);
        }
        answer
    }
}

unsafe fn unload_module(
    call: Call<unsafe extern "C" fn(CUmodule) -> CUresult>,
    module: CUmodule,
) -> CUresult {
    call.hooks.code_unloads(CodeContainer::Module(module));
    // SAFETY: the program's own call.
    unsafe { (call.real)(module) }
}

type LoadLibrary<Code> = unsafe extern "C" fn(
    *mut CUlibrary,
    Code,
    *mut CUjitOption,
    *mut *mut c_void,
    c_uint,
    *mut CUlibraryOption,
    *mut *mut c_void,
    c_uint,
) -> CUresult;

/// What a library is loaded from.
trait LibraryCode: Copy {
    /// Calls the hook for a library that was loaded from this. The code may stay where it is.
    ///
    /// # Safety
    /// The driver has read it.
    unsafe fn loaded<F>(self, call: &Call<F>, library: CUlibrary, stays: bool);
}

/// An image in memory.
impl LibraryCode for *const c_void {
    unsafe fn loaded<F>(self, call: &Call<F>, library: CUlibrary, stays: bool) {
        // SAFETY: as the caller says.
        unsafe { image_loaded(call, CodeContainer::Library(library), self, stays) };
    }
}

/// The name of a file.
impl LibraryCode for *const c_char {
    unsafe fn loaded<F>(self, call: &Call<F>, library: CUlibrary, _: bool) {
        // SAFETY: as the caller says.
        unsafe { file_loaded(call, CodeContainer::Library(library), self) };
    }
}

#[allow(clippy::too_many_arguments)]
unsafe fn load_library<Code: LibraryCode>(
    call: Call<LoadLibrary<Code>>,
    library: *mut CUlibrary,
    code: Code,
    options: *mut CUjitOption,
    values: *mut *mut c_void,
    count: c_uint,
    library_options: *mut CUlibraryOption,
    library_values: *mut *mut c_void,
    library_count: c_uint,
) -> CUresult {
    // SAFETY: the program's own call, and what the driver has filled in.
    unsafe {
        let answer = (call.real)(
            library,
            code,
            options,
            values,
            count,
            library_options,
            library_values,
            library_count,
        );
        if let Some(library) = filled_by(answer, library) {
            let stays = is_preserved(library_options, library_values, library_count);
            code.loaded(&call, library, stays);
        }
        answer
    }
}

/// Whether the program promises that the code stays.
///
/// # Safety
/// Both lists are null or have so many entries.
unsafe fn is_preserved(
    options: *const CUlibraryOption,
    values: *const *mut c_void,
    count: c_uint,
) -> bool {
    if options.is_null() || values.is_null() {
        return false;
    }
    // SAFETY: so many entries in each.
    (0..count as usize).any(|index| unsafe {
        options.add(index).read() == BINARY_IS_PRESERVED && !values.add(index).read().is_null()
    })
}

unsafe fn unload_library(
    call: Call<unsafe extern "C" fn(CUlibrary) -> CUresult>,
    library: CUlibrary,
) -> CUresult {
    call.hooks.code_unloads(CodeContainer::Library(library));
    // SAFETY: the program's own call.
    unsafe { (call.real)(library) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_promise_that_code_stays_is_an_option_that_is_set() {
        let set = std::ptr::dangling_mut();
        let unset = std::ptr::null_mut();
        let check = |options: &[CUlibraryOption], values: &[*mut c_void]| {
            // SAFETY: lists of the same length.
            unsafe { is_preserved(options.as_ptr(), values.as_ptr(), options.len() as c_uint) }
        };
        assert!(check(&[CUlibraryOption(0), BINARY_IS_PRESERVED], &[unset, set]));
        assert!(!check(&[CUlibraryOption(0), BINARY_IS_PRESERVED], &[set, unset]));
        assert!(!check(&[], &[]));
        // SAFETY: nothing is read.
        assert!(!unsafe { is_preserved(std::ptr::null(), std::ptr::null(), 3) });
    }
}
