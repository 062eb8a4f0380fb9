//! Threads that the C library makes for itself, to call functions of the program: we see them when they come to us first.
//! What was done before they were asked for is before all that they do.

use std::ffi::{c_int, c_void};

use crate::linker::behind;
use crate::thread::entered;

mod real {
    use super::*;
    behind! {
        fn timer_create(clock: libc::clockid_t, event: *mut c_void, timer: *mut c_void) -> c_int;
        fn timer_settime(timer: *mut c_void, flags: c_int, new: *const c_void, old: *mut c_void) -> c_int;
        fn mq_notify(queue: c_int, event: *const c_void) -> c_int;
    }
}

fn asks() {
    if let Some(mut thread) = entered() {
        let runtime = thread.runtime;
        thread.post_to(&runtime.foreign_threads);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn timer_create(
    clock: libc::clockid_t,
    event: *mut c_void,
    timer: *mut c_void,
) -> c_int {
    asks();
    // SAFETY: the same contract.
    unsafe { real::timer_create(clock, event, timer) }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn timer_settime(
    timer: *mut c_void,
    flags: c_int,
    new: *const c_void,
    old: *mut c_void,
) -> c_int {
    asks();
    // SAFETY: the same contract.
    unsafe { real::timer_settime(timer, flags, new, old) }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn mq_notify(queue: c_int, event: *const c_void) -> c_int {
    asks();
    // SAFETY: the same contract.
    unsafe { real::mq_notify(queue, event) }
}
