//! The thread that functions of the host run on, as CUDA has one: what others ask of it. What it does is in
//! `host_worker.rs`.

use crate::{HostFunction, WorkId};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What the thread is asked to do.
pub(super) enum Job {
    /// Calls a function of the host.
    Call(WorkId, HostFunction),
    /// Work is queued.
    Watch,
    /// Somebody asks for work that may wait for what the host does.
    Advance,
}

/// What the thread runs: it serves jobs until there are no more.
type Worker = fn(&Receiver<Job>);

static WORKER: OnceLock<Worker> = OnceLock::new();

static JOBS: Mutex<Option<Sender<Job>>> = Mutex::new(None);

/// The thread does work of the device.
static AT_WORK: AtomicBool = AtomicBool::new(false);

/// The thread knows that work is queued.
static WATCHED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static CALLS_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Says what the thread runs, before it is needed.
pub(super) fn set_worker(worker: Worker) {
    WORKER.get_or_init(|| worker);
}

/// Whether this thread runs a function of the host in a stream, which must not call the API.
pub(super) fn is_calling_function() -> bool {
    CALLS_FUNCTION.get()
}

/// Runs a function of the host on this thread.
pub(super) fn run_function(function: &HostFunction) {
    CALLS_FUNCTION.set(true);
    function();
    CALLS_FUNCTION.set(false);
}

/// Has a function of the host called. The answer is false where there is no thread to call it.
pub(super) fn call(work: WorkId, function: HostFunction) -> bool {
    send(Job::Call(work, function))
}

/// Work is queued, and nobody may ever ask for it.
pub(super) fn watch() {
    if !WATCHED.swap(true, Ordering::Relaxed) {
        send(Job::Watch);
    }
}

/// Says whether there is still work to watch.
pub(super) fn set_watched(is_watched: bool) {
    WATCHED.store(is_watched, Ordering::Relaxed);
}

/// Has a piece of work done that the caller cannot wait for.
pub(super) fn advance() {
    send(Job::Advance);
}

/// Whether the thread does work of the device now, and others who ask need not wait until it is done.
pub(super) fn is_at_work() -> bool {
    AT_WORK.load(Ordering::Acquire)
}

/// Does work of the device on this thread.
pub(super) fn at_work<T>(work: impl FnOnce() -> T) -> T {
    AT_WORK.store(true, Ordering::Release);
    let done = work();
    AT_WORK.store(false, Ordering::Release);
    done
}

fn send(job: Job) -> bool {
    let Some(worker) = WORKER.get() else { return false };
    let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    let sender = jobs.get_or_insert_with(|| {
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new().name("warpsan host".to_string());
        if let Err(error) = thread.spawn(move || worker(&receiver)) {
            tracing::error!("no thread for functions of the host: {error}");
        }
        sender
    });
    sender.send(job).is_ok()
}
