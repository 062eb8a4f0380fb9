//! Handlers of signals. One that comes while its thread is in our code waits until the thread has left it: it may call us
//! again, and locks are held for a moment there.

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering;

use crate::handlers::{call_handler, disposition, is_function};
use crate::linker::behind;
use crate::runtime::runtime;
use crate::thread::{Thread, current, entered_if_known};

mod real {
    use super::*;
    behind! {
        fn sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int;
    }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    let Some(disposition) = disposition(signal).filter(|_| runtime().is_some()) else {
        // SAFETY: the same contract.
        return unsafe { real::sigaction(signal, new, old) };
    };
    // SAFETY: the program passes null or a `sigaction`, and zeroes are one.
    unsafe {
        let mut ours = std::mem::zeroed::<libc::sigaction>();
        if let Some(new) = new.as_ref() {
            ours = *new;
            if is_function(new.sa_sigaction) {
                ours.sa_sigaction = handle as *const () as usize;
                ours.sa_flags |= libc::SA_SIGINFO;
            }
        }
        let before = (
            disposition.handler.load(Ordering::Relaxed),
            disposition.flags.load(Ordering::Relaxed),
        );
        // The kernel may call our handler at once: it has to find the program's.
        if let Some(new) = new.as_ref() {
            disposition.handler.store(new.sa_sigaction, Ordering::Relaxed);
            disposition.flags.store(new.sa_flags as usize, Ordering::Relaxed);
            let mask = (&raw const new.sa_mask).cast::<usize>().read();
            disposition.mask.store(mask, Ordering::Relaxed);
        }
        let passed = if new.is_null() { std::ptr::null() } else { &raw const ours };
        let mut theirs = std::mem::zeroed::<libc::sigaction>();
        let result = real::sigaction(signal, passed, &raw mut theirs);
        if result != 0 {
            disposition.handler.store(before.0, Ordering::Relaxed);
            disposition.flags.store(before.1, Ordering::Relaxed);
            return result;
        }
        if let Some(old) = old.as_mut() {
            *old = theirs;
            if theirs.sa_sigaction == handle as *const () as usize {
                old.sa_sigaction = before.0;
                old.sa_flags = before.1 as c_int;
            }
        }
        result
    }
}

/// `signal` and its like: handlers stay, and system calls are begun anew.
macro_rules! signal_functions {
    ($($name:ident),*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(number: c_int, handler: usize) -> usize {
            // SAFETY: zeroes are a `sigaction`, and both places are our own.
            unsafe {
                let mut new = std::mem::zeroed::<libc::sigaction>();
                new.sa_sigaction = handler;
                new.sa_flags = libc::SA_RESTART;
                let mut old = std::mem::zeroed::<libc::sigaction>();
                match sigaction(number, &raw const new, &raw mut old) {
                    0 => old.sa_sigaction,
                    _ => libc::SIG_ERR,
                }
            }
        }
    )*};
}

signal_functions!(signal, bsd_signal);

/// Whether the signal says that the instruction at hand cannot go on: then nothing can wait.
fn is_synchronous(number: c_int, info: &libc::siginfo_t) -> bool {
    let of_instruction =
        [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];
    of_instruction.contains(&number) && info.si_code > 0
}

unsafe extern "C" fn handle(number: c_int, info: *mut libc::siginfo_t, machine: *mut c_void) {
    let thread = current();
    // SAFETY: the kernel passes both; the thread is the calling one's own.
    unsafe {
        let waits = !thread.is_null() && (*thread).inside > 0 && !is_synchronous(number, &*info);
        if waits {
            return (*thread).pending.add(number, &*info);
        }
        let stack = match thread.as_mut() {
            Some(thread) => &raw mut thread.stack,
            None => std::ptr::null_mut(),
        };
        call_handler(number, info, machine, stack);
    }
    // The thread may have looked at an access and not have made it yet.
    if let Some(mut thread) = entered_if_known() {
        let Thread { checker, state, .. } = &mut *thread;
        checker.forget_known(state);
    }
}
