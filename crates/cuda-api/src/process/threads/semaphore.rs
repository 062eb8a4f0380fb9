//! Semaphores.

use super::{Deadline, LOOK, real};
use std::ffi::{c_int, c_void};
use warpsan_runtime::host_threads::{Blocked, Object, Operation, Turn, take_turn};

fn fail(error: c_int) -> c_int {
    // SAFETY: the place of `errno` is there for every thread.
    unsafe { *libc::__errno_location() = error };
    -1
}

fn last_error() -> c_int {
    // SAFETY: the place of `errno` is there for every thread.
    unsafe { *libc::__errno_location() }
}

/// # Safety
/// `semaphore` is one.
unsafe fn wait(mut turn: Turn, semaphore: *mut c_void, deadline: Option<Deadline>) -> c_int {
    let object = Object::Semaphore(semaphore.addr());
    loop {
        // SAFETY: passed on.
        let answer = unsafe { real::sem_trywait(semaphore) };
        if answer == 0 {
            turn.acquire(object);
        }
        if answer == 0 || last_error() != libc::EAGAIN {
            return answer;
        }
        let look = match Deadline::look(deadline, LOOK) {
            Ok(look) => look,
            Err(error) => return fail(error),
        };
        if turn.block(object, look) == Blocked::Cancelled {
            drop(turn);
            // SAFETY: nothing of ours has to be undone. It does not return where the thread can be cancelled.
            unsafe { real::testcancel() };
            return fail(libc::EINTR);
        }
    }
}

macro_rules! waits {
    ($($name:ident($($argument:ident: $type:ty),*), until $deadline:expr, natively $natively:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(semaphore: *mut c_void, $($argument: $type),*) -> c_int {
            match take_turn(Operation::Synchronise) {
                // SAFETY: the same contract.
                Some(turn) => unsafe { wait(turn, semaphore, $deadline) },
                // SAFETY: the same contract.
                None => unsafe { real::$natively(semaphore, $($argument),*) },
            }
        }
    )*};
}

type Time = *const libc::timespec;

waits! {
    sem_wait(), until None, natively sem_wait;
    sem_timedwait(time: Time), until Some(Deadline::new(libc::CLOCK_REALTIME, time)), natively sem_timedwait;
    sem_clockwait(clock: libc::clockid_t, time: Time), until Some(Deadline::new(clock, time)), natively sem_clockwait;
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn sem_trywait(semaphore: *mut c_void) -> c_int {
    let turn = take_turn(Operation::Synchronise);
    // SAFETY: the same contract.
    let answer = unsafe { real::sem_trywait(semaphore) };
    if let Some(turn) = turn
        && answer == 0
    {
        turn.acquire(Object::Semaphore(semaphore.addr()));
    }
    answer
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn sem_post(semaphore: *mut c_void) -> c_int {
    let Some(turn) = take_turn(Operation::Synchronise) else {
        // SAFETY: the same contract.
        return unsafe { real::sem_post(semaphore) };
    };
    let object = Object::Semaphore(semaphore.addr());
    turn.release(object);
    // SAFETY: the same contract.
    let answer = unsafe { real::sem_post(semaphore) };
    turn.wake(object, true);
    answer
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn sem_destroy(semaphore: *mut c_void) -> c_int {
    if let Some(turn) = take_turn(Operation::Synchronise) {
        turn.forget(Object::Semaphore(semaphore.addr()));
    }
    // SAFETY: the same contract.
    unsafe { real::sem_destroy(semaphore) }
}
