//! What every entry point has in common at this door: the last error of a thread, and the ends of the process. The rest
//! is the machine's ([`calls`]).

use crate::error_names::name_of;
use crate::process::{call_site, last_thread, printed};
use std::cell::Cell;
use std::ffi::c_int;
use std::panic::catch_unwind;
use std::sync::Arc;
use warpsan_runtime::gpu_process;
use warpsan_runtime::machine::calls::{self, CallKind};
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::host::{self, Host};
use warpsan_runtime::machine::state::Machine;

thread_local! {
    static LAST_ERROR: Cell<c_int> = const { Cell::new(0) };
}

/// Runs the body of an entry point that works on the device.
pub(crate) fn call(
    entry_point: &str,
    body: impl FnOnce(&mut Machine) -> Result<(), CudaError>,
) -> CudaError {
    perform(entry_point, CallKind::Device, body)
}

/// Runs the body of an entry point that asks whether work is done.
pub(crate) fn call_to_ask(
    entry_point: &str,
    body: impl FnOnce(&mut Machine) -> Result<(), CudaError>,
) -> CudaError {
    perform(entry_point, CallKind::Query, body)
}

/// Runs the body of an entry point that takes something away that queued work may need.
pub(crate) fn call_when_idle(
    entry_point: &str,
    body: impl FnOnce(&mut Machine) -> Result<(), CudaError>,
) -> CudaError {
    perform(entry_point, CallKind::WhenIdle, body)
}

/// Runs the body of an entry point that registers code or only asks for facts.
pub(crate) fn call_without_device(
    entry_point: &str,
    body: impl FnOnce(&mut Machine) -> Result<(), CudaError>,
) -> CudaError {
    perform(entry_point, CallKind::Facts, body)
}

/// Runs what a program does when it takes code away.
pub(crate) fn call_at_exit(entry_point: &str, body: impl FnOnce(&mut Machine)) {
    host::set(this_process);
    calls::perform_at_exit(entry_point, body);
}

/// Runs the body of a function that is none of the runtime: its error is not the thread's last one.
pub(crate) fn with_state<T>(
    body: impl FnOnce(&mut Machine) -> Result<T, CudaError>,
) -> Result<T, CudaError> {
    let _whole = NotCancelled::new();
    host::set(this_process);
    calls::with_machine(body)
}

fn perform(
    entry_point: &str,
    kind: CallKind,
    body: impl FnOnce(&mut Machine) -> Result<(), CudaError>,
) -> CudaError {
    let _whole = NotCancelled::new();
    host::set(this_process);
    let error = calls::perform(entry_point, kind, body).err().unwrap_or(CudaError::SUCCESS);
    if error != CudaError::SUCCESS {
        tracing::debug!("{entry_point} answers {}", name_of(error).to_string_lossy());
        // That work is not done yet is an answer and no error.
        if error != CudaError::NOT_READY {
            set_last_error(error);
        }
    }
    error
}

/// The thread is not cancelled while this lives: a call of CUDA is done in whole.
struct NotCancelled {
    before: c_int,
}

unsafe extern "C" {
    fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int;
}

impl NotCancelled {
    fn new() -> NotCancelled {
        /// `PTHREAD_CANCEL_DISABLE`.
        const DISABLE: c_int = 1;
        let mut before = 0;
        // SAFETY: a place for the answer.
        unsafe { pthread_setcancelstate(DISABLE, &mut before) };
        NotCancelled { before }
    }
}

impl Drop for NotCancelled {
    fn drop(&mut self) {
        // SAFETY: the state that was there before; who is not told it has no place for it.
        unsafe { pthread_setcancelstate(self.before, std::ptr::null_mut()) };
    }
}

/// What the machine asks of this process.
fn this_process() -> Host {
    Host {
        caller: call_site::here,
        frames_at: Arc::new(call_site::frames_at),
        print: printed::to_standard_output,
        session_started: || {
            // What is queued when the program ends runs before its kernels are taken away, which
            // handlers do that were there before this one.
            // SAFETY: the function stays, as this library is never unloaded.
            if unsafe { libc::atexit(at_exit) } != 0 {
                // There is no room for a handler, or the last ones have run.
                calls::end_is_near();
            }
            last_thread::start();
        },
    }
}

fn set_last_error(error: CudaError) {
    LAST_ERROR.with(|last| last.set(error.0));
}

/// Forgets the last error of this thread.
pub(crate) fn clear_last_error() {
    set_last_error(CudaError::SUCCESS);
}

/// The last error of this thread, which is taken away.
pub(crate) fn take_last_error() -> CudaError {
    let error = last_error();
    clear_last_error();
    error
}

/// The last error of this thread. A kernel's failure is one only when a call has answered it: it
/// comes after the launch has returned.
pub(crate) fn last_error() -> CudaError {
    CudaError(LAST_ERROR.with(Cell::get))
}

/// Writes the end of the report when the process ends in an orderly way. Libraries of the program
/// may end after ours; what they still do is taken as well.
extern "C" fn finish_at_exit() {
    let finished = catch_unwind(|| {
        calls::finish_at_exit();
        gpu_process::end();
        warpsan_forward::note_at_exit();
    });
    if finished.is_err() {
        tracing::error!("the report of this process could not be finished");
    }
}

extern "C" fn at_exit() {
    last_thread::run_rest();
}

/// Whether this process was forked from one that had a session.
pub(crate) fn is_forked_child() -> bool {
    calls::is_forked_child()
}

/// Does what is queued when the program ends.
pub(crate) fn run_rest_at_exit() {
    let done = catch_unwind(|| {
        gpu_process::end();
        calls::run_rest_at_exit();
    });
    if done.is_err() {
        tracing::error!("the work that was queued could not be done");
    }
}

// The dynamic linker runs this after the program's own exit handlers.
#[used]
// SAFETY: `.fini_array` holds pointers to functions without arguments, which is what this is.
#[unsafe(link_section = ".fini_array")]
static FINISH_AT_EXIT: extern "C" fn() = finish_at_exit;
