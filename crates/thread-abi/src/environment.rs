//! What the command has put into the environment.

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicPtr, Ordering};

use warpsan_thread_report::{OPTIONS_VARIABLE, Options};

use crate::system::complain;

/// The environment as the kernel has passed it. The C library's own pointer to it is not set yet when our constructor runs.
static ENVIRONMENT: AtomicPtr<*const c_char> = AtomicPtr::new(std::ptr::null_mut());

/// The environment is this one.
pub(crate) fn set(environment: *mut *const c_char) {
    ENVIRONMENT.store(environment, Ordering::Relaxed);
}

/// A variable of the environment that the process was started with.
pub(crate) fn variable(name: &str) -> Option<&'static str> {
    let mut entry = ENVIRONMENT.load(Ordering::Relaxed);
    if entry.is_null() {
        return None;
    }
    loop {
        // SAFETY: the environment is a list of texts that ends with null.
        let text = unsafe { entry.read() };
        if text.is_null() {
            return None;
        }
        // SAFETY: as above.
        let text = unsafe { CStr::from_ptr(text) }.to_str();
        let value = text.ok().and_then(|text| text.strip_prefix(name)?.strip_prefix('='));
        if value.is_some() {
            return value;
        }
        // SAFETY: the entry was not the last.
        entry = unsafe { entry.add(1) };
    }
}

/// How to check.
pub(crate) fn options() -> Options {
    let Some(text) = variable(OPTIONS_VARIABLE) else { return Options::default() };
    match serde_json::from_str(text) {
        Ok(options) => options,
        Err(error) => {
            complain(&format!(
                "warpsan: {OPTIONS_VARIABLE} cannot be read, so its defaults are used: {error}\n"
            ));
            Options::default()
        }
    }
}
