//! Functions of the C library that come here first: those that set handlers of signals, since faults of pages that are
//! closed to catch accesses of the host have to come to us; and those that end the process. What hands memory to the system
//! is in `system_calls`.

use super::behind::Behind;
use super::system_calls::Uses;
use std::ffi::c_int;
use warpsan_runtime::set_handler_behind;

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn sigaction(
    signal: c_int,
    new: *const libc::sigaction,
    old: *mut libc::sigaction,
) -> c_int {
    static BEHIND: Behind = Behind::new(c"sigaction");
    // SAFETY: the program passes null or a `sigaction`.
    if signal == libc::SIGSEGV && unsafe { set_handler_behind(new, old) } {
        return 0;
    }
    let behind = BEHIND.get();
    if behind.is_null() {
        return -1;
    }
    type Function =
        unsafe extern "C-unwind" fn(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;
    // SAFETY: the function behind has the same name and so the same type.
    let behind: Function = unsafe { std::mem::transmute(behind) };
    // SAFETY: the same contract.
    unsafe { behind(signal, new, old) }
}

type Handler = libc::sighandler_t;

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn signal(number: c_int, handler: Handler) -> Handler {
    static BEHIND: Behind = Behind::new(c"signal");
    if number == libc::SIGSEGV {
        // SAFETY: zeros are a `sigaction`, and both places are our own.
        unsafe {
            let mut new: libc::sigaction = std::mem::zeroed();
            let mut old: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction = handler;
            new.sa_flags = libc::SA_RESTART;
            if set_handler_behind(&new, &mut old) {
                return old.sa_sigaction;
            }
        }
    }
    let behind = BEHIND.get();
    if behind.is_null() {
        return libc::SIG_ERR;
    }
    type Function = unsafe extern "C-unwind" fn(c_int, Handler) -> Handler;
    // SAFETY: the function behind has the same name and so the same type.
    let behind: Function = unsafe { std::mem::transmute(behind) };
    // SAFETY: the same contract.
    unsafe { behind(number, handler) }
}

/// Functions that block signals: a fault that is blocked would end the program.
macro_rules! blocks_signals {
    ($($name:ident: $text:literal;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(
            how: c_int,
            set: *const libc::sigset_t,
            old: *mut libc::sigset_t,
        ) -> c_int {
            static BEHIND: Behind = Behind::new($text);
            let behind = BEHIND.get();
            if behind.is_null() {
                return libc::ENOSYS;
            }
            type Function =
                unsafe extern "C-unwind" fn(c_int, *const libc::sigset_t, *mut libc::sigset_t) -> c_int;
            // SAFETY: the function behind has the same name and so the same type.
            let behind: Function = unsafe { std::mem::transmute(behind) };
            let mut uses = Uses::new();
            uses.writes(old.cast(), size_of::<u64>());
            if set.is_null() || how == libc::SIG_UNBLOCK || warpsan_forward::is_chosen() {
                uses.reads(set.cast_mut().cast(), size_of::<u64>());
                // SAFETY: the same contract.
                return unsafe { behind(how, set, old) };
            }
            // SAFETY: the program passes a set, of which this is a copy.
            unsafe {
                let mut others = *set;
                libc::sigdelset(&mut others, libc::SIGSEGV);
                behind(how, &others, old)
            }
        }
    )*};
}

blocks_signals! {
    pthread_sigmask: c"pthread_sigmask";
    sigprocmask: c"sigprocmask";
}

/// Functions that end the process at once, with work in the queue.
macro_rules! ends_process {
    ($($name:ident: $text:literal;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(code: c_int) -> ! {
            static BEHIND: Behind = Behind::new($text);
            super::last_thread::run_rest();
            let behind = BEHIND.get();
            if !behind.is_null() {
                type Function = unsafe extern "C-unwind" fn(c_int) -> !;
                // SAFETY: the function behind has the same name and so the same type.
                let behind: Function = unsafe { std::mem::transmute(behind) };
                // SAFETY: the same contract.
                unsafe { behind(code) }
            }
            std::process::abort()
        }
    )*};
}

ends_process! {
    _exit: c"_exit";
    _Exit: c"_Exit";
    quick_exit: c"quick_exit";
}
