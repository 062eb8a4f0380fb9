//! Forks. A thread that forks takes the whole of our state with it: no other thread may be half-way through a change of it.
//!
//! We come in by `pthread_atfork`, as the first to register: so what the program has registered runs before we close the gate, and after we
//! have opened it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::current::current;
use crate::runtime::{Runtime, runtime};
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

/// The process that forks, for its child.
static PARENT: AtomicU32 = AtomicU32::new(0);

/// Has us called around every fork.
pub(crate) fn watch() {
    // SAFETY: the functions stay.
    unsafe { libc::pthread_atfork(Some(prepare), Some(in_parent), Some(in_child)) };
}

unsafe extern "C" fn prepare() {
    let Some(runtime) = runtime() else { return };
    let Some(thread) = entered() else { return };
    let info = Arc::clone(&thread.info);
    drop(thread);
    runtime.fork_gate.close();
    set_inside(1);
    let until = Instant::now() + PATIENCE;
    while runtime.registry.is_anybody_inside(&info) && Instant::now() < until {
        std::thread::yield_now();
    }
    PARENT.store(system::process_number(), Ordering::Relaxed);
}

/// The thread that forks is inside of our code until the fork is done: what it calls meanwhile is not the program's, and must not wait for
/// the gate.
fn set_inside(inside: u32) {
    // SAFETY: it is the calling thread's own.
    if let Some(thread) = unsafe { current().as_mut() } {
        thread.inside = inside;
    }
}

unsafe extern "C" fn in_parent() {
    if let Some(runtime) = runtime() {
        set_inside(0);
        runtime.fork_gate.open();
    }
}

unsafe extern "C" fn in_child() {
    let Some(runtime) = runtime() else { return };
    set_inside(0);
    runtime.fork_gate.open();
    // A fork has not asked the system for fences yet.
    system::prepare_fence_of_all_threads();
    if let Some(mut thread) = entered() {
        go_on_alone(runtime, &mut thread);
    }
    runtime.races.clear();
    runtime.output.begin(Some(PARENT.load(Ordering::Relaxed)));
}

/// The other threads are not in the child; what they did before the fork is before all that it does.
fn go_on_alone(runtime: &Runtime, thread: &mut crate::thread::Thread) {
    let info = Arc::clone(&thread.info);
    runtime.registry.keep_only(&info, &mut thread.state);
}
