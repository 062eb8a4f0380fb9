//! Fibers: threads of execution that a program switches between by itself. Each is a thread to us.

use std::ffi::{CStr, c_char, c_uint, c_void};

use crate::lock::locked;
use crate::registry::Beginning;
use crate::thread::{Thread, current, entered, make, set_current};

/// The switch orders nothing.
const NO_SYNC: c_uint = 1;

#[unsafe(no_mangle)]
extern "C" fn __tsan_get_current_fiber() -> *mut c_void {
    drop(entered());
    current().cast()
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_create_fiber(_flags: c_uint) -> *mut c_void {
    let Some(mut thread) = entered() else { return std::ptr::null_mut() };
    let runtime = thread.runtime;
    let Ok((new, joining)) = thread.start_another(0) else { return std::ptr::null_mut() };
    let beginning = Beginning {
        started_by: Some(thread.info.number),
        started_at: thread.stack.context(),
        joining,
    };
    make(runtime, new, &beginning).unwrap_or(std::ptr::null_mut()).cast()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_destroy_fiber(fiber: *mut c_void) {
    let fiber = fiber.cast::<Thread>();
    if !fiber.is_null() && fiber != current() {
        // SAFETY: it is from `__tsan_create_fiber`, and the program uses it no more.
        unsafe { crate::thread_end::end_fiber(fiber) };
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_switch_to_fiber(fiber: *mut c_void, flags: c_uint) {
    let fiber = fiber.cast::<Thread>();
    if fiber.is_null() || fiber == current() {
        return;
    }
    let orders = flags & NO_SYNC == 0;
    let Some(mut before) = entered() else { return };
    if orders {
        before.post_at(fiber as u64);
    }
    drop(before);
    set_current(fiber);
    if let (true, Some(mut after)) = (orders, entered()) {
        after.acquire_at(fiber as u64, 0);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_set_fiber_name(fiber: *mut c_void, name: *const c_char) {
    // SAFETY: the program passes a fiber and a text.
    unsafe {
        if let Some(fiber) = fiber.cast::<Thread>().as_ref() {
            let name = CStr::from_ptr(name).to_string_lossy().into_owned();
            locked(&fiber.info.details).name = Some(name);
        }
    }
}
