//! What taking and giving back a lock means.

use crate::locks::HeldLock;
use crate::thread::{Thread, entered};

impl Thread {
    fn holds(&mut self, address: u64, exclusive: bool, site: u64) {
        let calls = self.calls_at(site);
        self.locks.add(HeldLock { address, exclusive, calls });
    }
}

/// A lock that one thread holds was taken.
pub(crate) fn took(address: u64, site: u64) {
    if let Some(mut thread) = entered() {
        if thread.ignored_order == 0 {
            let clock = thread.runtime.clocks.at(address);
            thread.state.acquire(clock);
        }
        thread.holds(address, true, site);
    }
}

/// A lock is about to be given back by who holds it.
pub(crate) fn gives_back(address: u64) {
    if let Some(mut thread) = entered() {
        if thread.ignored_order == 0 {
            let clock = thread.runtime.clocks.at(address);
            thread.state.release(clock);
        }
        thread.locks.remove(address);
    }
}

/// A lock is about to be given back, if the caller holds it; the C library will say.
pub(crate) fn may_give_back(address: u64) {
    releases(address);
    if let Some(mut thread) = entered() {
        thread.locks.remove(address);
    }
}

/// What is behind a wait for this thing has this thread's past before it.
pub(crate) fn releases(address: u64) {
    if let Some(mut thread) = entered()
        && thread.ignored_order == 0
    {
        let clock = thread.runtime.clocks.at(address);
        thread.state.release_also(clock);
    }
}

/// The thread has waited for this thing.
pub(crate) fn acquires(address: u64) {
    if let Some(mut thread) = entered()
        && thread.ignored_order == 0
    {
        let clock = thread.runtime.clocks.at(address);
        thread.state.acquire(clock);
    }
}

/// A lock for readers and writers was taken.
pub(crate) fn took_read_write(address: u64, exclusive: bool, site: u64) {
    if let Some(mut thread) = entered() {
        if thread.ignored_order == 0 {
            let lock = thread.runtime.objects.read_write(address);
            if exclusive {
                thread.state.acquire_for_writing(&lock);
            } else {
                thread.state.acquire_for_reading(&lock);
            }
        }
        thread.holds(address, exclusive, site);
    }
}

/// A lock for readers and writers is about to be given back.
pub(crate) fn gives_back_read_write(address: u64, exclusive: bool) {
    if let Some(mut thread) = entered() {
        if thread.ignored_order == 0 {
            let lock = thread.runtime.objects.read_write(address);
            if exclusive {
                thread.state.release_from_writing(&lock);
            } else {
                thread.state.release_from_reading(&lock);
            }
        }
        thread.locks.remove(address);
    }
}

/// Whether the calling thread holds it for writing.
pub(crate) fn holds_for_writing(address: u64) -> bool {
    entered().is_some_and(|thread| thread.locks.is_exclusive(address))
}

/// What is at these addresses is gone.
pub(crate) fn forget(address: u64, size: u64) {
    if let Some(thread) = entered() {
        thread.runtime.forget(address, size);
    }
}
