//! Condition variables.
//!
//! Those who wait are woken in the order in which they came. A condition variable that processes share is left to the C
//! library, since another process may signal it.

use super::{Deadline, NEVER, locks, real};
use std::ffi::{c_int, c_void};
use warpsan_runtime::host_threads::{
    Blocked, Object, Operation, Turn, is_shared, set_shared, take_turn,
};

/// # Safety
/// That of `pthread_cond_timedwait`.
unsafe fn wait(
    mut turn: Turn,
    condition: *mut c_void,
    mutex: *mut c_void,
    deadline: Option<Deadline>,
) -> c_int {
    if let Err(libc::EINVAL) = Deadline::look(deadline, NEVER) {
        return libc::EINVAL;
    }
    // SAFETY: the caller holds the mutex.
    let answer = unsafe { locks::give_back(&turn, mutex, real::mutex_unlock) };
    if answer != 0 {
        return answer;
    }
    let object = Object::Condition(condition.addr());
    let answer = loop {
        let look = match Deadline::look(deadline, NEVER) {
            Ok(look) => look,
            Err(error) => break error,
        };
        match turn.block(object, look) {
            Blocked::Woken => {
                turn.acquire(object);
                break 0;
            }
            Blocked::Cancelled => break libc::ECANCELED,
            Blocked::LookAgain => {}
        }
    };
    // SAFETY: passed on.
    let locked = unsafe { locks::take_mutex(&mut turn, mutex) };
    drop(turn);
    if answer == libc::ECANCELED {
        // SAFETY: nothing of ours has to be undone. It does not return where the thread can be cancelled.
        unsafe { real::testcancel() };
        return locked;
    }
    if answer == 0 { locked } else { answer }
}

macro_rules! waits {
    ($($name:ident($($argument:ident: $type:ty),*), until $deadline:expr, natively $natively:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(condition: *mut c_void, mutex: *mut c_void, $($argument: $type),*) -> c_int {
            let turn = take_turn(Operation::Synchronise);
            match turn {
                Some(mut turn) if is_shared(condition.addr()) => {
                    // SAFETY: the same contract.
                    turn.outside(|| unsafe { real::$natively(condition, mutex, $($argument),*) })
                }
                // SAFETY: the same contract.
                Some(turn) => unsafe { wait(turn, condition, mutex, $deadline) },
                // SAFETY: the same contract.
                None => unsafe { real::$natively(condition, mutex, $($argument),*) },
            }
        }
    )*};
}

type Time = *const libc::timespec;

waits! {
    pthread_cond_wait(), until None, natively cond_wait;
    pthread_cond_timedwait(time: Time), until Some(Deadline::new(libc::CLOCK_REALTIME, time)), natively cond_timedwait;
    pthread_cond_clockwait(clock: libc::clockid_t, time: Time), until Some(Deadline::new(clock, time)), natively cond_clockwait;
}

/// Functions that wake one thread, or all.
macro_rules! signals {
    ($($name:ident, all $all:literal, natively $natively:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(condition: *mut c_void) -> c_int {
            if let Some(turn) = take_turn(Operation::Synchronise) {
                let object = Object::Condition(condition.addr());
                turn.release(object);
                turn.wake(object, $all);
            }
            // Threads that came before threads took turns wait natively.
            // SAFETY: the same contract.
            unsafe { real::$natively(condition) }
        }
    )*};
}

signals! {
    pthread_cond_signal, all false, natively cond_signal;
    pthread_cond_broadcast, all true, natively cond_broadcast;
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_cond_init(
    condition: *mut c_void,
    attributes: *const c_void,
) -> c_int {
    let mut shared = libc::PTHREAD_PROCESS_PRIVATE;
    if !attributes.is_null() {
        // SAFETY: the program passes attributes, and the other place is our own.
        unsafe { libc::pthread_condattr_getpshared(attributes.cast(), &mut shared) };
    }
    set_shared(condition.addr(), shared == libc::PTHREAD_PROCESS_SHARED);
    // SAFETY: the same contract.
    unsafe { real::cond_init(condition, attributes) }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_cond_destroy(condition: *mut c_void) -> c_int {
    if let Some(turn) = take_turn(Operation::Synchronise) {
        turn.forget(Object::Condition(condition.addr()));
    }
    // SAFETY: the same contract.
    unsafe { real::cond_destroy(condition) }
}
