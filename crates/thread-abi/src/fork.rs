//! Forks. A thread that forks takes the whole of our state with it: no other thread may be half-way through a change of it.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::linker::behind;
use crate::system;
use crate::thread::entered;

/// While it is closed, no thread enters our code.
///
/// To enter is a plain store and a load of the gate, in this order; who closes the gate has all threads execute a fence before it
/// looks at their stores. So entering costs no fence.
pub(crate) struct ForkGate {
    closed: AtomicBool,
    /// The system can make all threads execute a fence.
    has_fence: bool,
}

/// A thread that stays inside for longer is left behind.
const PATIENCE: Duration = Duration::from_secs(2);

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
    fn close(&self) {
        while self.closed.swap(true, Ordering::SeqCst) {
            std::thread::yield_now();
        }
        if self.has_fence {
            system::fence_all_threads();
        } else {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn open(&self) {
        self.closed.store(false, Ordering::SeqCst);
    }
}

behind! {
    fn fork() -> c_int;
}

/// Forks while no other thread is in our code. The child goes on being checked.
///
/// # Safety
///
/// As `fork`.
pub(crate) unsafe fn fork_checked() -> c_int {
    let Some(thread) = entered() else {
        // SAFETY: the caller's promise.
        return unsafe { fork() };
    };
    let runtime = thread.runtime;
    let info = std::sync::Arc::clone(&thread.info);
    drop(thread);
    runtime.fork_gate.close();
    let until = Instant::now() + PATIENCE;
    while runtime.registry.is_anybody_inside(&info) && Instant::now() < until {
        std::thread::yield_now();
    }
    let parent = system::process_number();
    // SAFETY: the caller's promise.
    let child = unsafe { fork() };
    runtime.fork_gate.open();
    if child == 0 {
        runtime.fork_gate.register_again();
        runtime.registry.keep_only(&info);
        runtime.races.clear();
        runtime.output.begin(Some(parent));
    }
    child
}

impl ForkGate {
    /// A fork has not asked the system for fences yet.
    fn register_again(&self) {
        system::prepare_fence_of_all_threads();
    }
}
