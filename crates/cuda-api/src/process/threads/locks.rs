//! Mutexes, spin locks, and locks for readers and writers.

use super::{Deadline, LOOK, real};
use std::ffi::{c_int, c_void};
use warpsan_runtime::host_threads::{Object, Operation, Turn, take_turn};

/// A lock that one thread holds at a time: how it is tried, and how it is taken natively.
#[derive(Clone, Copy)]
struct Exclusive {
    attempt: unsafe fn(*mut c_void) -> c_int,
    natively: unsafe fn(*mut c_void) -> c_int,
}

const MUTEX: Exclusive = Exclusive { attempt: real::mutex_trylock, natively: real::mutex_lock };
const SPIN: Exclusive = Exclusive { attempt: real::spin_trylock, natively: real::spin_lock };
const WRITER: Exclusive =
    Exclusive { attempt: real::rwlock_trywrlock, natively: real::rwlock_wrlock };

/// Whether a lock was taken: its last holder may have ended while it had it.
fn is_taken(answer: c_int) -> bool {
    answer == 0 || answer == libc::EOWNERDEAD
}

fn note_taken(turn: &Turn, lock: *mut c_void, answer: c_int) {
    if is_taken(answer) {
        turn.acquire(Object::Lock(lock.addr()));
        turn.acquire(Object::Readers(lock.addr()));
        turn.set_held(Object::Lock(lock.addr()), true);
    }
}

/// Tries until it is taken, or the time is over.
///
/// # Safety
/// `lock` is one of the kind.
unsafe fn take(
    turn: &mut Turn,
    kind: Exclusive,
    lock: *mut c_void,
    deadline: Option<Deadline>,
) -> c_int {
    let object = Object::Lock(lock.addr());
    loop {
        // SAFETY: passed on.
        let answer = unsafe { (kind.attempt)(lock) };
        if answer != libc::EBUSY {
            note_taken(turn, lock, answer);
            return answer;
        }
        if turn.holds(object) && deadline.is_none() {
            // It has the lock already: an error, or a wait for ever, as the kind of lock says.
            // SAFETY: passed on.
            return turn.outside(|| unsafe { (kind.natively)(lock) });
        }
        match Deadline::look(deadline, LOOK) {
            Ok(look) => turn.block(object, look),
            Err(error) => return error,
        };
    }
}

/// Takes a mutex in a turn that is there already, as a wait for a condition does at its end.
///
/// # Safety
/// `mutex` is one.
pub(super) unsafe fn take_mutex(turn: &mut Turn, mutex: *mut c_void) -> c_int {
    // SAFETY: passed on.
    unsafe { take(turn, MUTEX, mutex, None) }
}

/// Gives a lock back that one thread held.
///
/// # Safety
/// `lock` is what `natively` unlocks.
pub(super) unsafe fn give_back(
    turn: &Turn,
    lock: *mut c_void,
    natively: unsafe fn(*mut c_void) -> c_int,
) -> c_int {
    let object = Object::Lock(lock.addr());
    turn.release(object);
    turn.set_held(object, false);
    // SAFETY: passed on.
    let answer = unsafe { natively(lock) };
    turn.wake(object, true);
    answer
}

/// Functions that take a lock for one thread.
macro_rules! takes {
    ($($name:ident = $kind:ident($($argument:ident: $type:ty),*), until $deadline:expr, natively $natively:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(lock: *mut c_void, $($argument: $type),*) -> c_int {
            let Some(mut turn) = take_turn(Operation::Synchronise) else {
                // SAFETY: the same contract.
                return unsafe { real::$natively(lock, $($argument),*) };
            };
            // SAFETY: the same contract.
            unsafe { take(&mut turn, $kind, lock, $deadline) }
        }
    )*};
}

type Time = *const libc::timespec;

takes! {
    pthread_mutex_lock = MUTEX(), until None, natively mutex_lock;
    pthread_mutex_timedlock = MUTEX(time: Time), until Some(Deadline::new(libc::CLOCK_REALTIME, time)), natively mutex_timedlock;
    pthread_mutex_clocklock = MUTEX(clock: libc::clockid_t, time: Time), until Some(Deadline::new(clock, time)),
        natively mutex_clocklock;
    pthread_spin_lock = SPIN(), until None, natively spin_lock;
    pthread_rwlock_wrlock = WRITER(), until None, natively rwlock_wrlock;
    pthread_rwlock_timedwrlock = WRITER(time: Time), until Some(Deadline::new(libc::CLOCK_REALTIME, time)),
        natively rwlock_timedwrlock;
    pthread_rwlock_clockwrlock = WRITER(clock: libc::clockid_t, time: Time), until Some(Deadline::new(clock, time)),
        natively rwlock_clockwrlock;
}

/// Functions that try to take a lock for one thread.
macro_rules! tries {
    ($($name:ident natively $natively:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(lock: *mut c_void) -> c_int {
            let turn = take_turn(Operation::Synchronise);
            // SAFETY: the same contract.
            let answer = unsafe { real::$natively(lock) };
            if let Some(turn) = turn {
                note_taken(&turn, lock, answer);
            }
            answer
        }
    )*};
}

tries! {
    pthread_mutex_trylock natively mutex_trylock;
    pthread_spin_trylock natively spin_trylock;
    pthread_rwlock_trywrlock natively rwlock_trywrlock;
}

/// Functions that give a lock back.
macro_rules! gives_back {
    ($($name:ident natively $natively:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(lock: *mut c_void) -> c_int {
            match take_turn(Operation::Synchronise) {
                // SAFETY: the same contract.
                Some(turn) => unsafe { give_back(&turn, lock, real::$natively) },
                // SAFETY: the same contract.
                None => unsafe { real::$natively(lock) },
            }
        }
    )*};
}

gives_back! {
    pthread_mutex_unlock natively mutex_unlock;
    pthread_spin_unlock natively spin_unlock;
}

/// What readers know is handed to the next writer only: readers do not wait for each other.
#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_rwlock_unlock(lock: *mut c_void) -> c_int {
    let Some(turn) = take_turn(Operation::Synchronise) else {
        // SAFETY: the same contract.
        return unsafe { real::rwlock_unlock(lock) };
    };
    if turn.holds(Object::Lock(lock.addr())) {
        // SAFETY: the same contract.
        return unsafe { give_back(&turn, lock, real::rwlock_unlock) };
    }
    turn.release(Object::Readers(lock.addr()));
    // SAFETY: the same contract.
    let answer = unsafe { real::rwlock_unlock(lock) };
    turn.wake(Object::Lock(lock.addr()), true);
    answer
}

/// # Safety
/// `lock` is one for readers and writers.
unsafe fn take_to_read(turn: &mut Turn, lock: *mut c_void, deadline: Option<Deadline>) -> c_int {
    let object = Object::Lock(lock.addr());
    loop {
        // SAFETY: passed on.
        let answer = unsafe { real::rwlock_tryrdlock(lock) };
        if answer == 0 {
            turn.acquire(object);
        }
        if answer != libc::EBUSY {
            return answer;
        }
        if turn.holds(object) && deadline.is_none() {
            // SAFETY: passed on.
            return turn.outside(|| unsafe { real::rwlock_rdlock(lock) });
        }
        match Deadline::look(deadline, LOOK) {
            Ok(look) => turn.block(object, look),
            Err(error) => return error,
        };
    }
}

macro_rules! reads {
    ($($name:ident($($argument:ident: $type:ty),*), until $deadline:expr, natively $natively:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(lock: *mut c_void, $($argument: $type),*) -> c_int {
            let Some(mut turn) = take_turn(Operation::Synchronise) else {
                // SAFETY: the same contract.
                return unsafe { real::$natively(lock, $($argument),*) };
            };
            // SAFETY: the same contract.
            unsafe { take_to_read(&mut turn, lock, $deadline) }
        }
    )*};
}

reads! {
    pthread_rwlock_rdlock(), until None, natively rwlock_rdlock;
    pthread_rwlock_timedrdlock(time: Time), until Some(Deadline::new(libc::CLOCK_REALTIME, time)), natively rwlock_timedrdlock;
    pthread_rwlock_clockrdlock(clock: libc::clockid_t, time: Time), until Some(Deadline::new(clock, time)),
        natively rwlock_clockrdlock;
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_rwlock_tryrdlock(lock: *mut c_void) -> c_int {
    let turn = take_turn(Operation::Synchronise);
    // SAFETY: the same contract.
    let answer = unsafe { real::rwlock_tryrdlock(lock) };
    if let Some(turn) = turn
        && answer == 0
    {
        turn.acquire(Object::Lock(lock.addr()));
    }
    answer
}

/// Functions that end a lock: another one may be at its address later.
macro_rules! destroys {
    ($($name:ident natively $natively:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(lock: *mut c_void) -> c_int {
            if let Some(turn) = take_turn(Operation::Synchronise) {
                turn.forget(Object::Lock(lock.addr()));
                turn.forget(Object::Readers(lock.addr()));
            }
            // SAFETY: the same contract.
            unsafe { real::$natively(lock) }
        }
    )*};
}

destroys! {
    pthread_mutex_destroy natively mutex_destroy;
    pthread_spin_destroy natively spin_destroy;
    pthread_rwlock_destroy natively rwlock_destroy;
}
