//! Functions of the libraries behind ours.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function of a library behind this one.
pub(super) struct Behind {
    name: &'static CStr,
    /// The version that programs use, where there are several.
    version: Option<&'static CStr>,
    address: AtomicPtr<c_void>,
}

impl Behind {
    pub(super) const fn new(name: &'static CStr) -> Behind {
        Behind { name, version: None, address: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// The same, of a version that libraries name.
    pub(super) const fn of_version(mut self, version: &'static CStr) -> Behind {
        self.version = Some(version);
        self
    }

    /// Its address; null where no library has it.
    pub(super) fn get(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        let mut found = std::ptr::null_mut();
        if let Some(version) = self.version {
            // SAFETY: both are C strings.
            found = unsafe { libc::dlvsym(libc::RTLD_NEXT, self.name.as_ptr(), version.as_ptr()) };
        }
        if found.is_null() {
            // SAFETY: the name is a C string.
            found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        }
        self.address.store(found, Ordering::Relaxed);
        found
    }
}
