//! The end of a thread, which is after everything that the program does in it.

use std::ffi::c_void;

use warpsan_thread_trace::{Action, TraceThread};

use crate::context::Context;
use crate::end_hook;
use crate::lock::locked;
use crate::registry::{Beginning, MAIN};
use crate::runtime::Runtime;
use crate::system;
use crate::thread::{Thread, begin, current, set_current};

/// Has us called when a thread ends.
pub(crate) fn watch() {
    end_hook::set(at_end);
}

/// Destructors of the program's keys may run after ours, and access memory: ours is put off to the last round.
unsafe extern "C" fn at_end(_value: *mut c_void) {
    /// One less than the rounds of destructors that the C library makes.
    const ROUNDS: u32 = 3;
    let thread = current();
    if thread.is_null() {
        return;
    }
    // SAFETY: it is this thread's own.
    unsafe {
        if (*thread).end_put_off < ROUNDS {
            (*thread).end_put_off += 1;
            end_hook::call_at_end();
            return;
        }
        end(thread);
    }
}

/// # Safety
///
/// It is the calling thread's own, which is used no more.
unsafe fn end(thread: *mut Thread) {
    // A handler that came now would be of a thread without a state, and wait for locks that are held here.
    let mask = system::block_signals();
    end_hook::set_ended();
    set_current(std::ptr::null_mut());
    // SAFETY: the caller's promise.
    unsafe { end_fiber(thread) };
    system::restore_signals(mask);
}

/// A thread or a fiber ends.
///
/// # Safety
///
/// It was made by `make`, and nobody uses it any more.
pub(crate) unsafe fn end_fiber(thread: *mut Thread) {
    // SAFETY: the caller's promise; it was made by `make`.
    let mut thread = unsafe { Box::from_raw(thread) };
    thread.give_back_locks();
    let Thread { state, checker, runtime, info, .. } = *thread;
    let finished = checker.finish(state);
    locked(&info.details).stack = None;
    if let Some(finished) = runtime.registry.end(&info, finished) {
        let itself = TraceThread(info.number);
        runtime.trace(info.number, Context::EMPTY, Action::Abandon(itself));
        checker.threads().abandon(finished);
    }
}

impl Thread {
    /// Locks that are still held when their thread ends: those of robust mutexes go to the next owner.
    fn give_back_locks(&mut self) {
        let addresses: Vec<u64> = self.locks.held().iter().map(|lock| lock.address).collect();
        addresses.into_iter().for_each(|address| self.post_at(address));
    }
}

/// The main thread begins.
pub(crate) fn take_in_main(runtime: &'static Runtime) {
    let Ok(new) = runtime.checker.threads().root() else { return };
    let beginning = Beginning::unseen(MAIN);
    let mask = system::block_signals();
    let begun = begin(runtime, new, &beginning);
    system::restore_signals(mask);
    if begun.is_some() {
        // SAFETY: the call gives a number.
        runtime.registry.set_handle(&beginning.joining, unsafe { libc::pthread_self() });
    }
}
