//! A lock that needs nothing of the process: a program's own locks may be what is being checked.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

/// A value that one thread at a time may use. Held for a few instructions only.
#[derive(Debug, Default)]
pub(crate) struct SpinLock<T> {
    held: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is only reached through a guard, and there is one guard at a time.
unsafe impl<T: Send> Sync for SpinLock<T> {}

impl<T> SpinLock<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self { held: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    pub(crate) fn lock(&self) -> SpinGuard<'_, T> {
        let mut patience = Patience::default();
        while self.held.swap(true, Ordering::Acquire) {
            while self.held.load(Ordering::Relaxed) {
                patience.wait();
            }
        }
        SpinGuard { lock: self }
    }
}

/// The right to use the value of a [`SpinLock`].
#[derive(Debug)]
pub(crate) struct SpinGuard<'a, T> {
    lock: &'a SpinLock<T>,
}

impl<T> Deref for SpinGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: there is one guard at a time, and this is it.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for SpinGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: there is one guard at a time, and it is borrowed exclusively.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for SpinGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.held.store(false, Ordering::Release);
    }
}

/// How a thread waits for another one that holds something: first in place, then by letting others run, since the
/// holder may have lost its processor.
#[derive(Default)]
pub struct Patience {
    waited: u32,
}

impl Patience {
    const IN_PLACE: u32 = 64;

    /// Waits for a moment, and longer the next time.
    pub fn wait(&mut self) {
        if self.waited < Self::IN_PLACE {
            self.waited += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}
