//! Threads of C11. The C library has them beside those of POSIX, and does not go through these.

use std::ffi::{c_int, c_void};

use super::conditions::Waits;
use super::mutexes::{Mutex, Time, before_unlock};
use super::once::{Control, Routine, once};
use super::order;
use super::threads::{Start, detach_by, join_by};
use crate::linker::behind;
use crate::site::with_site;

type Handle = libc::pthread_t;
type Main = extern "C-unwind" fn(*mut c_void) -> c_int;
type Condition = *mut c_void;

const SUCCESS: c_int = 0;

mod real {
    use super::*;
    behind! {
        fn thrd_create(handle: *mut Handle, main: Main, argument: *mut c_void) -> c_int;
        fn thrd_join(handle: Handle, result: *mut c_int) -> c_int;
        fn thrd_detach(handle: Handle) -> c_int;
        fn mtx_lock(mutex: Mutex) -> c_int;
        fn mtx_trylock(mutex: Mutex) -> c_int;
        fn mtx_timedlock(mutex: Mutex, time: Time) -> c_int;
        fn mtx_unlock(mutex: Mutex) -> c_int;
        fn mtx_destroy(mutex: Mutex);
        fn cnd_wait(condition: Condition, mutex: Mutex) -> c_int;
        fn cnd_timedwait(condition: Condition, mutex: Mutex, time: Time) -> c_int;
        fn call_once(control: Control, routine: Routine);
    }
}

extern "C-unwind" fn run(start: *mut c_void) -> c_int {
    // SAFETY: `create` has passed it.
    let (main, argument) = unsafe { Start::<Main>::begin(start) };
    main(argument)
}

unsafe extern "C-unwind" fn create(
    handle: *mut Handle,
    main: Main,
    argument: *mut c_void,
    site: u64,
) -> c_int {
    let Some(starting) = Start::prepare(main, argument, false, site) else {
        // SAFETY: the same contract.
        return unsafe { real::thrd_create(handle, main, argument) };
    };
    let mut new = 0;
    // SAFETY: the same contract; a failed call has started nothing.
    unsafe {
        let result = real::thrd_create(&raw mut new, run, starting.start.cast());
        if result == SUCCESS {
            handle.write(new);
        }
        starting.end((result == SUCCESS).then_some(new));
        result
    }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn thrd_join(handle: Handle, result: *mut c_int) -> c_int {
    // SAFETY: the same contract.
    join_by(handle, || unsafe { real::thrd_join(handle, result) })
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn thrd_detach(handle: Handle) -> c_int {
    // SAFETY: the same contract.
    detach_by(handle, || unsafe { real::thrd_detach(handle) })
}

fn took_if(result: c_int, mutex: Mutex, site: u64) -> c_int {
    if result == SUCCESS {
        order::took(mutex as u64, site);
    }
    result
}

unsafe extern "C-unwind" fn lock(mutex: Mutex, site: u64) -> c_int {
    // SAFETY: the same contract.
    took_if(unsafe { real::mtx_lock(mutex) }, mutex, site)
}

unsafe extern "C-unwind" fn try_lock(mutex: Mutex, site: u64) -> c_int {
    // SAFETY: the same contract.
    took_if(unsafe { real::mtx_trylock(mutex) }, mutex, site)
}

unsafe extern "C-unwind" fn timed_lock(mutex: Mutex, time: Time, site: u64) -> c_int {
    // SAFETY: the same contract.
    took_if(unsafe { real::mtx_timedlock(mutex, time) }, mutex, site)
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn mtx_unlock(mutex: Mutex) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        before_unlock(mutex);
        real::mtx_unlock(mutex)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn mtx_destroy(mutex: Mutex) {
    order::forget(mutex as u64, 1);
    // SAFETY: the same contract.
    unsafe { real::mtx_destroy(mutex) }
}

unsafe extern "C-unwind" fn wait(condition: Condition, mutex: Mutex, site: u64) -> c_int {
    // SAFETY: the same contract.
    unsafe {
        let _waits = Waits::begin(mutex, site);
        real::cnd_wait(condition, mutex)
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
        real::cnd_timedwait(condition, mutex, time)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn call_once(control: Control, routine: Routine) {
    once(control, routine, |routine| {
        // SAFETY: the same contract.
        unsafe { real::call_once(control, routine) };
        0
    });
}

with_site! {
    thrd_create, "rcx" => create;
    mtx_lock, "rsi" => lock;
    mtx_trylock, "rsi" => try_lock;
    mtx_timedlock, "rdx" => timed_lock;
    cnd_wait, "rdx" => wait;
    cnd_timedwait, "rcx" => timed_wait;
}
