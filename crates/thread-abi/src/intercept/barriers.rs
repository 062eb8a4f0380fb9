//! Barriers.

use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::Ordering;

use warpsan_thread_detect::Span;
use warpsan_thread_trace::{Action, Barrier as TraceBarrier};

use super::order;
use crate::linker::behind;
use crate::thread::entered;

type Barrier = *mut libc::pthread_barrier_t;

mod real {
    use super::*;
    behind! {
        fn pthread_barrier_init(barrier: Barrier, attributes: *const c_void, count: c_uint) -> c_int;
        fn pthread_barrier_wait(barrier: Barrier) -> c_int;
        fn pthread_barrier_destroy(barrier: Barrier) -> c_int;
    }
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_barrier_init(
    barrier: Barrier,
    attributes: *const c_void,
    count: c_uint,
) -> c_int {
    // SAFETY: the same contract.
    let result = unsafe { real::pthread_barrier_init(barrier, attributes, count) };
    if result == 0
        && let Some(mut thread) = entered()
    {
        let address = barrier as u64;
        thread.trace(0, Action::Destroy(Span { address, size: 1 }));
        thread.runtime.objects.forget(address, 1);
        let object = thread.runtime.objects.barrier(address);
        object.parties.store(count, Ordering::Relaxed);
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_barrier_wait(barrier: Barrier) -> c_int {
    let phase = entered().map(|mut thread| {
        let object = thread.runtime.objects.barrier(barrier as u64);
        let parties = object.parties.load(Ordering::Relaxed);
        thread.trace(0, Action::EnterBarrier(TraceBarrier(barrier as u64), parties));
        let phase = thread.state.enter_barrier(&object.clock, parties);
        (object, phase)
    });
    // SAFETY: the same contract.
    let result = unsafe { real::pthread_barrier_wait(barrier) };
    if let (Some((object, phase)), Some(mut thread)) = (phase, entered()) {
        thread.state.leave_barrier(&object.clock, phase);
        thread.trace(0, Action::LeaveBarrier(TraceBarrier(barrier as u64)));
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_barrier_destroy(barrier: Barrier) -> c_int {
    order::forget(barrier as u64, 1);
    // SAFETY: the same contract.
    unsafe { real::pthread_barrier_destroy(barrier) }
}
