//! What taking and giving back a lock means.

use warpsan_thread_detect::Span;
use warpsan_thread_trace::{Action, Lock};

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
            thread.acquire_at(address, site);
        }
        thread.holds(address, true, site);
    }
}

/// A lock is about to be given back by who holds it.
pub(crate) fn gives_back(address: u64) {
    if let Some(mut thread) = entered() {
        if thread.ignored_order == 0 {
            thread.release_at(address);
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
        thread.post_at(address);
    }
}

/// The thread has waited for this thing.
pub(crate) fn acquires(address: u64) {
    if let Some(mut thread) = entered()
        && thread.ignored_order == 0
    {
        thread.acquire_at(address, 0);
    }
}

/// A lock for readers and writers was taken.
pub(crate) fn took_read_write(address: u64, exclusive: bool, site: u64) {
    if let Some(mut thread) = entered() {
        if thread.ignored_order == 0 {
            let lock = thread.runtime.objects.read_write(address);
            if exclusive {
                thread.state.acquire_for_writing(&lock);
                thread.trace(site, Action::AcquireForWriting(Lock(address)));
            } else {
                thread.state.acquire_for_reading(&lock);
                thread.trace(site, Action::AcquireForReading(Lock(address)));
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
                thread.trace(0, Action::ReleaseFromWriting(Lock(address)));
                thread.state.release_from_writing(&lock);
            } else {
                thread.trace(0, Action::ReleaseFromReading(Lock(address)));
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
    if let Some(mut thread) = entered() {
        thread.trace(0, Action::Destroy(Span { address, size }));
        thread.runtime.forget(address, size);
    }
}
