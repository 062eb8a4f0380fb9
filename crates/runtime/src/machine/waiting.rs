//! Waiting for work: a call of the host that waits drains the queue until what it waits for is done.

use super::error::CudaError;
use super::process::{self, LockedMachine};
use super::state::{Machine, Waits};
use super::waits::is_done;
use super::{host, host_thread, sticky};
use crate::{QueueStep, Session, host_threads};
use std::sync::Condvar;

/// With more work queued than this, a call does some of it, as a GPU's queues are full at some time.
const MOST_WAITING: usize = 64;

/// With more work queued than this, also such is done that may wait for what the program does next. A GPU's queues would
/// be full, and the program would wait, too.
const MOST_OF_ALL: usize = 1024;

const HALF_OF_MOST: usize = MOST_WAITING / 2;

/// A function of the host has returned.
static FUNCTION_ENDED: Condvar = Condvar::new();

/// Ends a call: waits for what it has to wait for.
pub(super) fn end_call(
    mut machine: LockedMachine,
    result: Result<(), CudaError>,
) -> Result<(), CudaError> {
    let Waits { awaited, asked } = std::mem::take(&mut machine.waits);
    if asked {
        machine = advance_a_little(machine);
    }
    result?;
    let waits = !awaited.is_empty();
    if waits {
        drop(machine);
        host_threads::pass_to_others();
        machine = process::lock()?;
    }
    for awaited in awaited {
        machine = drain(machine, |session| is_done(session, &awaited));
        if let Some(session) = machine.existing_session() {
            session.know(&awaited);
        }
    }
    machine = drain_a_crowd(machine);
    if process::ends() {
        machine = drain_at_the_end(machine);
    }
    if waits {
        print(&mut machine);
        sticky::check()?;
    }
    Ok(())
}

/// Does some of what is queued, if that is much. Nobody waits for it: a function of the host that runs may wait for what
/// the program does after this call.
fn drain_a_crowd(mut machine: LockedMachine) -> LockedMachine {
    let waiting =
        |machine: &mut Machine| machine.existing_session().map_or(0, |session| session.waiting());
    if waiting(&mut machine) <= MOST_WAITING {
        return machine;
    }
    loop {
        let progress;
        (machine, progress) = match waiting(&mut machine) {
            0..=HALF_OF_MOST => return machine,
            count if count > MOST_OF_ALL => step(machine),
            _ => step_by(machine, Session::step_that_ends),
        };
        if !matches!(progress, Progress::Made) {
            return machine;
        }
    }
}

/// Does what a handler or destructor of the program has queued while the process ends: nobody will wait for it.
fn drain_at_the_end(machine: LockedMachine) -> LockedMachine {
    let mut machine = drain(machine, |session| session.waiting() == 0);
    if process::has_reported()
        && let Some(session) = machine.existing_session()
    {
        session.finish();
    }
    machine
}

/// Does all that is queued. The program learns nothing from that.
pub(super) fn drain_everything(machine: LockedMachine) -> LockedMachine {
    let mut machine = drain(machine, |session| session.waiting() == 0);
    print(&mut machine);
    machine
}

/// What kernels have printed shows when the host waits.
fn print(machine: &mut Machine) {
    if let (Some(session), Some(host)) = (machine.existing_session(), host::get()) {
        (host.print)(&session.take_printed());
    }
}

/// Does what is queued until it is enough, or nothing more can be done.
fn drain(mut machine: LockedMachine, is_enough: impl Fn(&mut Session) -> bool) -> LockedMachine {
    loop {
        let Some(session) = machine.existing_session() else { return machine };
        if is_enough(session) {
            return machine;
        }
        let progress;
        (machine, progress) = step(machine);
        match progress {
            Progress::Made => {}
            Progress::Blocked => {
                machine = wait_for_function(machine);
            }
            Progress::None => return machine,
        }
    }
}

/// Waits for the end of a function of the host. Other threads have their turns meanwhile, since the function may wait for them.
fn wait_for_function(machine: LockedMachine) -> LockedMachine {
    if !host_threads::take_turns() {
        return machine.wait(&FUNCTION_ENDED);
    }
    drop(machine);
    host_threads::block_until_function_ends();
    process::lock_again()
}

/// What a step came to.
pub(super) enum Progress {
    /// Something was done.
    Made,
    /// A function of the host runs, and everything else comes after it.
    Blocked,
    /// There is nothing to do.
    None,
}

/// Does one piece of work, or has it done where it may not end before the host goes on.
fn advance_a_little(machine: LockedMachine) -> LockedMachine {
    let (machine, progress) = step_by(machine, Session::step_that_ends);
    if matches!(progress, Progress::None) {
        host_thread::advance();
    }
    machine
}

/// Does one piece of work, if there is one.
pub(super) fn step(machine: LockedMachine) -> (LockedMachine, Progress) {
    step_by(machine, Session::step)
}

fn step_by(
    mut machine: LockedMachine,
    step: impl FnOnce(&mut Session) -> QueueStep,
) -> (LockedMachine, Progress) {
    let Some(session) = machine.existing_session() else { return (machine, Progress::None) };
    let progress = match step(session) {
        QueueStep::Nothing => Progress::None,
        QueueStep::Busy => Progress::Blocked,
        QueueStep::Done(result) => {
            if let Err(error) = result {
                // The device is lost, and all that it was to do.
                sticky::set(error);
                session.abandon_work();
            }
            Progress::Made
        }
        QueueStep::HostFunction(work, function) => {
            host_threads::announce_function();
            if !host_thread::call(work, function) {
                session.not_checked(
                    "a function of the host in a stream",
                    "cudaLaunchHostFunc",
                    "no thread could be started, and the function was not called",
                );
                session.end_host_function(work);
            }
            Progress::Made
        }
    };
    (machine, progress)
}

/// A function of the host has returned, and who waits for it can go on.
pub(super) fn function_ended() {
    FUNCTION_ENDED.notify_all();
}
