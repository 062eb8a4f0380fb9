//! Functions of the libraries behind ours.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function of a library behind this one.
pub(super) struct Behind {
    name: &'static CStr,
    address: AtomicPtr<c_void>,
}

impl Behind {
    pub(super) const fn new(name: &'static CStr) -> Behind {
        Behind { name, address: AtomicPtr::new(std::ptr::null_mut()) }
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
        // SAFETY: the name is a C string.
        let mut found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        if found.is_null() {
            // Some that old programs call are found by their version alone.
            let oldest = c"GLIBC_2.2.5".as_ptr();
            // SAFETY: both are C strings.
            found = unsafe { libc::dlvsym(libc::RTLD_NEXT, self.name.as_ptr(), oldest) };
        }
        self.address.store(found, Ordering::Relaxed);
        found
    }
}
