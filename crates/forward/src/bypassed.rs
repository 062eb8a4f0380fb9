//! Programs that go past us: they open the driver by its path, and so get the real one.

use crate::chosen::is_chosen;
use crate::driver::is_open;
use std::ffi::{CStr, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use warpsan_gpu::is_genuine_driver;
use warpsan_runtime::gpu_process;

/// At the end of a process that runs on its GPU: if it has a driver and has never asked us for one, then what it
/// did with it was not seen.
pub fn note_at_exit() {
    if is_chosen() && !is_open() {
        for driver in loaded_drivers() {
            gpu_process::bypassed(&driver);
        }
    }
}

/// The files of real drivers that are loaded.
fn loaded_drivers() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Vec::new();
    // SAFETY: the function gets the list that it is for, and is done when this returns.
    unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut files).cast()) };
    let is_driver = |file: &Path| {
        let name = file.file_name().unwrap_or_default().as_bytes();
        name.starts_with(b"libcuda.so")
    };
    files.retain(|file| is_driver(file) && is_genuine_driver(file));
    files
}

unsafe extern "C" fn collect(
    object: *mut libc::dl_phdr_info,
    _bytes: usize,
    files: *mut c_void,
) -> c_int {
    // SAFETY: the dynamic linker passes an object, and the list is the caller's.
    unsafe {
        let name = (*object).dlpi_name;
        if !name.is_null() {
            let name = OsStr::from_bytes(CStr::from_ptr(name).to_bytes());
            (*files.cast::<Vec<PathBuf>>()).push(PathBuf::from(name));
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loaded_libraries_are_found_and_none_is_a_driver() {
        let mut files: Vec<PathBuf> = Vec::new();
        // SAFETY: a list of our own.
        unsafe { libc::dl_iterate_phdr(Some(collect), (&raw mut files).cast()) };
        assert!(files.iter().any(|file| file.to_string_lossy().contains("libc.so")), "{files:?}");
        assert!(loaded_drivers().is_empty());
    }
}
