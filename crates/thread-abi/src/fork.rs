//! Forks. A thread that forks takes the whole of our state with it: no other thread may be half-way through a change of it.
//!
//! We come in by `pthread_atfork`, as the first to register: so what the program has registered runs before we close the gate, and after we
//! have opened it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::runtime::{Runtime, runtime};
use crate::system;
use crate::thread::{Thread, current, entered};

/// A thread that stays inside for longer is left behind.
const PATIENCE: Duration = Duration::from_secs(2);

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
    if let Some(recorder) = &runtime.recorder {
        recorder.begin_anew();
    }
    runtime.begin_output(Some(PARENT.load(Ordering::Relaxed)));
}

/// The other threads are not in the child; what they did before the fork is before all that it does.
fn go_on_alone(runtime: &Runtime, thread: &mut Thread) {
    let info = Arc::clone(&thread.info);
    runtime.registry.keep_only(&info, &mut thread.state);
    runtime.shared.inherit(&runtime.checker, &mut thread.state);
}
