//! The thread that does what is left to do when the process ends.
//!
//! A program may end its process in the handler of a signal, with `_exit`. The thread that the signal has interrupted may be
//! inside of the machine, or hold a lock of the C library. So the rest of the queue is not done there but here, and the
//! other one waits for it as long as something happens.
//!
//! A main thread may leave by `pthread_exit`; the process ends with its last thread then. The C library counts ours among
//! those, so this one looks whether any other is left.

use crate::call;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};

static THREAD: OnceLock<Thread> = OnceLock::new();

/// Its number.
static NUMBER: AtomicI32 = AtomicI32::new(0);

/// What the thread is asked for: one of these.
static STATE: AtomicU32 = AtomicU32::new(IDLE);
const IDLE: u32 = 0;
const ASKED: u32 = 1;
const DONE: u32 = 2;

/// The main thread has ended, and the process has not.
static MAIN_HAS_LEFT: AtomicBool = AtomicBool::new(false);

/// How often it is looked for other threads then.
const INTERVAL: Duration = Duration::from_millis(20);

/// A process that does nothing for so long is stuck.
const PATIENCE: Duration = Duration::from_secs(2);

/// Runs at the end of the main thread, unless the process ends with it.
unsafe extern "C" fn main_leaves(_: *mut c_void) {
    MAIN_HAS_LEFT.store(true, Ordering::Release);
    if let Some(thread) = THREAD.get() {
        thread.unpark();
    }
}

/// Runs on the main thread before the program does: its end will be known.
pub(super) fn watch_main_thread() {
    let mut key = 0;
    // A destructor of C++ or Rust would not be called.
    // SAFETY: the function stays, as this library is never unloaded; its argument is any but null.
    unsafe {
        if libc::pthread_key_create(&mut key, Some(main_leaves)) == 0 {
            libc::pthread_setspecific(key, std::ptr::dangling());
        }
    }
}

/// There is a session, whose queue may have a rest. Without the thread, whoever ends the process does it.
pub(crate) fn start() {
    super::system_calls::find_all();
    let thread = std::thread::Builder::new().name("warpsan end".to_string());
    match without_signals(|| thread.spawn(serve)) {
        Ok(thread) => {
            // There is one session.
            let _ = THREAD.set(thread.thread().clone());
        }
        Err(error) => tracing::error!("no thread for the end of the process: {error}"),
    }
}

fn serve() {
    NUMBER.store(own_number(), Ordering::Release);
    loop {
        match MAIN_HAS_LEFT.load(Ordering::Acquire) {
            false => std::thread::park(),
            true => {
                std::thread::park_timeout(INTERVAL);
                if STATE.load(Ordering::Acquire) == IDLE && !has_other_threads() {
                    // As the C library does after the last thread.
                    std::process::exit(0);
                }
            }
        }
        if STATE.load(Ordering::Acquire) == ASKED {
            call::run_rest_at_exit();
            STATE.store(DONE, Ordering::Release);
        }
    }
}

/// Starts a thread that no signal comes to but faults: they are for the program's own threads, and a handler that ends the
/// process would wait here for itself.
fn without_signals<T>(start: impl FnOnce() -> T) -> T {
    let mut all = MaybeUninit::uninit();
    let mut before = MaybeUninit::uninit();
    // SAFETY: both are places for sets, of which the first is filled before it is used.
    let is_blocked = unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::sigdelset(all.as_mut_ptr(), libc::SIGSEGV);
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), before.as_mut_ptr()) == 0
    };
    let started = start();
    if is_blocked {
        // SAFETY: the call above has filled the set.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    }
    started
}

/// Whether a thread of the program is left. Where that cannot be found out, one is.
fn has_other_threads() -> bool {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return true };
    threads.flatten().any(|thread| {
        let read = |what: &str| std::fs::read_to_string(thread.path().join(what));
        let is_ours = read("comm").is_ok_and(|name| name.starts_with("warpsan"));
        // Behind the name, which is in parentheses, is the state.
        let has_ended = |status: String| {
            let state = status.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
            matches!(state, Some('Z' | 'X'))
        };
        !is_ours && !read("stat").is_ok_and(has_ended)
    })
}

/// Has the rest of the queue done, as long as something happens. This may be the handler of a signal: nothing here takes a
/// lock or memory.
pub(crate) fn run_rest() {
    let Some(thread) = THREAD.get().filter(|_| !call::is_forked_child()) else {
        return call::run_rest_at_exit();
    };
    if NUMBER.load(Ordering::Acquire) == own_number() {
        return call::run_rest_at_exit();
    }
    STATE.store(ASKED, Ordering::Release);
    thread.unpark();
    let mut last = (Instant::now(), processor_time());
    for turn in 0_u32.. {
        if STATE.load(Ordering::Acquire) == DONE {
            return;
        }
        match turn {
            0..64 => std::thread::yield_now(),
            64..256 => std::thread::sleep(Duration::from_micros(100)),
            // To wait is not to be taken for doing something.
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
        if last.0.elapsed() > PATIENCE {
            let now = processor_time();
            if now.saturating_sub(last.1) < PATIENCE / 100 {
                return;
            }
            last = (Instant::now(), now);
        }
    }
}

fn own_number() -> i32 {
    // SAFETY: the call has no precondition.
    unsafe { libc::gettid() }
}

/// How long all threads of the process have run.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a place for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
