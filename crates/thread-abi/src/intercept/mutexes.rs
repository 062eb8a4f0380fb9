//! Mutexes.

use std::ffi::c_int;

use super::order;
use crate::linker::behind;
use crate::own_code;
use crate::site::with_site;

pub(super) type Mutex = *mut libc::pthread_mutex_t;
pub(super) type Time = *const libc::timespec;

mod real {
    use super::*;
    behind! {
        fn pthread_mutex_lock(mutex: Mutex) -> c_int;
        fn pthread_mutex_trylock(mutex: Mutex) -> c_int;
        fn pthread_mutex_timedlock(mutex: Mutex, time: Time) -> c_int;
        fn pthread_mutex_clocklock(mutex: Mutex, clock: libc::clockid_t, time: Time) -> c_int;
        fn pthread_mutex_unlock(mutex: Mutex) -> c_int;
        fn pthread_mutex_destroy(mutex: Mutex) -> c_int;
    }
}

/// A mutex is taken if the call says so; that of an owner who has died, too.
fn took_if(result: c_int, mutex: Mutex, site: u64) -> c_int {
    let is_taken = result == 0 || result == libc::EOWNERDEAD;
    // The library behind us makes mutexes of POSIX of those of C11, which come by themselves.
    if is_taken && !own_code::contains(site) {
        order::took(mutex as u64, site);
    }
    result
}

unsafe extern "C-unwind" fn lock(mutex: Mutex, site: u64) -> c_int {
    // SAFETY: the same contract.
    took_if(unsafe { real::pthread_mutex_lock(mutex) }, mutex, site)
}

unsafe extern "C-unwind" fn try_lock(mutex: Mutex, site: u64) -> c_int {
    // SAFETY: the same contract.
    took_if(unsafe { real::pthread_mutex_trylock(mutex) }, mutex, site)
}

unsafe extern "C-unwind" fn timed_lock(mutex: Mutex, time: Time, site: u64) -> c_int {
    // SAFETY: the same contract.
    took_if(unsafe { real::pthread_mutex_timedlock(mutex, time) }, mutex, site)
}

unsafe extern "C-unwind" fn clock_lock(
    mutex: Mutex,
    clock: libc::clockid_t,
    time: Time,
    site: u64,
) -> c_int {
    // SAFETY: the same contract.
    took_if(unsafe { real::pthread_mutex_clocklock(mutex, clock, time) }, mutex, site)
}

/// Whether the C library may refuse to unlock a mutex of this type: then nothing of it may be overwritten before.
///
/// # Safety
///
/// It is a mutex.
unsafe fn may_refuse(mutex: Mutex) -> bool {
    /// Where glibc keeps the type.
    const KIND: usize = 16;
    // SAFETY: the caller's promise.
    unsafe { mutex.cast::<u8>().add(KIND).cast::<c_int>().read() != 0 }
}

/// What is to be done before a mutex is given back.
///
/// # Safety
///
/// It is a mutex.
pub(super) unsafe fn before_unlock(mutex: Mutex) {
    // SAFETY: the caller's promise.
    if unsafe { may_refuse(mutex) } {
        order::may_give_back(mutex as u64);
    } else {
        order::gives_back(mutex as u64);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_mutex_unlock(mutex: Mutex) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        before_unlock(mutex);
        real::pthread_mutex_unlock(mutex)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_mutex_destroy(mutex: Mutex) -> c_int {
    // SAFETY: the same contract.
    let result = unsafe { real::pthread_mutex_destroy(mutex) };
    if result == 0 {
        order::forget(mutex as u64, 1);
    }
    result
}

with_site! {
    pthread_mutex_lock, "rsi" => lock;
    __pthread_mutex_lock, "rsi" => lock;
    pthread_mutex_trylock, "rsi" => try_lock;
    pthread_mutex_timedlock, "rdx" => timed_lock;
    pthread_mutex_clocklock, "rcx" => clock_lock;
}
