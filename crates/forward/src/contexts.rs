//! The driver's start, with which the engine of the process starts, and contexts that are made, asked and ended.

use crate::calls::{Call, filled_by};
use crate::driver::forwarding;
use crate::wrapped::{Real, Wrapped, c_name, forward_one};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Once;
use warpsan_gpu::{CUcontext, CUdevice, CUgreenCtx, CUresult, ContextEnd};
use warpsan_runtime::gpu_process;

type Init = unsafe extern "C" fn(c_uint) -> CUresult;

static REAL_INIT: Real = Real::unknown();

/// The functions of this file. The driver's start comes first, and there are no hooks before it.
pub(crate) static WRAPPED: &[Wrapped] = &[
    Wrapped { name: c_name("cuInit\0"), ours: init as *const c_void, real: &REAL_INIT },
    forward_one!(cuCtxCreate, create, (context: *mut CUcontext, flags: c_uint, device: CUdevice)),
    forward_one!(cuCtxCreate_v2, create, (context: *mut CUcontext, flags: c_uint, device: CUdevice)),
    forward_one!(cuCtxCreate_v3, create_with_affinity, (
        context: *mut CUcontext,
        parameters: *mut c_void,
        count: c_int,
        flags: c_uint,
        device: CUdevice
    )),
    forward_one!(cuCtxCreate_v4, create_with_parameters, (
        context: *mut CUcontext,
        parameters: *mut c_void,
        flags: c_uint,
        device: CUdevice
    )),
    forward_one!(cuCtxGetLimit, get_limit, (value: *mut usize, limit: c_int)),
    forward_one!(cuCtxFromGreenCtx, from_part, (context: *mut CUcontext, part: CUgreenCtx)),
    forward_one!(cuCtxDestroy, destroy, (context: CUcontext)),
    forward_one!(cuCtxDestroy_v2, destroy, (context: CUcontext)),
    forward_one!(cuDevicePrimaryCtxRetain, retain, (context: *mut CUcontext, device: CUdevice)),
    forward_one!(cuDevicePrimaryCtxRelease, release, (device: CUdevice)),
    forward_one!(cuDevicePrimaryCtxRelease_v2, release, (device: CUdevice)),
    forward_one!(cuDevicePrimaryCtxReset, reset, (device: CUdevice)),
    forward_one!(cuDevicePrimaryCtxReset_v2, reset, (device: CUdevice)),
    forward_one!(cuCtxEnablePeerAccess, enable_peer, (peer: CUcontext, flags: c_uint)),
];

/// Starts the driver and, the first time, what watches it.
unsafe extern "C" fn init(flags: c_uint) -> CUresult {
    // SAFETY: null is none, and what the driver has under this name has this type.
    let real = unsafe { std::mem::transmute::<*mut c_void, Option<Init>>(REAL_INIT.get()) };
    let Some(real) = real else { return CUresult::NOT_FOUND };
    // SAFETY: the program's own call.
    let answer = unsafe { real(flags) };
    if answer.is_success() {
        start();
    }
    answer
}

/// Starts what watches, after the driver: at the end of the process it comes before the driver's own end then.
fn start() {
    static ONCE: Once = Once::new();
    let started = std::panic::catch_unwind(|| {
        let Some(forwarding) = forwarding() else { return };
        ONCE.call_once(|| {
            gpu_process::start(&forwarding.driver);
            // SAFETY: the functions stay, as this library is never unloaded.
            unsafe {
                libc::atexit(end_at_exit);
                libc::pthread_atfork(None, None, Some(after_fork_in_child));
            }
        });
        if let Some(hooks) = gpu_process::hooks() {
            hooks.started();
        }
    });
    if started.is_err() {
        gpu_process::internal_error("a panic in cuInit");
    }
}

extern "C" fn end_at_exit() {
    if std::panic::catch_unwind(gpu_process::end).is_err() {
        tracing::error!("the engine of this process could not be ended");
    }
}

unsafe extern "C" fn after_fork_in_child() {
    gpu_process::forked();
}

/// Calls the hook for a context that was made.
///
/// # Safety
/// `place` is null or a place for a context, filled after success.
unsafe fn made<F>(call: &Call<F>, answer: CUresult, place: *mut CUcontext) -> CUresult {
    // SAFETY: the driver has filled it.
    if let Some(context) = unsafe { filled_by(answer, place) } {
        call.hooks.context_made(context);
    }
    answer
}

unsafe fn create(
    call: Call<unsafe extern "C" fn(*mut CUcontext, c_uint, CUdevice) -> CUresult>,
    context: *mut CUcontext,
    flags: c_uint,
    device: CUdevice,
) -> CUresult {
    // SAFETY: the program's own call.
    unsafe { made(&call, (call.real)(context, flags, device), context) }
}

unsafe fn create_with_affinity(
    call: Call<
        unsafe extern "C" fn(*mut CUcontext, *mut c_void, c_int, c_uint, CUdevice) -> CUresult,
    >,
    context: *mut CUcontext,
    parameters: *mut c_void,
    count: c_int,
    flags: c_uint,
    device: CUdevice,
) -> CUresult {
    // SAFETY: the program's own call.
    unsafe { made(&call, (call.real)(context, parameters, count, flags, device), context) }
}

unsafe fn create_with_parameters(
    call: Call<unsafe extern "C" fn(*mut CUcontext, *mut c_void, c_uint, CUdevice) -> CUresult>,
    context: *mut CUcontext,
    parameters: *mut c_void,
    flags: c_uint,
    device: CUdevice,
) -> CUresult {
    // SAFETY: the program's own call.
    unsafe { made(&call, (call.real)(context, parameters, flags, device), context) }
}

/// The limit that the program has set, where another one holds.
unsafe fn get_limit(
    call: Call<unsafe extern "C" fn(*mut usize, c_int) -> CUresult>,
    value: *mut usize,
    limit: c_int,
) -> CUresult {
    // SAFETY: the program's own call, and the place that the driver has filled.
    unsafe {
        let answer = (call.real)(value, limit);
        if filled_by(answer, value).is_some() {
            call.hooks.limit_queried(limit, &mut *value);
        }
        answer
    }
}

unsafe fn from_part(
    call: Call<unsafe extern "C" fn(*mut CUcontext, CUgreenCtx) -> CUresult>,
    context: *mut CUcontext,
    part: CUgreenCtx,
) -> CUresult {
    // SAFETY: the program's own call.
    unsafe { made(&call, (call.real)(context, part), context) }
}

unsafe fn retain(
    call: Call<unsafe extern "C" fn(*mut CUcontext, CUdevice) -> CUresult>,
    context: *mut CUcontext,
    device: CUdevice,
) -> CUresult {
    // SAFETY: the program's own call.
    unsafe { made(&call, (call.real)(context, device), context) }
}

unsafe fn destroy(
    call: Call<unsafe extern "C" fn(CUcontext) -> CUresult>,
    context: CUcontext,
) -> CUresult {
    // SAFETY: the program's own call.
    let mut real = || unsafe { (call.real)(context) };
    call.hooks.context_ends(ContextEnd::Destroyed(context), &mut real)
}

unsafe fn release(
    call: Call<unsafe extern "C" fn(CUdevice) -> CUresult>,
    device: CUdevice,
) -> CUresult {
    // SAFETY: the program's own call.
    let mut real = || unsafe { (call.real)(device) };
    call.hooks.context_ends(ContextEnd::PrimaryReleased(device), &mut real)
}

unsafe fn reset(
    call: Call<unsafe extern "C" fn(CUdevice) -> CUresult>,
    device: CUdevice,
) -> CUresult {
    // SAFETY: the program's own call.
    let mut real = || unsafe { (call.real)(device) };
    call.hooks.context_ends(ContextEnd::PrimaryReset(device), &mut real)
}

unsafe fn enable_peer(
    call: Call<unsafe extern "C" fn(CUcontext, c_uint) -> CUresult>,
    peer: CUcontext,
    flags: c_uint,
) -> CUresult {
    // SAFETY: the program's own call.
    let answer = unsafe { (call.real)(peer, flags) };
    if answer.is_success() {
        call.hooks.peer_access(peer);
    }
    answer
}
