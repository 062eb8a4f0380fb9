//! Variables of C++ functions that are initialised once.
//!
//! Compilers read the guard with an atomic load that acquires, and come here only while it is not set. The guard's clock is that of its
//! address, so such a load is behind the release here.
//!
//! Guards are ours as a whole: a program that has the C++ library in it has none behind us. Their bits are as the library of gcc has them,
//! for code that does not come by here.

use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, Ordering};

use super::order;
use crate::system;

/// The variable is initialised. It is the bit that compilers read.
const DONE: u32 = 1;
/// A thread initialises it.
const BEGUN: u32 = 1 << 8;
/// Others wait for that.
const AWAITED: u32 = 1 << 16;

/// # Safety
///
/// It is a guard, which lives as long as the program.
unsafe fn word<'a>(guard: *mut u64) -> &'a AtomicU32 {
    // SAFETY: the caller's promise.
    unsafe { AtomicU32::from_ptr(guard.cast()) }
}

/// Whether the caller has to initialise the variable. Waits while another thread does.
fn takes(guard: &AtomicU32) -> bool {
    loop {
        match guard.compare_exchange(0, BEGUN, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return true,
            Err(seen) if seen & DONE != 0 => return false,
            Err(seen) => {
                let awaited = seen | AWAITED;
                let said =
                    guard.compare_exchange(seen, awaited, Ordering::AcqRel, Ordering::Acquire);
                if said.is_ok() {
                    system::wait_while(guard, awaited);
                }
            }
        }
    }
}

/// The variable is initialised, or is not after all.
fn gives_back(guard: &AtomicU32, new: u32) {
    if guard.swap(new, Ordering::AcqRel) & AWAITED != 0 {
        system::wake_all(guard);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn __cxa_guard_acquire(guard: *mut u64) -> c_int {
    // SAFETY: the same contract.
    let result = takes(unsafe { word(guard) });
    order::acquires(guard as u64);
    c_int::from(result)
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn __cxa_guard_release(guard: *mut u64) {
    order::releases(guard as u64);
    // SAFETY: the same contract.
    gives_back(unsafe { word(guard) }, DONE);
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn __cxa_guard_abort(guard: *mut u64) {
    order::releases(guard as u64);
    // SAFETY: the same contract.
    gives_back(unsafe { word(guard) }, 0);
}
