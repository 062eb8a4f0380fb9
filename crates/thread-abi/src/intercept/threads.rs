//! Threads of POSIX: where they begin, and who waits for their end.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;

use warpsan_thread_detect::{NewThread, Span};

use super::mutexes::Time;
use crate::context::Context;
use crate::linker::behind;
use crate::lock::locked;
use crate::own_code;
use crate::registry::{Beginning, Joining};
use crate::runtime::Runtime;
use crate::site::with_site;
use crate::system::{self, SignalMask};
use crate::thread::{begin, entered};

pub(super) type Routine = extern "C-unwind" fn(*mut c_void) -> *mut c_void;
type Attributes = *const libc::pthread_attr_t;
type Handle = libc::pthread_t;

mod real {
    use super::*;
    behind! {
        fn pthread_create(handle: *mut Handle, attributes: Attributes, routine: Routine, argument: *mut c_void) -> c_int;
        fn pthread_join(handle: Handle, result: *mut *mut c_void) -> c_int;
        fn pthread_tryjoin_np(handle: Handle, result: *mut *mut c_void) -> c_int;
        fn pthread_timedjoin_np(handle: Handle, result: *mut *mut c_void, time: Time) -> c_int;
        fn pthread_clockjoin_np(handle: Handle, result: *mut *mut c_void, clock: libc::clockid_t, time: Time) -> c_int;
        fn pthread_detach(handle: Handle) -> c_int;
        fn pthread_setname_np(handle: Handle, name: *const c_char) -> c_int;
    }
}

/// What a new thread is given.
pub(super) struct Start<R> {
    pub(super) routine: R,
    pub(super) argument: *mut c_void,
    runtime: &'static Runtime,
    new: NewThread,
    started_by: u32,
    started_at: Context,
    joining: Arc<Joining>,
    /// Signals that are blocked in the new thread once it has begun.
    mask: SignalMask,
}

/// What who starts a thread has to know of it: what the thread is given, and how it is joined.
pub(super) struct Starting<R> {
    pub(super) start: *mut Start<R>,
    runtime: &'static Runtime,
    joining: Arc<Joining>,
    mask: SignalMask,
}

impl<R> Starting<R> {
    /// The C library has started the thread, or has not.
    ///
    /// # Safety
    ///
    /// Nobody else has got `start` if there is no thread.
    pub(super) unsafe fn end(self, handle: Option<Handle>) {
        system::restore_signals(self.mask);
        match handle {
            Some(handle) => {
                if let Some(thread) = entered() {
                    self.runtime.registry.set_handle(&self.joining, handle);
                    drop(thread);
                }
            }
            // SAFETY: the caller's promise.
            None => drop(unsafe { Box::from_raw(self.start) }),
        }
    }
}

impl<R> Start<R> {
    /// The calling thread is about to start another one. All signals are blocked until that is done, and in the new thread, which
    /// inherits this, until it has begun. None: the process is not checked.
    pub(super) fn prepare(
        routine: R,
        argument: *mut c_void,
        detached: bool,
        site: u64,
    ) -> Option<Starting<R>> {
        let mut thread = entered()?;
        let runtime = thread.runtime;
        let (new, joining) = match thread.start_another(site) {
            Ok(started) => started,
            Err(error) => {
                runtime.lose("threads that were started", &error.to_string());
                return None;
            }
        };
        if detached {
            joining.detach();
        }
        let mask = system::block_signals();
        let start = Start {
            mask,
            routine,
            argument,
            runtime,
            new,
            started_by: thread.info.number,
            started_at: thread.calls_at(site),
            joining: Arc::clone(&joining),
        };
        Some(Starting { start: Box::into_raw(Box::new(start)), runtime, joining, mask })
    }

    /// The new thread begins. What it has to run, and with what.
    ///
    /// # Safety
    ///
    /// It is from `prepare`, and used once.
    pub(super) unsafe fn begin(start: *mut c_void) -> (R, *mut c_void) {
        // SAFETY: the caller's promise.
        let start = *unsafe { Box::from_raw(start.cast::<Start<R>>()) };
        let Start { routine, argument, runtime, new, started_by, started_at, joining, mask } =
            start;
        let beginning = Beginning { started_by: Some(started_by), started_at, joining };
        let begun = begin(runtime, new, &beginning);
        system::restore_signals(mask);
        if begun.is_some() {
            introduce();
        }
        (routine, argument)
    }
}

/// Says by which handle the calling thread can be joined, and that nobody has used its stack before.
fn introduce() {
    let stack = own_stack();
    let Some(mut thread) = entered() else { return };
    // SAFETY: the call gives a number.
    let handle = unsafe { libc::pthread_self() };
    locked(&thread.info.details).stack = stack;
    thread.runtime.registry.set_handle(&thread.info.joining, handle);
    if let Some((first, last)) = stack {
        thread.begin_memory(Span { address: first, size: last - first });
    }
}

/// The first and the last address of the calling thread's stack.
fn own_stack() -> Option<(u64, u64)> {
    // SAFETY: all places are our own.
    unsafe {
        let mut attributes = std::mem::zeroed::<libc::pthread_attr_t>();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return None;
        }
        let (mut start, mut size) = (std::ptr::null_mut(), 0);
        let result =
            libc::pthread_attr_getstack(&raw const attributes, &raw mut start, &raw mut size);
        libc::pthread_attr_destroy(&raw mut attributes);
        (result == 0).then_some((start as u64, start as u64 + size as u64))
    }
}

extern "C-unwind" fn run(start: *mut c_void) -> *mut c_void {
    // SAFETY: `create` has passed it.
    let (routine, argument) = unsafe { Start::<Routine>::begin(start) };
    routine(argument)
}

unsafe extern "C-unwind" fn create(
    handle: *mut Handle,
    attributes: Attributes,
    routine: Routine,
    argument: *mut c_void,
    site: u64,
) -> c_int {
    // SAFETY: the program passes null or attributes.
    let detached = unsafe { is_detached(attributes) };
    // The library behind us makes threads of POSIX of those of C11, which have come by already.
    let starting = match own_code::contains(site) {
        true => None,
        false => Start::prepare(routine, argument, detached, site),
    };
    let Some(starting) = starting else {
        // SAFETY: the same contract.
        return unsafe { real::pthread_create(handle, attributes, routine, argument) };
    };
    let mut new = 0;
    // SAFETY: the same contract; a failed call has started nothing.
    unsafe {
        let start = starting.start.cast();
        let result = real::pthread_create(&raw mut new, attributes, run, start);
        if result == 0 {
            handle.write(new);
        }
        starting.end((result == 0).then_some(new));
        result
    }
}

/// # Safety
///
/// They are null or attributes.
unsafe fn is_detached(attributes: Attributes) -> bool {
    unsafe extern "C" {
        fn pthread_attr_getdetachstate(attributes: Attributes, state: *mut c_int) -> c_int;
    }
    let mut state = libc::PTHREAD_CREATE_JOINABLE;
    if !attributes.is_null() {
        // SAFETY: the caller's promise.
        unsafe { pthread_attr_getdetachstate(attributes, &raw mut state) };
    }
    state == libc::PTHREAD_CREATE_DETACHED
}

/// Waits for a thread by one of the functions that do so.
pub(super) fn join_by(handle: Handle, wait: impl FnOnce() -> c_int) -> c_int {
    struct PutBack(Handle, Option<Arc<Joining>>, &'static Runtime);
    impl Drop for PutBack {
        fn drop(&mut self) {
            if let Some(joining) = self.1.take() {
                self.2.registry.put_back(self.0, joining);
            }
        }
    }
    let taken = entered().map(|thread| {
        let info = thread.runtime.registry.take_handle(handle);
        PutBack(handle, info, thread.runtime)
    });
    // It does not return if this thread is cancelled.
    let result = wait();
    if result == 0
        && let Some(mut taken) = taken
        && let Some(joining) = taken.1.take()
        && let Some(mut thread) = entered()
    {
        thread.join(&joining);
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_join(handle: Handle, result: *mut *mut c_void) -> c_int {
    // SAFETY: the same contract.
    join_by(handle, || unsafe { real::pthread_join(handle, result) })
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_tryjoin_np(handle: Handle, result: *mut *mut c_void) -> c_int {
    // SAFETY: the same contract.
    join_by(handle, || unsafe { real::pthread_tryjoin_np(handle, result) })
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_timedjoin_np(
    handle: Handle,
    result: *mut *mut c_void,
    time: Time,
) -> c_int {
    // SAFETY: the same contract.
    join_by(handle, || unsafe { real::pthread_timedjoin_np(handle, result, time) })
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_clockjoin_np(
    handle: Handle,
    result: *mut *mut c_void,
    clock: libc::clockid_t,
    time: Time,
) -> c_int {
    // SAFETY: the same contract.
    join_by(handle, || unsafe { real::pthread_clockjoin_np(handle, result, clock, time) })
}

/// A thread that nobody will join.
pub(super) fn detach_by(handle: Handle, detach: impl FnOnce() -> c_int) -> c_int {
    let joining = entered().and_then(|thread| thread.runtime.registry.of_handle(handle));
    let result = detach();
    if result == 0
        && let (Some(joining), Some(mut thread)) = (joining, entered())
        && thread.abandon(&joining)
    {
        thread.runtime.registry.take_handle(handle);
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_detach(handle: Handle) -> c_int {
    // SAFETY: the same contract.
    detach_by(handle, || unsafe { real::pthread_detach(handle) })
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_setname_np(handle: Handle, name: *const c_char) -> c_int {
    // SAFETY: the same contract.
    let result = unsafe { real::pthread_setname_np(handle, name) };
    if result == 0
        && let Some(thread) = entered()
    {
        // SAFETY: the program passes a text.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        thread.runtime.registry.set_name(handle, name);
    }
    result
}

with_site! {
    pthread_create, "r8" => create;
}
