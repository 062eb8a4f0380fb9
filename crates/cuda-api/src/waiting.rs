//! Waiting for work: a call of the host that waits does what is in line, until what it waits for is done.

use crate::call::{Api, launch_result, set_sticky_error, sticky_error};
use crate::error::CudaError;
use crate::host_thread;
use std::sync::{Condvar, MutexGuard, PoisonError};
use warpsan_runtime::{RuntimeError, Session, Step, Wait, WorkSet};

/// With more work in line than this, a call does some of it, as a GPU's queues are full at some time.
const MOST_WAITING: usize = 64;

/// The lock of this API, held.
pub(crate) type LockedApi = MutexGuard<'static, Api>;

/// A function of the host has returned.
static FUNCTION_ENDED: Condvar = Condvar::new();

/// What a call has to wait for before it returns.
#[derive(Default)]
pub(crate) struct Waits {
    awaited: Vec<WorkSet>,
    /// The call has asked whether work is done, and gets a little further with it.
    asked: bool,
}

impl Api {
    /// The call returns when this is done, and all that the program does then is after it.
    pub(crate) fn wait_for(&mut self, wait: Wait) -> Result<(), CudaError> {
        self.captures.check_wait(wait)?;
        let awaited = self.session()?.order().awaited(wait);
        self.waits.awaited.push(awaited);
        Ok(())
    }

    /// Whether something is done, which the program knows then.
    pub(crate) fn query(&mut self, wait: Wait) -> Result<(), CudaError> {
        self.captures.check_wait(wait)?;
        let session = self.session()?;
        let awaited = session.order().awaited(wait);
        if is_done(session, &awaited) {
            session.know(&awaited);
            return Ok(());
        }
        self.waits.asked = true;
        Err(CudaError::NOT_READY)
    }
}

fn is_done(session: &mut Session, work: &WorkSet) -> bool {
    let order = session.order();
    work.iter().all(|work| order.is_done(*work))
}

/// Ends a call: waits for what it has to wait for.
pub(crate) fn end_call(mut api: LockedApi, result: Result<(), CudaError>) -> Result<(), CudaError> {
    let Waits { awaited, asked } = std::mem::take(&mut api.waits);
    if asked {
        api = go_on_a_little(api);
    }
    result?;
    let waits = !awaited.is_empty();
    for awaited in awaited {
        api = work_off(api, |session| is_done(session, &awaited));
        if let Some(session) = api.existing_session() {
            session.know(&awaited);
        }
    }
    let is_crowded = |api: &mut Api| {
        api.existing_session().is_some_and(|session| session.waiting() > MOST_WAITING)
    };
    if is_crowded(&mut api) {
        api = work_off(api, |session| session.waiting() <= MOST_WAITING / 2);
    }
    if waits {
        print(&mut api);
        sticky_error()?;
    }
    Ok(())
}

/// Does all that is in line. The program learns nothing from that.
pub(crate) fn work_off_everything(api: LockedApi) -> LockedApi {
    let mut api = work_off(api, |session| session.waiting() == 0);
    print(&mut api);
    api
}

/// What kernels have printed shows when the host waits.
fn print(api: &mut Api) {
    if let Some(session) = api.existing_session() {
        crate::printed::to_standard_output(&session.take_printed());
    }
}

/// Does what is in line until it is enough, or nothing more can be done.
fn work_off(mut api: LockedApi, is_enough: impl Fn(&mut Session) -> bool) -> LockedApi {
    loop {
        let Some(session) = api.existing_session() else { return api };
        if is_enough(session) {
            return api;
        }
        let moved;
        (api, moved) = step(api);
        match moved {
            Moved::On => {}
            Moved::Waits => {
                api = FUNCTION_ENDED.wait(api).unwrap_or_else(PoisonError::into_inner);
            }
            Moved::Nowhere => return api,
        }
    }
}

/// Whether a step did something.
pub(crate) enum Moved {
    On,
    /// A function of the host runs, and everything else comes after it.
    Waits,
    Nowhere,
}

/// Does one piece of work, or has it done where it may not end before the host goes on.
fn go_on_a_little(api: LockedApi) -> LockedApi {
    let (api, moved) = step_by(api, Session::step_that_ends);
    if matches!(moved, Moved::Nowhere) {
        host_thread::go_on();
    }
    api
}

/// Does one piece of work, if there is one.
pub(crate) fn step(api: LockedApi) -> (LockedApi, Moved) {
    step_by(api, Session::step)
}

fn step_by(mut api: LockedApi, step: impl FnOnce(&mut Session) -> Step) -> (LockedApi, Moved) {
    let Some(session) = api.existing_session() else { return (api, Moved::Nowhere) };
    let moved = match step(session) {
        Step::Nothing => Moved::Nowhere,
        Step::Busy => Moved::Waits,
        Step::Done(result) => {
            if result.is_err() {
                // The device is lost, and all that it was to do.
                device_failed(result);
                session.abandon_work();
            }
            Moved::On
        }
        Step::HostFunction(work, function) => {
            if !host_thread::call(work, function) {
                session.not_checked(
                    "a function of the host in a stream",
                    "cudaLaunchHostFunc",
                    "no thread could be started, and the function was not called",
                );
                session.end_host_function(work);
            }
            Moved::On
        }
    };
    (api, moved)
}

/// A failure of work sticks to the device.
fn device_failed(result: Result<(), RuntimeError>) {
    if let Err(error) = launch_result(result) {
        set_sticky_error(error);
    }
}

/// A function of the host has returned, and who waits for it can go on.
pub(crate) fn function_ended() {
    FUNCTION_ENDED.notify_all();
}
