//! What is done once: `pthread_once`, on which `std::call_once` is built, and variables of functions that are initialised when
//! they are used first.

use super::{LOOK, real};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use warpsan_runtime::host_threads::{Object, Operation, Turn, take_turn};

thread_local! {
    /// What the C library is to run, if it finds that nobody has run it.
    static ROUTINE: Cell<Option<real::Routine>> = const { Cell::new(None) };
}

/// Waits until nobody else does it.
fn wait_for_others(turn: &mut Turn, object: Object) {
    while turn.is_held_by_another(object) {
        turn.block(object, LOOK);
    }
    turn.acquire(object);
}

/// It is done, or failed by an exception.
struct Doing(Object);

impl Drop for Doing {
    fn drop(&mut self) {
        if let Some(turn) = take_turn(Operation::Synchronise) {
            end(&turn, self.0);
        }
    }
}

fn end(turn: &Turn, object: Object) {
    turn.release(object);
    turn.set_held(object, false);
    turn.wake(object, true);
}

unsafe extern "C-unwind" fn run_routine() {
    if let Some(routine) = ROUTINE.take() {
        // SAFETY: the program passed it to be run.
        unsafe { routine() };
    }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_once(control: *mut c_void, routine: real::Routine) -> c_int {
    let object = Object::Once(control.addr());
    let Some(mut turn) = take_turn(Operation::Synchronise) else {
        // SAFETY: the same contract.
        return unsafe { real::once(control, routine) };
    };
    wait_for_others(&mut turn, object);
    turn.set_held(object, true);
    drop(turn);
    let _doing = Doing(object);
    let outer = ROUTINE.replace(Some(routine));
    // SAFETY: the same contract; what is run is the program's routine.
    let answer = unsafe { real::once(control, run_routine) };
    ROUTINE.set(outer);
    answer
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn __cxa_guard_acquire(guard: *mut u64) -> c_int {
    let object = Object::Once(guard.addr());
    let turn = take_turn(Operation::Synchronise).map(|mut turn| {
        wait_for_others(&mut turn, object);
        turn
    });
    // SAFETY: the same contract.
    let is_to_do = unsafe { real::guard_acquire(guard) };
    if let Some(turn) = turn
        && is_to_do != 0
    {
        turn.set_held(object, true);
    }
    is_to_do
}

/// Functions that end what `__cxa_guard_acquire` has begun.
macro_rules! ends_guard {
    ($($name:ident natively $natively:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(guard: *mut u64) {
            let turn = take_turn(Operation::Synchronise);
            // SAFETY: the same contract.
            unsafe { real::$natively(guard) };
            if let Some(turn) = turn {
                end(&turn, Object::Once(guard.addr()));
            }
        }
    )*};
}

ends_guard! {
    __cxa_guard_release natively guard_release;
    __cxa_guard_abort natively guard_abort;
}
