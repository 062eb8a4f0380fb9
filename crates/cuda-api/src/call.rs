//! What every call has in common: the one lock, the session made on first use, errors that stick,
//! panics that stop at the boundary, and processes that fork.

use crate::advice::Advice;
use crate::capture::Captures;
use crate::device_settings::DeviceSettings;
use crate::error::CudaError;
use crate::events::Events;
use crate::graphs::Graphs;
use crate::host_memory::HostMemory;
use crate::library::Libraries;
use crate::pools::Pools;
use crate::registered_memory::RegisteredMemory;
use crate::registry::Registry;
use crate::stream_attributes::StreamAttributes;
use crate::streams::Streams;
use crate::waiting::{self, LockedApi, Waits};
use crate::{call_site, host_thread, per_thread_default};
use std::cell::Cell;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};
use warpsan_runtime::{RuntimeError, Session, gpu_process};

/// All that this API keeps, behind one lock.
#[derive(Default)]
pub(crate) struct Api {
    session: Option<Session>,
    /// The session could not be made. Its report says so, once.
    session_failed: bool,
    pub(crate) registry: Registry,
    /// The entry point that runs now.
    pub(crate) entry_point: String,
    pub(crate) waits: Waits,
    pub(crate) streams: Streams,
    pub(crate) stream_attributes: StreamAttributes,
    pub(crate) events: Events,
    pub(crate) captures: Captures,
    pub(crate) graphs: Graphs,
    pub(crate) host_memory: HostMemory,
    pub(crate) registered_memory: RegisteredMemory,
    pub(crate) pools: Pools,
    pub(crate) advice: Advice,
    pub(crate) device_settings: DeviceSettings,
    pub(crate) libraries: Libraries,
}

impl Api {
    /// The session, made on first use. Registering code does not need one, so that a program that
    /// only carries kernels, or forks before it uses them, is not disturbed.
    pub(crate) fn session(&mut self) -> Result<&mut Session, CudaError> {
        Ok(self.session_and_registry()?.0)
    }

    /// The session together with the registry, for what needs both.
    pub(crate) fn session_and_registry(
        &mut self,
    ) -> Result<(&mut Session, &mut Registry), CudaError> {
        if self.session_failed {
            return Err(CudaError::INITIALIZATION_ERROR);
        }
        if self.session.is_none() {
            let session = Session::from_env().map_err(|error| {
                self.session_failed = true;
                tracing::error!("the session of this process could not be started: {error}");
                CudaError::INITIALIZATION_ERROR
            })?;
            let mut session = session;
            session.set_host_frames(Arc::new(call_site::frames_at));
            SESSION_PROCESS.store(std::process::id(), Ordering::Release);
            self.session = Some(session);
            // What is in line when the program ends runs before its kernels are taken away, which
            // handlers do that were there before this one.
            // SAFETY: the function stays, as this library is never unloaded.
            unsafe { libc::atexit(run_rest_at_exit) };
        }
        let session = self.session.as_mut().ok_or(CudaError::INITIALIZATION_ERROR)?;
        Ok((session, &mut self.registry))
    }

    /// The state around a session that keeps its report.
    #[cfg(test)]
    pub(crate) fn with_session(session: Session) -> Api {
        Api { session: Some(session), ..Api::default() }
    }

    /// The report of the session.
    #[cfg(test)]
    pub(crate) fn into_report(self) -> Option<warpsan_runtime::ProcessReport> {
        self.session.map(Session::into_report)
    }

    /// The session, if something has already needed it.
    pub(crate) fn existing_session(&mut self) -> Option<&mut Session> {
        self.session.as_mut()
    }
}

static API: LazyLock<Mutex<Api>> = LazyLock::new(Mutex::default);

/// The process that made the session, or 0 before there is one.
static SESSION_PROCESS: AtomicU32 = AtomicU32::new(0);

/// The error that has spoilt the device for the rest of the process, or 0.
static STICKY_ERROR: AtomicI32 = AtomicI32::new(0);

thread_local! {
    static LAST_ERROR: Cell<c_int> = const { Cell::new(0) };
}

/// Whether a call does work on the device and so reports an earlier kernel's failure.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sticky {
    Reported,
    Ignored,
}

/// Runs the body of an entry point that works on the device.
pub(crate) fn call(
    entry_point: &str,
    body: impl FnOnce(&mut Api) -> Result<(), CudaError>,
) -> CudaError {
    guarded(entry_point, Sticky::Reported, lock, |api| api, body)
}

/// Runs the body of an entry point that asks whether work is done. It is answered at once also when work is being
/// done, which may wait for what the program does next.
pub(crate) fn call_to_ask(
    entry_point: &str,
    body: impl FnOnce(&mut Api) -> Result<(), CudaError>,
) -> CudaError {
    guarded(entry_point, Sticky::Reported, lock_to_ask, |api| api, body)
}

/// Runs the body of an entry point that takes something away that work in line may need: the work is done
/// first.
pub(crate) fn call_when_idle(
    entry_point: &str,
    body: impl FnOnce(&mut Api) -> Result<(), CudaError>,
) -> CudaError {
    guarded(entry_point, Sticky::Reported, lock, waiting::work_off_everything, body)
}

/// Runs the body of an entry point that registers code or only asks for facts. It works also
/// after a kernel has failed.
pub(crate) fn call_without_device(
    entry_point: &str,
    body: impl FnOnce(&mut Api) -> Result<(), CudaError>,
) -> CudaError {
    guarded(entry_point, Sticky::Ignored, lock, |api| api, body)
}

/// Runs what a program does when it takes code away, which is mostly when it exits: it is left out
/// when a kernel is running that may never end, since nobody will use the code again.
pub(crate) fn call_at_exit(entry_point: &str, body: impl FnOnce(&mut Api)) {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        if let Some(mut api) = lock_soon() {
            body(&mut api);
        }
    }));
    if outcome.is_err() {
        record_internal_error(entry_point);
    }
}

/// Runs the body of a function that is none of the runtime: its error is not the thread's last one.
pub(crate) fn with_state<T>(
    body: impl FnOnce(&mut Api) -> Result<T, CudaError>,
) -> Result<T, CudaError> {
    let outcome = catch_unwind(AssertUnwindSafe(|| body(&mut *lock()?)));
    outcome.unwrap_or_else(|_| {
        record_internal_error("a function of the driver");
        Err(CudaError::UNKNOWN)
    })
}

fn guarded(
    entry_point: &str,
    sticky: Sticky,
    lock: impl FnOnce() -> Result<LockedApi, CudaError>,
    first: impl FnOnce(LockedApi) -> LockedApi,
    body: impl FnOnce(&mut Api) -> Result<(), CudaError>,
) -> CudaError {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        if sticky == Sticky::Reported && host_thread::is_calling_function() {
            return Err(CudaError::NOT_PERMITTED);
        }
        let mut api = lock()?;
        if sticky == Sticky::Reported {
            sticky_error()?;
        }
        if let Some(session) = api.existing_session() {
            session.note_host_accesses();
        }
        api = first(api);
        if sticky == Sticky::Reported {
            sticky_error()?;
        }
        api.entry_point.clear();
        api.entry_point.push_str(entry_point);
        let result = body(&mut api);
        waiting::end_call(api, result)
    }));
    per_thread_default::forget();
    if sticky == Sticky::Reported {
        note_call();
    }
    let result = outcome.unwrap_or_else(|_| {
        record_internal_error(entry_point);
        Err(CudaError::UNKNOWN)
    });
    let error = result.err().unwrap_or(CudaError::SUCCESS);
    if error != CudaError::SUCCESS {
        tracing::debug!("{entry_point} answers {}", error.name().to_string_lossy());
        // That work is not done yet is an answer and no error.
        if error != CudaError::NOT_READY {
            set_last_error(error);
        }
    }
    error
}

/// Takes the lock, unless this process is the forked child of one that already had a session.
/// Like CUDA, the runtime does not survive a fork; and the lock may be held by a thread that the
/// child does not have.
pub(crate) fn lock() -> Result<LockedApi, CudaError> {
    if is_forked_child() {
        return Err(CudaError::INITIALIZATION_ERROR);
    }
    // After a panic the state is still the best there is, and the panic has been recorded.
    Ok(API.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Takes the lock, unless work is being done: then the answer is that it is not done.
fn lock_to_ask() -> Result<LockedApi, CudaError> {
    if is_forked_child() {
        return Err(CudaError::INITIALIZATION_ERROR);
    }
    loop {
        match lock_if_free() {
            Some(api) => return Ok(api),
            None if host_thread::is_at_work() => {
                std::thread::yield_now();
                return Err(CudaError::NOT_READY);
            }
            // Somebody else waits for work, or is about to be done.
            None => std::thread::sleep(Duration::from_micros(20)),
        }
    }
}

/// Takes the lock if nobody has it.
pub(crate) fn lock_if_free() -> Option<LockedApi> {
    match API.try_lock() {
        Ok(api) => Some(api),
        Err(TryLockError::Poisoned(api)) => Some(api.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// When the last call ended, in milliseconds since the first one.
static LAST_CALL: AtomicU64 = AtomicU64::new(0);
static FIRST_CALL: LazyLock<Instant> = LazyLock::new(Instant::now);

fn note_call() {
    LAST_CALL.store(FIRST_CALL.elapsed().as_millis() as u64, Ordering::Relaxed);
}

/// How long the program has not called the API.
pub(crate) fn idle_time() -> Duration {
    FIRST_CALL.elapsed().saturating_sub(Duration::from_millis(LAST_CALL.load(Ordering::Relaxed)))
}

/// Takes the lock if it is free or soon will be.
fn lock_soon() -> Option<LockedApi> {
    if is_forked_child() {
        return None;
    }
    for _ in 0..20 {
        if let Some(api) = lock_if_free() {
            return Some(api);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

fn is_forked_child() -> bool {
    let process = SESSION_PROCESS.load(Ordering::Acquire);
    process != 0 && process != std::process::id()
}

/// Puts a failure of warpsan itself into the report, so that the run is not called clean.
fn record_internal_error(entry_point: &str) {
    let recorded = catch_unwind(AssertUnwindSafe(|| {
        if let Ok(mut api) = lock()
            && let Ok(session) = api.session()
        {
            session.internal_error(&format!("a panic in {entry_point}"));
        }
    }));
    if recorded.is_err() {
        tracing::error!("an internal error in {entry_point} could not be recorded");
    }
}

pub(crate) fn sticky_error() -> Result<(), CudaError> {
    match STICKY_ERROR.load(Ordering::Acquire) {
        0 => Ok(()),
        code => Err(CudaError(code)),
    }
}

/// Remembers what a kernel's failure did to the device. The first one counts.
pub(crate) fn set_sticky_error(error: CudaError) {
    // A second failure leaves the first in place; there is nothing to do about it.
    let _ = STICKY_ERROR.compare_exchange(0, error.0, Ordering::AcqRel, Ordering::Acquire);
}

/// Forgets a kernel's failure, as resetting the device does.
pub(crate) fn clear_sticky_error() {
    STICKY_ERROR.store(0, Ordering::Release);
    set_last_error(CudaError::SUCCESS);
}

fn set_last_error(error: CudaError) {
    LAST_ERROR.with(|last| last.set(error.0));
}

/// The last error of this thread, which is taken away.
pub(crate) fn take_last_error() -> CudaError {
    let error = last_error();
    set_last_error(CudaError::SUCCESS);
    error
}

/// The last error of this thread. A kernel's failure is one only when a call has answered it: it
/// comes after the launch has returned.
pub(crate) fn last_error() -> CudaError {
    CudaError(LAST_ERROR.with(Cell::get))
}

/// How a launch's error shows. A kernel that faults fails after the launch has returned: the
/// launch itself succeeds, and the error sticks to the device. Everything else is refused at once.
pub(crate) fn launch_result(result: Result<(), RuntimeError>) -> Result<(), CudaError> {
    let error = match result {
        Ok(()) => return Ok(()),
        Err(error) => error,
    };
    let failure = match error {
        RuntimeError::InvalidAddress(_) => CudaError::ILLEGAL_ADDRESS,
        RuntimeError::MisalignedAddress(_) => CudaError::MISALIGNED_ADDRESS,
        RuntimeError::AssertionFailed(_) => CudaError::ASSERT,
        RuntimeError::LaunchFailed(_) => CudaError::LAUNCH_FAILURE,
        RuntimeError::LaunchTimeout(_) => CudaError::LAUNCH_TIMEOUT,
        other => return Err(other.into()),
    };
    set_sticky_error(failure);
    Ok(())
}

/// Writes the end of the report when the process ends in an orderly way. Libraries of the program
/// may end after ours; what they still do is taken as well.
extern "C" fn finish_at_exit() {
    let finished = catch_unwind(|| {
        // A process that never called CUDA has nothing to finish, and must not build state here.
        if SESSION_PROCESS.load(Ordering::Acquire) != 0 && !is_forked_child() {
            finish();
        }
        gpu_process::end();
        warpsan_forward::note_at_exit();
    });
    if finished.is_err() {
        tracing::error!("the report of this process could not be finished");
    }
}

/// Hundredths of a second that the end of a program waits for work that is being done.
const EXIT_PATIENCE: u32 = 1000;

/// Does what is in line when the program ends. On a GPU it might be ended with the program, or not; what
/// it prints does not show.
pub(crate) extern "C" fn run_rest_at_exit() {
    let done = catch_unwind(|| {
        gpu_process::end();
        // A process that never called CUDA has no work in line, and must not build state here.
        if SESSION_PROCESS.load(Ordering::Acquire) == 0 || is_forked_child() {
            return;
        }
        // Our own thread may be doing some of it.
        for _ in 0..EXIT_PATIENCE {
            if !host_thread::is_at_work() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        if let Some(mut api) = lock_soon()
            && let Some(session) = &mut api.session
        {
            session.run_rest();
            session.take_printed();
        }
    });
    if done.is_err() {
        tracing::error!("the work that was in line could not be done");
    }
}

/// Another thread may be inside a kernel while the process exits, and will never give the lock
/// back; then the report ends without its last record, as after a kill.
fn finish() {
    if let Some(mut api) = lock_soon()
        && let Some(session) = &mut api.session
    {
        session.finish();
    }
}

// The dynamic linker runs this after the program's own exit handlers.
#[used]
// SAFETY: `.fini_array` holds pointers to functions without arguments, which is what this is.
#[unsafe(link_section = ".fini_array")]
static FINISH_AT_EXIT: extern "C" fn() = finish_at_exit;
