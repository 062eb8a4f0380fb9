//! Functions of the libraries behind ours.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// Some functions that old programs call are found by this version alone.
const OLDEST: &CStr = c"GLIBC_2.2.5";

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

    /// Its name.
    #[cfg(test)]
    pub(super) fn name(&self) -> &'static CStr {
        self.name
    }

    /// Its address; null where no library has it.
    pub(super) fn get(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        let versions = [self.version, None, Some(OLDEST)].into_iter();
        let mut found = versions.map(|version| self.find(version));
        let found = found.find(|found| !found.is_null()).unwrap_or(std::ptr::null_mut());
        self.address.store(found, Ordering::Relaxed);
        found
    }

    fn find(&self, version: Option<&CStr>) -> *mut c_void {
        let name = self.name.as_ptr();
        match version {
            // SAFETY: both are C strings.
            Some(version) => unsafe { libc::dlvsym(libc::RTLD_NEXT, name, version.as_ptr()) },
            // SAFETY: the name is a C string.
            None => unsafe { libc::dlsym(libc::RTLD_NEXT, name) },
        }
    }
}
