//! The end of a thread, which is after everything that the program does in it.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::current::{current, set_current};
use crate::registry::locked;
use crate::runtime::Runtime;
use crate::thread::{Beginning, Thread, begin};

thread_local! {
    static HAS_ENDED: Cell<bool> = const { Cell::new(false) };
}

/// The key whose destructor runs when a thread ends; 0 before there is one.
static KEY: AtomicU32 = AtomicU32::new(0);

/// Whether this thread's end has come: what its last destructors do is not checked.
pub(crate) fn has_ended() -> bool {
    HAS_ENDED.get()
}

/// Has the destructor called at the end of the calling thread.
pub(crate) fn call_at_end() {
    let key = match KEY.load(Ordering::Acquire) {
        0 => make_key(),
        key => key - 1,
    };
    // SAFETY: the key is one of ours; the value is only looked at for not being null.
    unsafe { libc::pthread_setspecific(key, std::ptr::dangling::<u8>().cast()) };
}

fn make_key() -> libc::pthread_key_t {
    let mut key = 0;
    // SAFETY: the place is our own, and the destructor stays.
    unsafe { libc::pthread_key_create(&mut key, Some(at_end)) };
    KEY.store(key + 1, Ordering::Release);
    key
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
            call_at_end();
            return;
        }
        end(thread);
    }
}

/// # Safety
///
/// It is the calling thread's own, which is used no more.
unsafe fn end(thread: *mut Thread) {
    HAS_ENDED.set(true);
    set_current(std::ptr::null_mut());
    // SAFETY: the caller's promise.
    unsafe { end_fiber(thread) };
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
        checker.threads().abandon(finished);
    }
}

impl Thread {
    /// Locks that are still held when their thread ends: those of robust mutexes go to the next owner.
    fn give_back_locks(&mut self) {
        for lock in crate::locks::of_set(self.locks.set()) {
            let clock = self.runtime.clocks.at(lock.address);
            self.state.release_also(&clock);
        }
    }
}

/// The main thread begins.
pub(crate) fn take_in_main(runtime: &'static Runtime) {
    let Ok(new) = runtime.checker.threads().root() else { return };
    let beginning = Beginning { is_main: true, ..Beginning::unseen() };
    if begin(runtime, new, &beginning).is_some() {
        // SAFETY: the call gives a number.
        runtime.registry.set_handle(&beginning.joining, unsafe { libc::pthread_self() });
    }
}
