//! Handlers of signals. One that comes while its thread is in our code waits until the thread has left it: it may call us
//! again, and locks are held for a moment there.

use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use crate::current::current;
use crate::linker::behind;
use crate::runtime::runtime;
use crate::thread::Thread;

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
    unsafe fn add(&self, number: c_int, info: &libc::siginfo_t) {
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
struct Disposition {
    handler: AtomicUsize,
    flags: AtomicUsize,
    mask: AtomicUsize,
}

static DISPOSITIONS: [Disposition; SIGNALS] = [const {
    Disposition {
        handler: AtomicUsize::new(libc::SIG_DFL),
        flags: AtomicUsize::new(0),
        mask: AtomicUsize::new(0),
    }
}; SIGNALS];

mod real {
    use super::*;
    behind! {
        fn sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int;
    }
}

fn disposition(signal: c_int) -> Option<&'static Disposition> {
    DISPOSITIONS.get(usize::try_from(signal).ok().filter(|number| *number > 0)?)
}

fn is_function(handler: usize) -> bool {
    handler != libc::SIG_DFL && handler != libc::SIG_IGN
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
        call_handler(number, info, machine);
    }
}

/// Calls the program's handler. What it calls is on a stack of its own for us, since it may be on another one.
///
/// # Safety
///
/// As the kernel calls handlers.
unsafe fn call_handler(number: c_int, info: *mut libc::siginfo_t, machine: *mut c_void) {
    let Some(disposition) = disposition(number) else { return };
    let handler = disposition.handler.load(Ordering::Relaxed);
    if !is_function(handler) {
        return;
    }
    let thread = current();
    // SAFETY: the thread is the calling one's own.
    let position = unsafe { thread.as_ref() }.map(|thread| thread.stack.position());
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
        if let (Some(thread), Some(position)) = (thread.as_mut(), position) {
            thread.stack.restore(position);
        }
    }
}

/// Calls the handlers that have waited.
///
/// # Safety
///
/// It is the calling thread's own, which is not in our code.
#[cold]
pub(crate) unsafe fn deliver(thread: *mut Thread) {
    // SAFETY: the caller's promise.
    unsafe {
        let errno = libc::__errno_location();
        let kept = errno.read();
        while let Some((number, mut info)) = (*thread).pending.take() {
            let mut blocked = std::mem::zeroed::<libc::sigset_t>();
            if let Some(disposition) = disposition(number) {
                let mask = disposition.mask.load(Ordering::Relaxed) | (1 << (number - 1));
                (&raw mut blocked).cast::<usize>().write(mask);
            }
            let mut before = std::mem::zeroed::<libc::sigset_t>();
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const blocked, &raw mut before);
            let mut machine = std::mem::zeroed::<libc::ucontext_t>();
            call_handler(number, &raw mut info, (&raw mut machine).cast());
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        }
        errno.write(kept);
    }
}
