//! A function that is called at the end of each thread.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

thread_local! {
    static HAS_ENDED: Cell<bool> = const { Cell::new(false) };
}

/// The key whose destructor runs when a thread ends, and one more; 0 before there is one.
static KEY: AtomicU32 = AtomicU32::new(0);

/// Whether this thread's end has come: what its last destructors do is not checked.
pub(crate) fn has_ended() -> bool {
    HAS_ENDED.get()
}

/// This thread's end has come.
pub(crate) fn set_ended() {
    HAS_ENDED.set(true);
}

/// This is the function. Called once.
pub(crate) fn set(function: unsafe extern "C" fn(*mut c_void)) {
    let mut key = 0;
    // SAFETY: the place is our own, and the function stays.
    if unsafe { libc::pthread_key_create(&mut key, Some(function)) } == 0 {
        KEY.store(key + 1, Ordering::Release);
    }
}

/// Has it called at the end of the calling thread.
pub(crate) fn call_at_end() {
    if let Some(key) = KEY.load(Ordering::Acquire).checked_sub(1) {
        // SAFETY: the key is ours; the value is only looked at for not being null.
        unsafe { libc::pthread_setspecific(key, std::ptr::dangling::<u8>().cast()) };
    }
}
