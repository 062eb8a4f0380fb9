//! The thread that functions of the host run on, as CUDA has one. It also goes on with work that is in line
//! when the program has not called the API for a while: it may look at memory until a kernel has written it.

use crate::call::{self, idle_time};
use crate::waiting::{self, LockedApi, Moved};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use warpsan_runtime::{HostFunction, Session, WorkId};

/// A program that does not call the API for so long waits for something else.
const PATIENCE: Duration = Duration::from_millis(200);

enum Job {
    Call(WorkId, HostFunction),
    /// Work is in line.
    Watch,
    /// Somebody asks for work that may wait for what the host does.
    GoOn,
}

static JOBS: Mutex<Option<Sender<Job>>> = Mutex::new(None);

/// The thread does work of the device.
static AT_WORK: AtomicBool = AtomicBool::new(false);

/// The thread knows that work is in line.
static WATCHED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static CALLS_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread runs a function of the host in a stream, which must not call the API.
pub(crate) fn is_calling_function() -> bool {
    CALLS_FUNCTION.get()
}

/// Has a function of the host called. The answer is false where there is no thread to call it.
pub(crate) fn call(work: WorkId, function: HostFunction) -> bool {
    send(Job::Call(work, function))
}

/// Work is in line, and nobody may ever ask for it.
pub(crate) fn watch() {
    if !WATCHED.swap(true, Ordering::Relaxed) {
        send(Job::Watch);
    }
}

/// Has a piece of work done that the caller cannot wait for.
pub(crate) fn go_on() {
    send(Job::GoOn);
}

/// Whether this thread does work of the device now, and others who ask need not wait until it is done.
pub(crate) fn is_at_work() -> bool {
    AT_WORK.load(Ordering::Acquire)
}

fn send(job: Job) -> bool {
    let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    let sender = jobs.get_or_insert_with(|| {
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new().name("warpsan host".to_string());
        if let Err(error) = thread.spawn(move || serve(&receiver)) {
            tracing::error!("no thread for functions of the host: {error}");
        }
        sender
    });
    sender.send(job).is_ok()
}

fn run(work: WorkId, function: &HostFunction) {
    // SAFETY: the call has no precondition.
    let thread = unsafe { libc::syscall(libc::SYS_gettid) } as u64;
    with_session(|session| session.begin_host_function(thread));
    CALLS_FUNCTION.set(true);
    function();
    CALLS_FUNCTION.set(false);
    with_session(|session| session.end_host_function(work));
    waiting::function_ended();
}

fn with_session(body: impl FnOnce(&mut Session)) {
    if let Ok(mut api) = call::lock()
        && let Some(session) = api.existing_session()
    {
        body(session);
    }
}

fn serve(jobs: &Receiver<Job>) {
    // Signals are for the program's own threads.
    // SAFETY: the set is our own, and the calls have no other precondition.
    unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::sigdelset(&mut all, libc::SIGSEGV);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
    let mut watching = false;
    loop {
        let job = match watching {
            true => jobs.recv_timeout(PATIENCE / 4),
            false => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match job {
            Ok(Job::Call(work, function)) => run(work, &function),
            Ok(Job::Watch) => watching = true,
            Ok(Job::GoOn) => {
                if let Ok(api) = call::lock() {
                    drop(step(api));
                }
            }
            Err(RecvTimeoutError::Timeout) => watching = go_on_if_idle(),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Does a piece of work if the program has been silent, and says whether there is more.
fn go_on_if_idle() -> bool {
    if idle_time() < PATIENCE {
        return true;
    }
    let Some(api) = call::lock_if_free() else { return true };
    let (_api, moved) = step(api);
    let has_more = !matches!(moved, Moved::Nowhere);
    // Nobody puts work in line meanwhile, because this still has the lock.
    WATCHED.store(has_more, Ordering::Relaxed);
    has_more
}

fn step(api: LockedApi) -> (LockedApi, Moved) {
    AT_WORK.store(true, Ordering::Release);
    let stepped = waiting::step(api);
    AT_WORK.store(false, Ordering::Release);
    stepped
}
