//! Semaphores: a post is before the waits that come after it.

use std::ffi::c_int;

use super::mutexes::Time;
use super::order;
use crate::linker::behind;

type Semaphore = *mut libc::sem_t;

mod real {
    use super::*;
    behind! {
        fn sem_wait(semaphore: Semaphore) -> c_int;
        fn sem_trywait(semaphore: Semaphore) -> c_int;
        fn sem_timedwait(semaphore: Semaphore, time: Time) -> c_int;
        fn sem_clockwait(semaphore: Semaphore, clock: libc::clockid_t, time: Time) -> c_int;
        fn sem_post(semaphore: Semaphore) -> c_int;
        fn sem_destroy(semaphore: Semaphore) -> c_int;
    }
}

fn took_if(result: c_int, semaphore: Semaphore) -> c_int {
    if result == 0 {
        order::acquires(semaphore as u64);
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn sem_wait(semaphore: Semaphore) -> c_int {
    // SAFETY: the same contract.
    took_if(unsafe { real::sem_wait(semaphore) }, semaphore)
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn sem_trywait(semaphore: Semaphore) -> c_int {
    // SAFETY: the same contract.
    took_if(unsafe { real::sem_trywait(semaphore) }, semaphore)
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn sem_timedwait(semaphore: Semaphore, time: Time) -> c_int {
    // SAFETY: the same contract.
    took_if(unsafe { real::sem_timedwait(semaphore, time) }, semaphore)
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn sem_clockwait(
    semaphore: Semaphore,
    clock: libc::clockid_t,
    time: Time,
) -> c_int {
    // SAFETY: the same contract.
    took_if(unsafe { real::sem_clockwait(semaphore, clock, time) }, semaphore)
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn sem_post(semaphore: Semaphore) -> c_int {
    order::releases(semaphore as u64);
    // SAFETY: the same contract.
    unsafe { real::sem_post(semaphore) }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn sem_destroy(semaphore: Semaphore) -> c_int {
    order::forget(semaphore as u64, 1);
    // SAFETY: the same contract.
    unsafe { real::sem_destroy(semaphore) }
}
