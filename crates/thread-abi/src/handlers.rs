//! What the program has set for signals, and calling it, at once or later.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use crate::shadow_stack::ShadowStack;

/// Signals whose handlers wait. A handler may interrupt anything of ours, so this takes no lock and no memory.
pub(crate) struct PendingSignals {
    any: AtomicBool,
    /// How often each has come.
    counts: [AtomicU32; SIGNALS],
    /// What the kernel said about the last of each.
    infos: [UnsafeCell<MaybeUninit<libc::siginfo_t>>; SIGNALS],
}

impl PendingSignals {
    pub(crate) fn new() -> PendingSignals {
        PendingSignals {
            any: AtomicBool::new(false),
            counts: [const { AtomicU32::new(0) }; SIGNALS],
            infos: [const { UnsafeCell::new(MaybeUninit::uninit()) }; SIGNALS],
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        !self.any.load(Ordering::Relaxed)
    }

    /// # Safety
    ///
    /// It is called by the handler of this signal, on the thread that this belongs to.
    pub(crate) unsafe fn add(&self, number: c_int, info: &libc::siginfo_t) {
        let Ok(number) = usize::try_from(number) else { return };
        if number < SIGNALS {
            // SAFETY: a signal is blocked while its handler runs.
            unsafe { (*self.infos[number].get()).write(*info) };
            self.counts[number].fetch_add(1, Ordering::Relaxed);
            self.any.store(true, Ordering::Release);
        }
    }

    fn take(&self) -> Option<(c_int, libc::siginfo_t)> {
        self.any.store(false, Ordering::Relaxed);
        let number =
            (1..SIGNALS).find(|number| self.counts[*number].load(Ordering::Acquire) > 0)?;
        self.any.store(true, Ordering::Relaxed);
        self.counts[number].fetch_sub(1, Ordering::Relaxed);
        // SAFETY: it was written before it was counted.
        Some((number as c_int, unsafe { (*self.infos[number].get()).assume_init() }))
    }
}

const SIGNALS: usize = 65;

/// What the program has set for each signal; the kernel has our handler where this is a function.
pub(crate) struct Disposition {
    pub(crate) handler: AtomicUsize,
    pub(crate) flags: AtomicUsize,
    pub(crate) mask: AtomicUsize,
}

static DISPOSITIONS: [Disposition; SIGNALS] = [const {
    Disposition {
        handler: AtomicUsize::new(libc::SIG_DFL),
        flags: AtomicUsize::new(0),
        mask: AtomicUsize::new(0),
    }
}; SIGNALS];

/// What the program has set for a signal.
pub(crate) fn disposition(signal: c_int) -> Option<&'static Disposition> {
    DISPOSITIONS.get(usize::try_from(signal).ok().filter(|number| *number > 0)?)
}

/// Whether it is no word for the kernel.
pub(crate) fn is_function(handler: usize) -> bool {
    handler != libc::SIG_DFL && handler != libc::SIG_IGN
}

/// Calls the program's handler. What it calls is on a stack of its own for us, since it may be on another one.
///
/// # Safety
///
/// As the kernel calls handlers; the stack is null or the calling thread's own.
pub(crate) unsafe fn call_handler(
    number: c_int,
    info: *mut libc::siginfo_t,
    machine: *mut c_void,
    stack: *mut ShadowStack,
) {
    let Some(disposition) = disposition(number) else { return };
    let handler = disposition.handler.load(Ordering::Relaxed);
    if !is_function(handler) {
        return;
    }
    // SAFETY: it is null, or the calling thread's own.
    let position = unsafe { stack.as_ref() }.map(ShadowStack::position);
    let with_info = disposition.flags.load(Ordering::Relaxed) & libc::SA_SIGINFO as usize != 0;
    // SAFETY: the program has set this function for this signal, with or without the flag.
    unsafe {
        if with_info {
            let handler: unsafe extern "C-unwind" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                std::mem::transmute(handler);
            handler(number, info, machine);
        } else {
            let handler: unsafe extern "C-unwind" fn(c_int) = std::mem::transmute(handler);
            handler(number);
        }
        if let (Some(stack), Some(position)) = (stack.as_mut(), position) {
            stack.restore(position);
        }
    }
}

/// Calls the handlers that have waited.
///
/// # Safety
///
/// Both are the calling thread's own, which is not in our code.
#[cold]
pub(crate) unsafe fn deliver(pending: *const PendingSignals, stack: *mut ShadowStack) {
    // SAFETY: the caller's promise.
    unsafe {
        let errno = libc::__errno_location();
        let kept = errno.read();
        while let Some((number, mut info)) = (*pending).take() {
            let mut blocked = std::mem::zeroed::<libc::sigset_t>();
            if let Some(disposition) = disposition(number) {
                let mask = disposition.mask.load(Ordering::Relaxed) | (1 << (number - 1));
                (&raw mut blocked).cast::<usize>().write(mask);
            }
            let mut before = std::mem::zeroed::<libc::sigset_t>();
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const blocked, &raw mut before);
            let mut machine = std::mem::zeroed::<libc::ucontext_t>();
            call_handler(number, &raw mut info, (&raw mut machine).cast(), stack);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        }
        errno.write(kept);
    }
}
