//! Locks for readers and writers.

use std::ffi::c_int;

use super::mutexes::Time;
use super::order;
use crate::linker::behind;
use crate::site::with_site;

type Lock = *mut libc::pthread_rwlock_t;

mod real {
    use super::*;
    behind! {
        fn pthread_rwlock_rdlock(lock: Lock) -> c_int;
        fn pthread_rwlock_wrlock(lock: Lock) -> c_int;
        fn pthread_rwlock_tryrdlock(lock: Lock) -> c_int;
        fn pthread_rwlock_trywrlock(lock: Lock) -> c_int;
        fn pthread_rwlock_timedrdlock(lock: Lock, time: Time) -> c_int;
        fn pthread_rwlock_timedwrlock(lock: Lock, time: Time) -> c_int;
        fn pthread_rwlock_clockrdlock(lock: Lock, clock: libc::clockid_t, time: Time) -> c_int;
        fn pthread_rwlock_clockwrlock(lock: Lock, clock: libc::clockid_t, time: Time) -> c_int;
        fn pthread_rwlock_unlock(lock: Lock) -> c_int;
        fn pthread_rwlock_destroy(lock: Lock) -> c_int;
    }
}

/// Functions that take the lock: for writing or not.
macro_rules! take {
    ($($name:ident($($argument:ident: $type:ty),*), exclusive $exclusive:literal => $real:ident;)*) => {$(
        unsafe extern "C-unwind" fn $name(lock: Lock, $($argument: $type,)* site: u64) -> c_int {
            // SAFETY: the same contract.
            let result = unsafe { real::$real(lock, $($argument),*) };
            if result == 0 {
                order::took_read_write(lock as u64, $exclusive, site);
            }
            result
        }
    )*};
}

take! {
    read_lock(), exclusive false => pthread_rwlock_rdlock;
    write_lock(), exclusive true => pthread_rwlock_wrlock;
    try_read_lock(), exclusive false => pthread_rwlock_tryrdlock;
    try_write_lock(), exclusive true => pthread_rwlock_trywrlock;
    timed_read_lock(time: Time), exclusive false => pthread_rwlock_timedrdlock;
    timed_write_lock(time: Time), exclusive true => pthread_rwlock_timedwrlock;
    clock_read_lock(clock: libc::clockid_t, time: Time), exclusive false => pthread_rwlock_clockrdlock;
    clock_write_lock(clock: libc::clockid_t, time: Time), exclusive true => pthread_rwlock_clockwrlock;
}

with_site! {
    pthread_rwlock_rdlock, "rsi" => read_lock;
    pthread_rwlock_wrlock, "rsi" => write_lock;
    pthread_rwlock_tryrdlock, "rsi" => try_read_lock;
    pthread_rwlock_trywrlock, "rsi" => try_write_lock;
    pthread_rwlock_timedrdlock, "rdx" => timed_read_lock;
    pthread_rwlock_timedwrlock, "rdx" => timed_write_lock;
    pthread_rwlock_clockrdlock, "rcx" => clock_read_lock;
    pthread_rwlock_clockwrlock, "rcx" => clock_write_lock;
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_rwlock_unlock(lock: Lock) -> c_int {
    order::gives_back_read_write(lock as u64, order::holds_for_writing(lock as u64));
    // SAFETY: the same contract.
    unsafe { real::pthread_rwlock_unlock(lock) }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_rwlock_destroy(lock: Lock) -> c_int {
    order::forget(lock as u64, 1);
    // SAFETY: the same contract.
    unsafe { real::pthread_rwlock_destroy(lock) }
}
