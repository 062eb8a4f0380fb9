//! A lock for what takes a moment, also in handlers of signals.

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whoever has it is not interrupted by a signal, whose handler could want it, too.
pub(super) struct ShortLock {
    is_held: AtomicBool,
}

/// Who waits for longer waits for a thread that a fork has left behind, and goes ahead.
const MOST_TURNS: u32 = 10_000_000;

impl ShortLock {
    pub(super) const fn new() -> ShortLock {
        ShortLock { is_held: AtomicBool::new(false) }
    }

    /// Does something that nobody else does at the same time. It must touch no memory that may fault.
    pub(super) fn hold<T>(&self, body: impl FnOnce() -> T) -> T {
        let mut all = MaybeUninit::uninit();
        let mut before = MaybeUninit::uninit();
        // SAFETY: both are places for sets of signals, of which the first is filled before it is used.
        let is_blocked = unsafe {
            libc::sigfillset(all.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), before.as_mut_ptr()) == 0
        };
        let mut turns = 0;
        while self.is_held.swap(true, Ordering::Acquire) && turns < MOST_TURNS {
            turns += 1;
            match turns % 64 {
                0 => std::thread::yield_now(),
                _ => std::hint::spin_loop(),
            }
        }
        let answer = body();
        self.is_held.store(false, Ordering::Release);
        if is_blocked {
            // SAFETY: the call above has filled the set.
            unsafe {
                libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut())
            };
        }
        answer
    }
}
