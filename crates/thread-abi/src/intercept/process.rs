//! Beginnings and ends of processes, and libraries that are closed.

use std::ffi::{c_int, c_void};

use crate::linker::behind;
use crate::modules;
use crate::runtime::runtime;
use crate::thread::{current, entered};

mod real {
    use super::*;
    behind! {
        fn _exit(code: c_int) -> !;
        fn dlclose(library: *mut c_void) -> c_int;
        fn __cxa_atexit(function: ExitFunction, argument: *mut c_void, object: *mut c_void) -> c_int;
    }
}

/// A child that shares our memory could not be checked: it gets a copy.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn vfork() -> c_int {
    // SAFETY: `fork` may be used wherever `vfork` is.
    unsafe { libc::fork() }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn _exit(code: c_int) -> ! {
    crate::end::write();
    // SAFETY: the same contract.
    unsafe { real::_exit(code) }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn _Exit(code: c_int) -> ! {
    // SAFETY: the same contract.
    unsafe { _exit(code) }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn dlclose(library: *mut c_void) -> c_int {
    // Its code may be in a stack that is reported later.
    if let Some(thread) = entered() {
        modules::look_again();
        drop(thread);
    }
    // SAFETY: the same contract.
    unsafe { real::dlclose(library) }
}

type ExitFunction = unsafe extern "C-unwind" fn(*mut c_void);

/// A function that runs at the end of the process.
struct AtExit {
    function: ExitFunction,
    argument: *mut c_void,
}

/// Whoever ends the process, what a thread did before it registered a function is before that function.
unsafe extern "C-unwind" fn run_at_exit(registered: *mut c_void) {
    // SAFETY: it was registered once, below.
    let AtExit { function, argument } = *unsafe { Box::from_raw(registered.cast::<AtExit>()) };
    if let Some(mut thread) = entered() {
        let runtime = thread.runtime;
        thread.acquire_from(&runtime.exit_functions);
    }
    // SAFETY: the program has registered it.
    unsafe { function(argument) }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn __cxa_atexit(
    function: ExitFunction,
    argument: *mut c_void,
    object: *mut c_void,
) -> c_int {
    if current().is_null() || runtime().is_none() {
        // SAFETY: the same contract.
        return unsafe { real::__cxa_atexit(function, argument, object) };
    }
    let registered = {
        let Some(mut thread) = entered() else {
            // SAFETY: the same contract.
            return unsafe { real::__cxa_atexit(function, argument, object) };
        };
        let runtime = thread.runtime;
        thread.post_to(&runtime.exit_functions);
        Box::into_raw(Box::new(AtExit { function, argument }))
    };
    // SAFETY: the same contract.
    unsafe { real::__cxa_atexit(run_at_exit, registered.cast(), object) }
}

/// The C library has it in every program, and not in itself; the compilers' runtimes export it.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn atexit(function: extern "C-unwind" fn()) -> c_int {
    unsafe extern "C-unwind" fn call(function: *mut c_void) {
        // SAFETY: it was passed below.
        let function: extern "C-unwind" fn() = unsafe { std::mem::transmute(function) };
        function();
    }
    // SAFETY: the same contract.
    unsafe { __cxa_atexit(call, function as *mut c_void, std::ptr::null_mut()) }
}
