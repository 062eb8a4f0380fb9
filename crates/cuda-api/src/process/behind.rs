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

    /// Its address; null where no library has it.
    pub(super) fn get(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: the name is a C string.
        let found = unsafe { libc::dlsym(libc::RTLD_NEXT, self.name.as_ptr()) };
        self.address.store(found, Ordering::Relaxed);
        found
    }
}
