//! Condition variables: while a thread waits, its mutex is given back.
//!
//! A signal orders nothing by itself; the mutex does.

use std::ffi::c_int;

use super::mutexes::{Mutex, Time, before_unlock};
use super::order;
use crate::linker::behind;
use crate::site::with_site;

type Condition = *mut libc::pthread_cond_t;

mod real {
    use super::*;
    behind! {
        fn pthread_cond_wait(condition: Condition, mutex: Mutex) -> c_int;
        fn pthread_cond_timedwait(condition: Condition, mutex: Mutex, time: Time) -> c_int;
        fn pthread_cond_clockwait(condition: Condition, mutex: Mutex, clock: libc::clockid_t, time: Time) -> c_int;
    }
}

/// The mutex is taken again when the wait ends, also where it ends because the thread is cancelled.
pub(super) struct Waits {
    mutex: Mutex,
    site: u64,
}

impl Waits {
    /// # Safety
    ///
    /// The caller holds the mutex.
    pub(super) unsafe fn begin(mutex: Mutex, site: u64) -> Waits {
        // SAFETY: the caller's promise.
        unsafe { before_unlock(mutex) };
        Waits { mutex, site }
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        order::took(self.mutex as u64, self.site);
    }
}

unsafe extern "C-unwind" fn wait(condition: Condition, mutex: Mutex, site: u64) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        let _waits = Waits::begin(mutex, site);
        real::pthread_cond_wait(condition, mutex)
    }
}

unsafe extern "C-unwind" fn timed_wait(
    condition: Condition,
    mutex: Mutex,
    time: Time,
    site: u64,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        let _waits = Waits::begin(mutex, site);
        real::pthread_cond_timedwait(condition, mutex, time)
    }
}

unsafe extern "C-unwind" fn clock_wait(
    condition: Condition,
    mutex: Mutex,
    clock: libc::clockid_t,
    time: Time,
    site: u64,
) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        let _waits = Waits::begin(mutex, site);
        real::pthread_cond_clockwait(condition, mutex, clock, time)
    }
}

with_site! {
    pthread_cond_wait, "rdx" => wait;
    pthread_cond_timedwait, "rcx" => timed_wait;
    pthread_cond_clockwait, "r8" => clock_wait;
}
