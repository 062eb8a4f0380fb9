//! Threads of C11, which the C library builds on those of pthreads without calling them by their names.

use super::real;
use std::ffi::{c_int, c_void};

unsafe extern "C-unwind" {
    fn pthread_mutex_lock(mutex: *mut c_void) -> c_int;
    fn pthread_mutex_timedlock(mutex: *mut c_void, time: *const libc::timespec) -> c_int;
    fn pthread_mutex_trylock(mutex: *mut c_void) -> c_int;
    fn pthread_mutex_unlock(mutex: *mut c_void) -> c_int;
    fn pthread_mutex_destroy(mutex: *mut c_void) -> c_int;
    fn pthread_cond_wait(condition: *mut c_void, mutex: *mut c_void) -> c_int;
    fn pthread_cond_timedwait(
        condition: *mut c_void,
        mutex: *mut c_void,
        time: *const libc::timespec,
    ) -> c_int;
    fn pthread_cond_signal(condition: *mut c_void) -> c_int;
    fn pthread_cond_broadcast(condition: *mut c_void) -> c_int;
    fn pthread_cond_destroy(condition: *mut c_void) -> c_int;
    fn pthread_once(control: *mut c_void, routine: real::Routine) -> c_int;
    fn pthread_create(
        thread: *mut libc::pthread_t,
        attributes: *const c_void,
        start: real::Start,
        argument: *mut c_void,
    ) -> c_int;
    fn pthread_join(thread: libc::pthread_t, answer: *mut *mut c_void) -> c_int;
}

/// `thrd_success` and its neighbours.
fn in_c11(error: c_int) -> c_int {
    match error {
        0 => 0,
        libc::EBUSY => 1,
        libc::ENOMEM | libc::EAGAIN => 3,
        libc::ETIMEDOUT => 4,
        _ => 2,
    }
}

/// Functions that are those of pthreads with other errors.
macro_rules! same {
    ($($name:ident = $function:ident($($argument:ident: $kind:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name($($argument: $kind),*) -> c_int {
            // SAFETY: the same contract.
            in_c11(unsafe { $function($($argument),*) })
        }
    )*};
}

same! {
    mtx_lock = pthread_mutex_lock(mutex: *mut c_void);
    mtx_timedlock = pthread_mutex_timedlock(mutex: *mut c_void, time: *const libc::timespec);
    mtx_trylock = pthread_mutex_trylock(mutex: *mut c_void);
    mtx_unlock = pthread_mutex_unlock(mutex: *mut c_void);
    cnd_wait = pthread_cond_wait(condition: *mut c_void, mutex: *mut c_void);
    cnd_timedwait = pthread_cond_timedwait(condition: *mut c_void, mutex: *mut c_void, time: *const libc::timespec);
    cnd_signal = pthread_cond_signal(condition: *mut c_void);
    cnd_broadcast = pthread_cond_broadcast(condition: *mut c_void);
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn mtx_destroy(mutex: *mut c_void) {
    // SAFETY: the same contract.
    unsafe { pthread_mutex_destroy(mutex) };
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn cnd_destroy(condition: *mut c_void) {
    // SAFETY: the same contract.
    unsafe { pthread_cond_destroy(condition) };
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn call_once(control: *mut c_void, routine: real::Routine) {
    // SAFETY: the same contract; both kinds of controls are the same to the C library.
    unsafe { pthread_once(control, routine) };
}

/// What a thread of C11 runs.
type Start = unsafe extern "C-unwind" fn(*mut c_void) -> c_int;

struct Beginning {
    start: Start,
    argument: *mut c_void,
}

unsafe extern "C-unwind" fn begin(beginning: *mut c_void) -> *mut c_void {
    // SAFETY: `thrd_create` below passes this, and nobody else has it.
    let beginning = unsafe { Box::from_raw(beginning.cast::<Beginning>()) };
    let Beginning { start, argument } = *beginning;
    // SAFETY: the program passed both to be called like this.
    let answer = unsafe { start(argument) };
    std::ptr::without_provenance_mut(answer as isize as usize)
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn thrd_create(
    thread: *mut libc::pthread_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    let beginning = Box::into_raw(Box::new(Beginning { start, argument }));
    // SAFETY: the same contract; the new thread takes the box.
    let answer = unsafe { pthread_create(thread, std::ptr::null(), begin, beginning.cast()) };
    if answer != 0 {
        // SAFETY: no thread has taken it.
        drop(unsafe { Box::from_raw(beginning) });
    }
    in_c11(answer)
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn thrd_join(thread: libc::pthread_t, code: *mut c_int) -> c_int {
    let mut answer = std::ptr::null_mut();
    // SAFETY: the same contract, and the place is our own.
    let joined = unsafe { pthread_join(thread, &mut answer) };
    if joined == 0 && !code.is_null() {
        // SAFETY: the program passes a place for it.
        unsafe { *code = answer.addr() as c_int };
    }
    in_c11(joined)
}
