//! Routines that run once: all who come later are behind them.

use std::ffi::c_int;

use super::order;
use crate::linker::behind;
use crate::thread::entered;

pub(super) type Control = *mut libc::pthread_once_t;
pub(super) type Routine = extern "C-unwind" fn();

mod real {
    use super::*;
    behind! {
        fn pthread_once(control: Control, routine: Routine) -> c_int;
    }
}

/// A routine that the C library was given, until that has returned.
struct Handed {
    before: usize,
}

impl Handed {
    fn new(routine: Routine, control: Control) -> Option<Handed> {
        let mut thread = entered()?;
        let before = thread.once_routines.len();
        thread.once_routines.push((routine, control as u64));
        Some(Handed { before })
    }
}

impl Drop for Handed {
    fn drop(&mut self) {
        if let Some(mut thread) = entered() {
            thread.once_routines.truncate(self.before);
        }
    }
}

/// What the C library calls in place of the program's routine, which may throw: then it has not run.
extern "C-unwind" fn run() {
    let handed = entered().and_then(|thread| thread.once_routines.last().copied());
    if let Some((routine, control)) = handed {
        routine();
        order::releases(control);
    }
}

/// Runs a routine once, by one of the two functions of the C library.
pub(super) fn once(control: Control, routine: Routine, by: impl FnOnce(Routine) -> c_int) -> c_int {
    // The library behind us may come back with what it was given.
    let is_ours = std::ptr::fn_addr_eq(routine, run as Routine);
    let handed = if is_ours { None } else { Handed::new(routine, control) };
    let Some(handed) = handed else { return by(routine) };
    let result = by(run);
    drop(handed);
    order::acquires(control as u64);
    result
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_once(control: Control, routine: Routine) -> c_int {
    // SAFETY: the same contract.
    once(control, routine, |routine| unsafe { real::pthread_once(control, routine) })
}
