//! The functions of the C library behind ours.

use crate::process::behind::Behind;
use std::ffi::{c_int, c_void};

/// Functions of the C library, by their names, and what they answer where there is none.
macro_rules! behind {
    ($($(#[version $version:literal])? $name:ident as $text:literal($($argument:ident: $kind:ty),*) -> $answer:ty, else $missing:expr;)*) => {$(
        /// # Safety
        /// That of the function of the C library.
        pub(super) unsafe fn $name($($argument: $kind),*) -> $answer {
            static BEHIND: Behind = Behind::new($text)$(.of_version($version))?;
            let behind = BEHIND.get();
            if behind.is_null() {
                return $missing;
            }
            type Function = unsafe extern "C-unwind" fn($($kind),*) -> $answer;
            // SAFETY: the function behind has the same name and so the same type.
            let behind: Function = unsafe { std::mem::transmute::<*mut c_void, Function>(behind) };
            // SAFETY: the same contract.
            unsafe { behind($($argument),*) }
        }
    )*};
}

type Time = *const libc::timespec;
/// What a thread runs.
pub(super) type Start = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;
/// What is run once.
pub(super) type Routine = unsafe extern "C-unwind" fn();

// Only the condition variables of this version are the ones that programs use.
behind! {
    mutex_lock as c"pthread_mutex_lock"(mutex: *mut c_void) -> c_int, else libc::ENOSYS;
    mutex_trylock as c"pthread_mutex_trylock"(mutex: *mut c_void) -> c_int, else libc::ENOSYS;
    mutex_timedlock as c"pthread_mutex_timedlock"(mutex: *mut c_void, time: Time) -> c_int, else libc::ENOSYS;
    mutex_clocklock as c"pthread_mutex_clocklock"(mutex: *mut c_void, clock: libc::clockid_t, time: Time) -> c_int, else libc::ENOSYS;
    mutex_unlock as c"pthread_mutex_unlock"(mutex: *mut c_void) -> c_int, else libc::ENOSYS;
    mutex_destroy as c"pthread_mutex_destroy"(mutex: *mut c_void) -> c_int, else libc::ENOSYS;
    spin_lock as c"pthread_spin_lock"(lock: *mut c_void) -> c_int, else libc::ENOSYS;
    spin_trylock as c"pthread_spin_trylock"(lock: *mut c_void) -> c_int, else libc::ENOSYS;
    spin_unlock as c"pthread_spin_unlock"(lock: *mut c_void) -> c_int, else libc::ENOSYS;
    spin_destroy as c"pthread_spin_destroy"(lock: *mut c_void) -> c_int, else libc::ENOSYS;
    rwlock_rdlock as c"pthread_rwlock_rdlock"(lock: *mut c_void) -> c_int, else libc::ENOSYS;
    rwlock_tryrdlock as c"pthread_rwlock_tryrdlock"(lock: *mut c_void) -> c_int, else libc::ENOSYS;
    rwlock_timedrdlock as c"pthread_rwlock_timedrdlock"(lock: *mut c_void, time: Time) -> c_int, else libc::ENOSYS;
    rwlock_clockrdlock as c"pthread_rwlock_clockrdlock"(lock: *mut c_void, clock: libc::clockid_t, time: Time) -> c_int, else libc::ENOSYS;
    rwlock_wrlock as c"pthread_rwlock_wrlock"(lock: *mut c_void) -> c_int, else libc::ENOSYS;
    rwlock_trywrlock as c"pthread_rwlock_trywrlock"(lock: *mut c_void) -> c_int, else libc::ENOSYS;
    rwlock_timedwrlock as c"pthread_rwlock_timedwrlock"(lock: *mut c_void, time: Time) -> c_int, else libc::ENOSYS;
    rwlock_clockwrlock as c"pthread_rwlock_clockwrlock"(lock: *mut c_void, clock: libc::clockid_t, time: Time) -> c_int, else libc::ENOSYS;
    rwlock_unlock as c"pthread_rwlock_unlock"(lock: *mut c_void) -> c_int, else libc::ENOSYS;
    rwlock_destroy as c"pthread_rwlock_destroy"(lock: *mut c_void) -> c_int, else libc::ENOSYS;
    #[version c"GLIBC_2.3.2"]
    cond_init as c"pthread_cond_init"(condition: *mut c_void, attributes: *const c_void) -> c_int, else libc::ENOSYS;
    #[version c"GLIBC_2.3.2"]
    cond_destroy as c"pthread_cond_destroy"(condition: *mut c_void) -> c_int, else libc::ENOSYS;
    #[version c"GLIBC_2.3.2"]
    cond_wait as c"pthread_cond_wait"(condition: *mut c_void, mutex: *mut c_void) -> c_int, else libc::ENOSYS;
    #[version c"GLIBC_2.3.2"]
    cond_timedwait as c"pthread_cond_timedwait"(condition: *mut c_void, mutex: *mut c_void, time: Time) -> c_int, else libc::ENOSYS;
    cond_clockwait as c"pthread_cond_clockwait"(condition: *mut c_void, mutex: *mut c_void, clock: libc::clockid_t, time: Time) -> c_int, else libc::ENOSYS;
    #[version c"GLIBC_2.3.2"]
    cond_signal as c"pthread_cond_signal"(condition: *mut c_void) -> c_int, else libc::ENOSYS;
    #[version c"GLIBC_2.3.2"]
    cond_broadcast as c"pthread_cond_broadcast"(condition: *mut c_void) -> c_int, else libc::ENOSYS;
    barrier_init as c"pthread_barrier_init"(barrier: *mut c_void, attributes: *const c_void, count: u32) -> c_int, else libc::ENOSYS;
    barrier_wait as c"pthread_barrier_wait"(barrier: *mut c_void) -> c_int, else libc::ENOSYS;
    barrier_destroy as c"pthread_barrier_destroy"(barrier: *mut c_void) -> c_int, else libc::ENOSYS;
    sem_wait as c"sem_wait"(semaphore: *mut c_void) -> c_int, else -1;
    sem_trywait as c"sem_trywait"(semaphore: *mut c_void) -> c_int, else -1;
    sem_timedwait as c"sem_timedwait"(semaphore: *mut c_void, time: Time) -> c_int, else -1;
    sem_clockwait as c"sem_clockwait"(semaphore: *mut c_void, clock: libc::clockid_t, time: Time) -> c_int, else -1;
    sem_post as c"sem_post"(semaphore: *mut c_void) -> c_int, else -1;
    sem_destroy as c"sem_destroy"(semaphore: *mut c_void) -> c_int, else -1;
    create as c"pthread_create"(thread: *mut libc::pthread_t, attributes: *const c_void, start: Start, argument: *mut c_void)
        -> c_int, else libc::ENOSYS;
    join as c"pthread_join"(thread: libc::pthread_t, answer: *mut *mut c_void) -> c_int, else libc::ENOSYS;
    tryjoin as c"pthread_tryjoin_np"(thread: libc::pthread_t, answer: *mut *mut c_void) -> c_int, else libc::ENOSYS;
    timedjoin as c"pthread_timedjoin_np"(thread: libc::pthread_t, answer: *mut *mut c_void, time: Time) -> c_int, else libc::ENOSYS;
    clockjoin as c"pthread_clockjoin_np"(thread: libc::pthread_t, answer: *mut *mut c_void, clock: libc::clockid_t, time: Time)
        -> c_int, else libc::ENOSYS;
    cancel as c"pthread_cancel"(thread: libc::pthread_t) -> c_int, else libc::ENOSYS;
    testcancel as c"pthread_testcancel"() -> (), else nothing();
    once as c"pthread_once"(control: *mut c_void, routine: Routine) -> c_int, else libc::ENOSYS;
    guard_acquire as c"__cxa_guard_acquire"(guard: *mut u64) -> c_int, else guard_is_free(guard);
    guard_release as c"__cxa_guard_release"(guard: *mut u64) -> (), else end_guard(guard);
    guard_abort as c"__cxa_guard_abort"(guard: *mut u64) -> (), else nothing();
    syscall as c"syscall"(number: i64, a: i64, b: i64, c: i64, d: i64, e: i64, f: i64) -> i64, else -1;
}

/// Where no C++ library has the function: whether the variable is still to be initialised, as its first byte says.
fn guard_is_free(guard: *mut u64) -> c_int {
    // SAFETY: the compiler passes the guard of a variable.
    c_int::from(unsafe { guard.cast::<u8>().read_volatile() } == 0)
}

fn end_guard(guard: *mut u64) {
    // SAFETY: the compiler passes the guard of a variable.
    unsafe { guard.cast::<u8>().write_volatile(1) }
}

fn nothing() {}
