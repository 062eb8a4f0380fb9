//! Threads: their beginning and their end.

use super::{LOOK, real};
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use warpsan_runtime::host_threads::{
    Blocked, NewThread, Object, Operation, cancel, end_thread, forget_in_child, is_own,
    set_own_thread, take_turn,
};

/// What a new thread runs first.
struct Beginning {
    start: real::Start,
    argument: *mut c_void,
    thread: Who,
}

enum Who {
    /// A thread of ours.
    Own,
    /// A thread of the program.
    Program(NewThread),
}

unsafe extern "C-unwind" fn begin(beginning: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` below passes this, and nobody else has it.
    let beginning = unsafe { Box::from_raw(beginning.cast::<Beginning>()) };
    let Beginning { start, argument, thread } = *beginning;
    match thread {
        Who::Own => set_own_thread(),
        Who::Program(thread) => {
            thread.begin();
            watch_end();
        }
    }
    // SAFETY: the program passed both to be called like this. Nothing of ours is left that would have to be undone if the
    // thread ends in it.
    unsafe { start(argument) }
}

/// The C library calls destructors of values of a thread so often, as long as they set the value again.
const LAST_ROUND: usize = 3;

static END: OnceLock<libc::pthread_key_t> = OnceLock::new();

/// Has this thread's end noted, behind all of the program's destructors.
fn watch_end() {
    let key = END.get_or_init(|| {
        let mut key = 0;
        // SAFETY: the place is our own, and the destructor has the type that is asked for.
        unsafe { libc::pthread_key_create(&mut key, Some(on_end)) };
        key
    });
    // SAFETY: the key was made above.
    unsafe { libc::pthread_setspecific(*key, std::ptr::without_provenance(1)) };
}

unsafe extern "C" fn on_end(round: *mut c_void) {
    if round.addr() >= LAST_ROUND {
        end_thread();
    } else if let Some(key) = END.get() {
        // SAFETY: the key is one.
        unsafe { libc::pthread_setspecific(*key, std::ptr::without_provenance(round.addr() + 1)) };
    }
}

/// A forked child has one thread.
fn watch_forks() {
    static WATCHED: OnceLock<()> = OnceLock::new();
    WATCHED.get_or_init(|| {
        extern "C" fn in_child() {
            forget_in_child();
        }
        // SAFETY: the function takes no lock and may run in a child.
        unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
    });
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const c_void,
    start: real::Start,
    argument: *mut c_void,
) -> c_int {
    if is_own() {
        // SAFETY: the same contract.
        return unsafe {
            create(thread, attributes, Beginning { start, argument, thread: Who::Own })
        };
    }
    if !warpsan_forward::is_chosen() {
        watch_forks();
        NewThread::before_turns();
    }
    let Some(turn) = take_turn(Operation::Synchronise) else {
        // SAFETY: the same contract.
        return unsafe { real::create(thread, attributes, start, argument) };
    };
    watch_end();
    let new = turn.make_thread();
    let beginning = Beginning { start, argument, thread: Who::Program(new) };
    // SAFETY: the same contract.
    let answer = unsafe { create(thread, attributes, beginning) };
    // SAFETY: where a thread was made, its handle was written.
    turn.thread_made(new, (answer == 0).then(|| unsafe { *thread } as usize));
    answer
}

/// # Safety
/// That of `pthread_create`.
unsafe fn create(
    thread: *mut libc::pthread_t,
    attributes: *const c_void,
    beginning: Beginning,
) -> c_int {
    let beginning = Box::into_raw(Box::new(beginning));
    // SAFETY: the same contract; the new thread takes the box.
    let answer = unsafe { real::create(thread, attributes, begin, beginning.cast()) };
    if answer != 0 {
        // SAFETY: no thread has taken it.
        drop(unsafe { Box::from_raw(beginning) });
    }
    answer
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_join(
    thread: libc::pthread_t,
    answer: *mut *mut c_void,
) -> c_int {
    let Some(mut turn) = take_turn(Operation::Synchronise) else {
        // SAFETY: the same contract.
        return unsafe { real::join(thread, answer) };
    };
    // SAFETY: no precondition.
    let is_itself = thread == unsafe { libc::pthread_self() };
    let Some(number) = turn.thread_called(thread as usize).filter(|_| !is_itself) else {
        // SAFETY: the same contract.
        return turn.outside(|| unsafe { real::join(thread, answer) });
    };
    while !turn.has_ended(number) {
        if turn.block(Object::End(number), LOOK) == Blocked::Cancelled {
            drop(turn);
            // SAFETY: nothing of ours has to be undone.
            unsafe { real::testcancel() };
            // SAFETY: the same contract.
            return unsafe { real::join(thread, answer) };
        }
    }
    turn.acquire(Object::End(number));
    // It has nothing more to do but to end.
    // SAFETY: the same contract.
    unsafe { real::join(thread, answer) }
}

/// Functions that do not wait for the end of a thread, or not for ever.
macro_rules! joins {
    ($($name:ident($($argument:ident: $type:ty),*) natively $natively:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name(
            thread: libc::pthread_t,
            answer: *mut *mut c_void,
            $($argument: $type),*
        ) -> c_int {
            let Some(mut turn) = take_turn(Operation::Synchronise) else {
                // SAFETY: the same contract.
                return unsafe { real::$natively(thread, answer, $($argument),*) };
            };
            // SAFETY: the same contract.
            let joined = turn.outside(|| unsafe { real::$natively(thread, answer, $($argument),*) });
            if let Some(number) = turn.thread_called(thread as usize)
                && joined == 0
            {
                turn.acquire(Object::End(number));
            }
            joined
        }
    )*};
}

type Time = *const libc::timespec;

joins! {
    pthread_tryjoin_np() natively tryjoin;
    pthread_timedjoin_np(time: Time) natively timedjoin;
    pthread_clockjoin_np(clock: libc::clockid_t, time: Time) natively clockjoin;
}

#[unsafe(no_mangle)]
unsafe extern "C-unwind" fn pthread_cancel(thread: libc::pthread_t) -> c_int {
    // SAFETY: the same contract.
    let answer = unsafe { real::cancel(thread) };
    cancel(thread as usize);
    answer
}
