//! Faults: they come to a handler of ours, and those that are not ours go to who was there before.

use std::ffi::{c_int, c_void};
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

unsafe extern "C" {
    /// The C library's own `sigaction`, also where the name itself leads somewhere else.
    fn __sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int;
}

/// A handler with the signature that `SA_SIGINFO` asks for. That of the program may throw, which goes through ours.
pub(super) type Handler = extern "C-unwind" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// The handler that was there before ours.
static PREVIOUS: AtomicPtr<libc::sigaction> = AtomicPtr::new(std::ptr::null_mut());

/// Has faults come to a handler of ours. The program may have set a handler of its own since the last time, which is called for
/// all other faults.
pub(super) fn watch_faults(own: Handler) -> bool {
    static SETTING: Mutex<()> = Mutex::new(());
    let _setting = SETTING.lock();
    // SAFETY: a `sigaction` of zeros is one, and the places are our own.
    let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    if unsafe { __sigaction(libc::SIGSEGV, std::ptr::null(), &mut now) } != 0 {
        return false;
    }
    if now.sa_sigaction == own as usize {
        return true;
    }
    // It may be in use by a handler that runs now, so it stays.
    PREVIOUS.store(Box::into_raw(Box::new(now)), Ordering::Release);
    // SAFETY: as above.
    let mut ours: libc::sigaction = unsafe { std::mem::zeroed() };
    ours.sa_sigaction = own as usize;
    ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
    // SAFETY: the handler has the signature that SA_SIGINFO asks for.
    unsafe { __sigaction(libc::SIGSEGV, &ours, std::ptr::null_mut()) == 0 }
}

/// Has the program's handler of faults called for those that are not ours, and stores what it was before. The answer is
/// false where ours is not there, and so the program's can be.
///
/// # Safety
/// Both are null or a `sigaction`, and the new one has a handler that fits its flags.
pub unsafe fn set_handler_behind(new: *const libc::sigaction, old: *mut libc::sigaction) -> bool {
    let previous = PREVIOUS.load(Ordering::Acquire);
    if previous.is_null() {
        return false;
    }
    // SAFETY: ours is kept for good, and the others are the caller's.
    unsafe {
        if !old.is_null() {
            *old = *previous;
        }
        if !new.is_null() {
            PREVIOUS.store(Box::into_raw(Box::new(*new)), Ordering::Release);
        }
    }
    true
}

/// Does what would have been done without us.
pub(super) fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: null, or a handler that the system gave us.
    let previous = unsafe { PREVIOUS.load(Ordering::Acquire).as_ref() };
    match previous {
        Some(previous) if !matches!(previous.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN) => {
            if previous.sa_flags & libc::SA_SIGINFO != 0 {
                // SAFETY: the flag says that it is such a function.
                let handler: Handler = unsafe { std::mem::transmute(previous.sa_sigaction) };
                handler(signal, info, context);
            } else {
                // SAFETY: without the flag it is a function of the signal alone.
                let handler: extern "C-unwind" fn(c_int) =
                    unsafe { std::mem::transmute(previous.sa_sigaction) };
                handler(signal);
            }
        }
        _ => {
            // The fault comes again, and ends the program; a signal that was sent does not.
            // SAFETY: the places are our own or the system's, and zeros are the default action.
            unsafe {
                let default: libc::sigaction = std::mem::zeroed();
                __sigaction(signal, &default, std::ptr::null_mut());
                if (*info).si_code <= 0 {
                    libc::raise(signal);
                }
            }
        }
    }
}
