//! What all calls of a program have in common, through whichever door they come: the lock, errors that stick, panics
//! that stop here, waiting at the end, and the end of the process.

use super::error::CudaError;
use super::process::{self, LockedMachine};
pub use super::state::is_forked_child;
use super::state::{Machine, has_session};
use super::{host_thread, host_worker, sticky, streams, waiting};
use crate::Session;
use crate::host_threads::{self, Operation};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// What a call has to do with the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallKind {
    /// It works on the device, and so answers an earlier kernel's failure.
    Device,
    /// It asks whether work is done. It is answered at once also when work is being done, which may wait for what
    /// the program does next.
    Query,
    /// It takes something away that queued work may need: the work is done first.
    WhenIdle,
    /// It registers code or only asks for facts. It works also after a kernel has failed.
    Facts,
}

/// Runs the body of a call.
pub fn perform(
    entry_point: &str,
    kind: CallKind,
    body: impl FnOnce(&mut Machine) -> Result<(), CudaError>,
) -> Result<(), CudaError> {
    host_thread::set_worker(host_worker::serve);
    let _turn = turn_of(kind);
    let outcome = host_threads::own(|| {
        catch_unwind(AssertUnwindSafe(|| {
            let mut machine = begin(kind)?;
            machine.entry_point.clear();
            machine.entry_point.push_str(entry_point);
            let result = body(&mut machine);
            waiting::end_call(machine, result)
        }))
    });
    streams::forget_per_thread_default();
    if kind != CallKind::Facts {
        process::note_call();
    }
    outcome.unwrap_or_else(|_| {
        record_internal_error(entry_point);
        Err(CudaError::UNKNOWN)
    })
}

/// The turn of the thread that calls, where threads take turns.
fn turn_of(kind: CallKind) -> Option<host_threads::Turn> {
    host_threads::cuda_is_near();
    match kind {
        CallKind::Device | CallKind::Query => host_threads::take_turn(Operation::Call),
        CallKind::WhenIdle => host_threads::take_turn(Operation::WaitForDevice),
        CallKind::Facts => None,
    }
}

/// Takes the lock and does what comes before the body of a call.
fn begin(kind: CallKind) -> Result<LockedMachine, CudaError> {
    let answers_failure = kind != CallKind::Facts;
    if answers_failure && host_thread::is_calling_function() {
        return Err(CudaError::NOT_PERMITTED);
    }
    let mut machine = match kind {
        CallKind::Query => process::lock_to_ask()?,
        CallKind::Device | CallKind::WhenIdle | CallKind::Facts => process::lock()?,
    };
    if answers_failure {
        sticky::check()?;
    }
    if let Some(session) = machine.existing_session() {
        session.note_host_accesses();
        name_refused_calls(session);
    }
    if kind == CallKind::WhenIdle {
        machine = waiting::drain_everything(machine);
        sticky::check()?;
    }
    Ok(machine)
}

/// Puts calls into the report that came from the handler of a signal, in the middle of another call, and were refused.
fn name_refused_calls(session: &mut Session) {
    let refused = process::take_refused();
    if refused > 0 {
        session.not_checked(
            &format!("{refused} calls of CUDA in a handler that has interrupted a call of CUDA"),
            "the handler of a signal",
            "do not call CUDA in handlers of signals",
        );
    }
}

/// Runs what a program does when it takes code away, which is mostly when it exits: it is left out
/// when a kernel is running that may never end, since nobody will use the code again.
pub fn perform_at_exit(entry_point: &str, body: impl FnOnce(&mut Machine)) {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        if let Some(mut machine) = process::lock_soon() {
            body(&mut machine);
        }
    }));
    if outcome.is_err() {
        record_internal_error(entry_point);
    }
}

/// Looks at the machine outside of any call: nothing waits, and no error sticks.
pub fn with_machine<T>(
    body: impl FnOnce(&mut Machine) -> Result<T, CudaError>,
) -> Result<T, CudaError> {
    let outcome = catch_unwind(AssertUnwindSafe(|| body(&mut *process::lock()?)));
    outcome.unwrap_or_else(|_| {
        record_internal_error("a function of the driver");
        Err(CudaError::UNKNOWN)
    })
}

/// Puts a failure of warpsan itself into the report, so that the run is not called clean.
fn record_internal_error(entry_point: &str) {
    let recorded = catch_unwind(AssertUnwindSafe(|| {
        if let Ok(mut machine) = process::lock()
            && let Ok(session) = machine.session()
        {
            session.internal_error(&format!("a panic in {entry_point}"));
        }
    }));
    if recorded.is_err() {
        tracing::error!("an internal error in {entry_point} could not be recorded");
    }
}

/// Hundredths of a second that the end of a program waits for work that is being done.
const EXIT_PATIENCE: u32 = 1000;

/// The end of the process cannot be waited for any more: what the program still asks for is done at once.
pub fn end_is_near() {
    process::begin_end();
}

/// Does what is queued when the program ends. On a GPU it might be ended with the program, or not; what it prints does
/// not show. A process that never called CUDA has nothing queued, and builds no state here.
pub fn run_rest_at_exit() {
    if is_forked_child() {
        return;
    }
    process::begin_end();
    if !has_session() {
        return;
    }
    // Our own thread may be doing some of it.
    for _ in 0..EXIT_PATIENCE {
        if !host_thread::is_at_work() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    if let Some(mut machine) = process::lock_soon()
        && let Some(session) = machine.existing_session()
    {
        session.run_rest();
        session.take_printed();
    }
}

/// Writes the end of the report when the process ends in an orderly way. Another thread may be inside a kernel
/// meanwhile, and will never give the lock back; then the report ends without its last record, as after a kill.
pub fn finish_at_exit() {
    if is_forked_child() {
        return;
    }
    process::begin_end();
    process::begin_last_record();
    if !has_session() {
        return;
    }
    if let Some(mut machine) = process::lock_soon()
        && let Some(session) = machine.existing_session()
    {
        name_refused_calls(session);
        session.finish();
    }
}
