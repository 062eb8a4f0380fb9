//! Spin locks.

use std::ffi::c_int;

use super::order;
use crate::linker::behind;
use crate::site::with_site;

type Lock = *mut libc::pthread_spinlock_t;

mod real {
    use super::*;
    behind! {
        fn pthread_spin_lock(lock: Lock) -> c_int;
        fn pthread_spin_trylock(lock: Lock) -> c_int;
        fn pthread_spin_unlock(lock: Lock) -> c_int;
        fn pthread_spin_destroy(lock: Lock) -> c_int;
    }
}

unsafe extern "C-unwind" fn lock(lock: Lock, site: u64) -> c_int {
    // SAFETY: the same contract.
    let result = unsafe { real::pthread_spin_lock(lock) };
    if result == 0 {
        order::took(lock as u64, site);
    }
    result
}

unsafe extern "C-unwind" fn try_lock(lock: Lock, site: u64) -> c_int {
    // SAFETY: the same contract.
    let result = unsafe { real::pthread_spin_trylock(lock) };
    if result == 0 {
        order::took(lock as u64, site);
    }
    result
}

with_site! {
    pthread_spin_lock, "rsi" => lock;
    pthread_spin_trylock, "rsi" => try_lock;
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_spin_unlock(lock: Lock) -> c_int {
    order::gives_back(lock as u64);
    // SAFETY: the same contract.
    unsafe { real::pthread_spin_unlock(lock) }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_spin_destroy(lock: Lock) -> c_int {
    order::forget(lock as u64, 1);
    // SAFETY: the same contract.
    unsafe { real::pthread_spin_destroy(lock) }
}
