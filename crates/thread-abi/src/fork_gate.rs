//! What keeps threads out of our code while one of them forks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::system;

/// While it is closed, no thread enters our code.
///
/// To enter is a plain store and a load of the gate, in this order; who closes the gate has all threads execute a fence before it
/// looks at their stores. So entering costs no fence.
pub(crate) struct ForkGate {
    closed: AtomicBool,
    /// The system can make all threads execute a fence.
    has_fence: bool,
}

impl ForkGate {
    pub(crate) fn new() -> ForkGate {
        ForkGate {
            closed: AtomicBool::new(false),
            has_fence: system::prepare_fence_of_all_threads(),
        }
    }

    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Waits until it is open.
    pub(crate) fn wait(&self) {
        while self.is_closed() {
            std::thread::yield_now();
        }
    }

    /// Closes the gate; only one thread at a time can.
    pub(crate) fn close(&self) {
        while self.closed.swap(true, Ordering::SeqCst) {
            std::thread::yield_now();
        }
        if self.has_fence {
            system::fence_all_threads();
        } else {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn open(&self) {
        self.closed.store(false, Ordering::SeqCst);
    }
}
