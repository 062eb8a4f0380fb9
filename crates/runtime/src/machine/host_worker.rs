//! What the thread for functions of the host does. It also advances queued work when the program has not called the API
//! for a while: it may look at memory until a kernel has written it.

use super::host_thread::{self, Job};
use super::process::{self, LockedMachine};
use super::waiting::{self, Progress};
use crate::{HostFunction, Session, WorkId, host_threads};
use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// A program that does not call the API for so long waits for something else.
const PATIENCE: Duration = Duration::from_millis(200);

/// Serves jobs until nobody can send one any more.
pub(super) fn serve(jobs: &Receiver<Job>) {
    host_threads::own(|| serve_all(jobs));
}

fn serve_all(jobs: &Receiver<Job>) {
    let of_program = block_signals();
    let mut watching = false;
    loop {
        let job = match watching {
            true => jobs.recv_timeout(PATIENCE / 4),
            false => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match job {
            Ok(Job::Call(work, function)) => run(work, &function, of_program.as_ref()),
            Ok(Job::Watch) => watching = true,
            Ok(Job::Advance) => {
                if let Ok(machine) = process::lock() {
                    drop(step(machine));
                }
            }
            Err(RecvTimeoutError::Timeout) => watching = advance_if_idle(),
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Signals are for the program's own threads; only faults of this one come here. The answer is what the program blocks.
fn block_signals() -> Option<SigSet> {
    let mut blocked = SigSet::all();
    blocked.remove(Signal::SIGSEGV);
    let before = blocked.thread_swap_mask(SigmaskHow::SIG_BLOCK);
    if let Err(error) = before {
        tracing::error!("the thread for functions of the host cannot block signals: {error}");
    }
    before.ok()
}

/// Calls a function with the signals that the program blocks: those that it raises itself come to it.
fn run(work: WorkId, function: &HostFunction, of_program: Option<&SigSet>) {
    let thread = nix::unistd::gettid().as_raw() as u64;
    with_session(|session| session.begin_host_function(work, thread));
    host_threads::run_function(
        || call_with_signals(function, of_program),
        || with_session(|session| session.end_host_function(work)),
    );
    waiting::function_ended();
}

fn call_with_signals(function: &HostFunction, of_program: Option<&SigSet>) {
    let blocked = of_program.and_then(|set| set.thread_swap_mask(SigmaskHow::SIG_SETMASK).ok());
    host_thread::run_function(function);
    if let Some(blocked) = blocked
        && let Err(error) = blocked.thread_set_mask()
    {
        tracing::error!("the thread for functions of the host cannot block signals: {error}");
    }
}

fn with_session(body: impl FnOnce(&mut Session)) {
    if let Ok(mut machine) = process::lock()
        && let Some(session) = machine.existing_session()
    {
        body(session);
    }
}

/// Does a piece of work if the program has been silent, and says whether there is more.
fn advance_if_idle() -> bool {
    if process::idle_time() < PATIENCE {
        return true;
    }
    let Some(machine) = process::lock_if_free() else { return true };
    let (_machine, progress) = step(machine);
    let has_more = !matches!(progress, Progress::None);
    // Nobody queues work meanwhile, because this still has the lock.
    host_thread::set_watched(has_more);
    has_more
}

fn step(machine: LockedMachine) -> (LockedMachine, Progress) {
    host_thread::at_work(|| waiting::step(machine))
}
