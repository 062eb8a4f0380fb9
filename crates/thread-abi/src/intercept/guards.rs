//! Variables of C++ functions that are initialised once.
//!
//! Compilers read the guard with an atomic load that acquires, and come here only while it is not set. The guard's clock is that of its
//! address, so such a load is behind the release here.

use std::ffi::c_int;

use super::order;
use crate::linker::behind;

mod real {
    use super::*;
    behind! {
        fn __cxa_guard_acquire(guard: *mut u64) -> c_int;
        fn __cxa_guard_release(guard: *mut u64);
        fn __cxa_guard_abort(guard: *mut u64);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn __cxa_guard_acquire(guard: *mut u64) -> c_int {
    // SAFETY: the same contract.
    let result = unsafe { real::__cxa_guard_acquire(guard) };
    order::acquires(guard as u64);
    result
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn __cxa_guard_release(guard: *mut u64) {
    order::releases(guard as u64);
    // SAFETY: the same contract.
    unsafe { real::__cxa_guard_release(guard) }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn __cxa_guard_abort(guard: *mut u64) {
    order::releases(guard as u64);
    // SAFETY: the same contract.
    unsafe { real::__cxa_guard_abort(guard) }
}
