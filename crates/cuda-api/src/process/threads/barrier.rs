//! Barriers of pthreads.

use super::{NEVER, real};
use std::ffi::{c_int, c_void};
use warpsan_runtime::host_threads::{Blocked, Object, Operation, set_meeting, take_turn};

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_barrier_init(
    barrier: *mut c_void,
    attributes: *const c_void,
    count: u32,
) -> c_int {
    // SAFETY: the same contract.
    let answer = unsafe { real::barrier_init(barrier, attributes, count) };
    let mut shared = libc::PTHREAD_PROCESS_PRIVATE;
    if !attributes.is_null() {
        // SAFETY: the program passes attributes, and the other place is our own.
        unsafe { libc::pthread_barrierattr_getpshared(attributes.cast(), &mut shared) };
    }
    if answer == 0 && shared == libc::PTHREAD_PROCESS_PRIVATE {
        set_meeting(barrier.addr(), count);
    }
    answer
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_barrier_wait(barrier: *mut c_void) -> c_int {
    let Some(mut turn) = take_turn(Operation::Synchronise) else {
        // SAFETY: the same contract.
        return unsafe { real::barrier_wait(barrier) };
    };
    let object = Object::Barrier(barrier.addr());
    match turn.meet(barrier.addr()) {
        // SAFETY: the same contract.
        None => turn.outside(|| unsafe { real::barrier_wait(barrier) }),
        Some(true) => {
            turn.acquire(object);
            turn.wake(object, true);
            libc::PTHREAD_BARRIER_SERIAL_THREAD
        }
        Some(false) => {
            // It cannot be cancelled here.
            while turn.block(object, NEVER) != Blocked::Woken {}
            turn.acquire(object);
            0
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_barrier_destroy(barrier: *mut c_void) -> c_int {
    if let Some(turn) = take_turn(Operation::Synchronise) {
        turn.forget(Object::Barrier(barrier.addr()));
    }
    // SAFETY: the same contract.
    unsafe { real::barrier_destroy(barrier) }
}
