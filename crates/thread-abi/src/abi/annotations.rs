//! What programs say about themselves: their own locks, hand-overs, and what is not to be looked at.

use std::ffi::{CStr, c_char, c_int, c_long, c_void};

use warpsan_thread_detect::Span;
use warpsan_thread_trace::Action;

use crate::intercept::order;
use crate::lock::locked;
use crate::site::with_site;
use crate::thread::entered;

#[unsafe(no_mangle)]
extern "C" fn __tsan_acquire(address: u64) {
    if let Some(mut thread) = entered() {
        thread.acquire_at(address, 0);
    }
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_release(address: u64) {
    if let Some(mut thread) = entered() {
        thread.post_at(address);
    }
}

/// Flags of `__tsan_mutex_*`.
const READ_LOCK: u32 = 1 << 3;
const TRY_LOCK_FAILED: u32 = 1 << 5;

unsafe extern "C" fn post_lock(mutex: u64, flags: u32, _recursion: c_int, site: u64) {
    if flags & TRY_LOCK_FAILED == 0 {
        order::took_read_write(mutex, flags & READ_LOCK == 0, site);
    }
}

unsafe extern "C" fn pre_unlock(mutex: u64, flags: u32) -> c_int {
    order::gives_back_read_write(mutex, flags & READ_LOCK == 0);
    1
}

with_site! {
    __tsan_mutex_post_lock, "rcx" => post_lock;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_mutex_pre_unlock(mutex: u64, flags: u32) -> c_int {
    // SAFETY: the same contract.
    unsafe { pre_unlock(mutex, flags) }
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_mutex_create(_mutex: u64, _flags: u32) {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_mutex_destroy(mutex: u64, _flags: u32) {
    order::forget(mutex, 1);
}

#[unsafe(no_mangle)]
extern "C" fn __tsan_mutex_pre_lock(_mutex: u64, _flags: u32) {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_mutex_post_unlock(_mutex: u64, _flags: u32) {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_mutex_pre_signal(_mutex: u64, _flags: u32) {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_mutex_post_signal(_mutex: u64, _flags: u32) {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_mutex_pre_divert(_mutex: u64, _flags: u32) {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_mutex_post_divert(_mutex: u64, _flags: u32) {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_flush_memory() {}

#[unsafe(no_mangle)]
extern "C" fn __tsan_check_no_mutexes_held() {}

type File = *const c_char;

#[unsafe(no_mangle)]
extern "C" fn AnnotateHappensBefore(_file: File, _line: c_int, address: u64) {
    __tsan_release(address);
}

#[unsafe(no_mangle)]
extern "C" fn AnnotateHappensAfter(_file: File, _line: c_int, address: u64) {
    __tsan_acquire(address);
}

#[unsafe(no_mangle)]
extern "C" fn AnnotateCondVarSignal(_file: File, _line: c_int, address: u64) {
    __tsan_release(address);
}

#[unsafe(no_mangle)]
extern "C" fn AnnotateCondVarSignalAll(_file: File, _line: c_int, address: u64) {
    __tsan_release(address);
}

#[unsafe(no_mangle)]
extern "C" fn AnnotateCondVarWait(_file: File, _line: c_int, address: u64, _lock: u64) {
    __tsan_acquire(address);
}

unsafe extern "C" fn rwlock_acquired(
    _file: File,
    _line: c_int,
    lock: u64,
    is_writer: c_long,
    site: u64,
) {
    order::took_read_write(lock, is_writer != 0, site);
}

with_site! {
    AnnotateRWLockAcquired, "r8" => rwlock_acquired;
}

#[unsafe(no_mangle)]
extern "C" fn AnnotateRWLockReleased(_file: File, _line: c_int, lock: u64, is_writer: c_long) {
    order::gives_back_read_write(lock, is_writer != 0);
}

#[unsafe(no_mangle)]
extern "C" fn AnnotateRWLockDestroy(_file: File, _line: c_int, lock: u64) {
    order::forget(lock, 1);
}

fn ignore_accesses(begin: bool) {
    if let Some(mut thread) = entered() {
        thread.ignored = if begin { thread.ignored + 1 } else { thread.ignored.saturating_sub(1) };
    }
}

fn ignore_order(begin: bool) {
    if let Some(mut thread) = entered() {
        thread.ignored_order =
            if begin { thread.ignored_order + 1 } else { thread.ignored_order.saturating_sub(1) };
    }
}

#[unsafe(no_mangle)]
extern "C" fn AnnotateIgnoreReadsBegin(_file: File, _line: c_int) {
    ignore_accesses(true);
}

#[unsafe(no_mangle)]
extern "C" fn AnnotateIgnoreReadsEnd(_file: File, _line: c_int) {
    ignore_accesses(false);
}

#[unsafe(no_mangle)]
extern "C" fn AnnotateIgnoreWritesBegin(_file: File, _line: c_int) {
    ignore_accesses(true);
}

#[unsafe(no_mangle)]
extern "C" fn AnnotateIgnoreWritesEnd(_file: File, _line: c_int) {
    ignore_accesses(false);
}

#[unsafe(no_mangle)]
extern "C" fn AnnotateIgnoreSyncBegin(_file: File, _line: c_int) {
    ignore_order(true);
}

#[unsafe(no_mangle)]
extern "C" fn AnnotateIgnoreSyncEnd(_file: File, _line: c_int) {
    ignore_order(false);
}

#[unsafe(no_mangle)]
extern "C" fn AnnotateNewMemory(_file: File, _line: c_int, address: u64, size: c_long) {
    if let Some(mut thread) = entered() {
        let span = Span { address, size: u64::try_from(size).unwrap_or(0) };
        let checker = thread.checker;
        checker.reset(&mut thread.state, span);
        thread.trace_nowhere(Action::Allocate(span));
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn AnnotateThreadName(_file: File, _line: c_int, name: *const c_char) {
    if let Some(thread) = entered() {
        // SAFETY: the program passes a text.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        locked(&thread.info.details).name = Some(name);
    }
}

/// Annotations without a meaning for a detector that is precise.
macro_rules! nothing {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name($(_: $type),*) {
            $(let _ = stringify!($argument);)*
        }
    )*};
}

nothing! {
    AnnotateMutexIsNotPHB(file: File, line: c_int, address: u64);
    AnnotateMutexIsUsedAsCondVar(file: File, line: c_int, address: u64);
    AnnotatePCQCreate(file: File, line: c_int, address: u64);
    AnnotatePCQDestroy(file: File, line: c_int, address: u64);
    AnnotatePCQGet(file: File, line: c_int, address: u64);
    AnnotatePCQPut(file: File, line: c_int, address: u64);
    AnnotateRWLockCreate(file: File, line: c_int, address: u64);
    AnnotateRWLockCreateStatic(file: File, line: c_int, address: u64);
    AnnotateTraceMemory(file: File, line: c_int, address: u64);
    AnnotateFlushState(file: File, line: c_int);
    AnnotateEnableRaceDetection(file: File, line: c_int, enable: c_int);
    AnnotateExpectRace(file: File, line: c_int, address: u64, text: *const c_char);
    AnnotateFlushExpectedRaces(file: File, line: c_int);
    AnnotateBenignRace(file: File, line: c_int, address: u64, text: *const c_char);
    AnnotateBenignRaceSized(file: File, line: c_int, address: u64, size: c_long, text: *const c_char);
    AnnotatePublishMemoryRange(file: File, line: c_int, address: u64, size: c_long);
    AnnotateUnpublishMemoryRange(file: File, line: c_int, address: u64, size: c_long);
    AnnotateMemoryIsInitialized(file: File, line: c_int, address: u64, size: c_long);
    AnnotateMemoryIsUninitialized(file: File, line: c_int, address: u64, size: c_long);
    AnnotateNoOp(file: File, line: c_int, address: *const c_void);
    __tsan_testonly_barrier_init(barrier: *mut c_void, count: u32);
    __tsan_testonly_barrier_wait(barrier: *mut c_void);
}

/// Whether only happens-before counts.
#[unsafe(no_mangle)]
unsafe extern "C" fn ThreadSanitizerQuery(_query: *const c_char) -> c_int {
    1
}

#[unsafe(no_mangle)]
extern "C" fn RunningOnValgrind() -> c_int {
    0
}

#[unsafe(no_mangle)]
extern "C" fn ValgrindSlowdown() -> f64 {
    10.0
}
