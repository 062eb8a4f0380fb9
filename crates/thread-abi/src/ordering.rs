//! What a thread acquires and releases, in its clock and in the trace.

use std::sync::Arc;

use warpsan_thread_detect::{NewThread, NoMoreThreads, Span, SyncClock};
use warpsan_thread_trace::{Action, Lock, TraceThread};

use crate::registry::Joining;
use crate::thread::Thread;

/// A clock that belongs to no address of the program has its own.
fn name(clock: &SyncClock) -> Lock {
    Lock(std::ptr::from_ref(clock) as u64)
}

impl Thread {
    /// The lock at this address was taken, or what was posted there.
    pub(crate) fn acquire_at(&mut self, address: u64, site: u64) {
        self.state.acquire(self.runtime.clocks.at(address));
        self.trace(site, Action::Acquire(Lock(address)));
    }

    /// The lock at this address, which only this thread holds, is about to be given back.
    pub(crate) fn release_at(&mut self, address: u64) {
        self.trace(0, Action::Release(Lock(address)));
        self.state.release(self.runtime.clocks.at(address));
    }

    /// What is at this address is released, as others may have done, too.
    pub(crate) fn post_at(&mut self, address: u64) {
        self.trace(0, Action::Post(Lock(address)));
        self.state.release_also(self.runtime.clocks.at(address));
    }

    /// As [`Thread::acquire_at`], for a clock of ours.
    pub(crate) fn acquire_from(&mut self, clock: &SyncClock) {
        self.state.acquire(clock);
        self.trace(0, Action::Acquire(name(clock)));
    }

    /// As [`Thread::post_at`], for a clock of ours.
    pub(crate) fn post_to(&mut self, clock: &SyncClock) {
        self.trace(0, Action::Post(name(clock)));
        self.state.release_also(clock);
    }

    /// A clock of ours is new, and may be where another one was.
    pub(crate) fn begin_clock(&mut self, clock: &SyncClock) {
        self.trace(0, Action::Destroy(Span { address: name(clock).0, size: 1 }));
    }

    /// The thread is about to start another one.
    pub(crate) fn start_another(
        &mut self,
        site: u64,
    ) -> Result<(NewThread, Arc<Joining>), NoMoreThreads> {
        let new = self.state.fork(self.runtime.checker.threads())?;
        let joining = Arc::new(Joining::new(self.runtime.registry.next_number()));
        self.trace(site, Action::Fork(TraceThread(joining.number())));
        Ok((new, joining))
    }

    /// The thread has waited for another one's end.
    pub(crate) fn join(&mut self, joining: &Joining) {
        if let Some(finished) = joining.join() {
            self.state.join(finished, self.runtime.checker.threads());
            self.trace(0, Action::Join(TraceThread(joining.number())));
        }
    }

    /// Nobody will wait for a thread's end. Whether that has come already.
    pub(crate) fn abandon(&mut self, joining: &Joining) -> bool {
        let Some(finished) = joining.detach() else { return false };
        self.trace(0, Action::Abandon(TraceThread(joining.number())));
        self.checker.threads().abandon(finished);
        true
    }
}
