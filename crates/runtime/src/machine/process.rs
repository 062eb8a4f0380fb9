//! The one machine of the process, and its lock.

use super::error::CudaError;
use super::host_thread;
use super::state::{Machine, is_forked_child};
use crate::host_threads;
use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// The machine of the process, locked.
pub(super) struct LockedMachine {
    machine: MutexGuard<'static, Machine>,
    held: Held,
}

impl LockedMachine {
    /// Whoever has the lock is who asks and waits.
    fn new(mut machine: MutexGuard<'static, Machine>, held: Held) -> LockedMachine {
        if host_threads::take_turns()
            && let Some(session) = machine.existing_session()
        {
            session.order().set_caller(host_threads::moment(), host_threads::callers());
        }
        LockedMachine { machine, held }
    }

    /// Lets others have it until somebody says that something has happened.
    pub(super) fn wait(self, for_what: &Condvar) -> LockedMachine {
        let LockedMachine { machine, held } = self;
        let machine = for_what.wait(machine).unwrap_or_else(PoisonError::into_inner);
        LockedMachine::new(machine, held)
    }
}

impl Deref for LockedMachine {
    type Target = Machine;

    fn deref(&self) -> &Machine {
        &self.machine
    }
}

impl DerefMut for LockedMachine {
    fn deref_mut(&mut self) -> &mut Machine {
        &mut self.machine
    }
}

/// This thread has the lock while this lives, or waits for it.
struct Held {
    before: bool,
}

thread_local! {
    static IS_HELD: Cell<bool> = const { Cell::new(false) };
}

impl Held {
    fn new() -> Held {
        Held { before: IS_HELD.replace(true) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        IS_HELD.set(self.before);
    }
}

/// Calls that were refused because their thread was interrupted by a signal in another one.
static REFUSED: AtomicU64 = AtomicU64::new(0);

/// Whether this thread is in a call already, from which the handler of a signal has come: it must not wait for itself.
fn is_interrupted() -> bool {
    let is_held = IS_HELD.get();
    if is_held {
        REFUSED.fetch_add(1, Ordering::Relaxed);
    }
    is_held
}

/// How many calls of handlers were refused since this was last asked.
pub(super) fn take_refused() -> u64 {
    REFUSED.swap(0, Ordering::Relaxed)
}

static MACHINE: LazyLock<Mutex<Machine>> = LazyLock::new(Mutex::default);

/// Takes the lock, unless this process is the forked child of one that already had a session.
/// Like CUDA, the machine does not survive a fork; and the lock may be held by a thread that the
/// child does not have.
pub(super) fn lock() -> Result<LockedMachine, CudaError> {
    if is_forked_child() {
        return Err(CudaError::INITIALIZATION_ERROR);
    }
    if is_interrupted() {
        return Err(CudaError::NOT_PERMITTED);
    }
    Ok(lock_again())
}

/// Takes the lock again, which this thread had and gave away.
pub(super) fn lock_again() -> LockedMachine {
    let held = Held::new();
    // After a panic the state is still the best there is, and the panic has been recorded.
    let machine = MACHINE.lock().unwrap_or_else(PoisonError::into_inner);
    LockedMachine::new(machine, held)
}

/// Takes the lock, unless work is being done: then the answer is that it is not done.
pub(super) fn lock_to_ask() -> Result<LockedMachine, CudaError> {
    if is_forked_child() {
        return Err(CudaError::INITIALIZATION_ERROR);
    }
    if is_interrupted() {
        return Err(CudaError::NOT_PERMITTED);
    }
    loop {
        match lock_if_free() {
            Some(machine) => return Ok(machine),
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
pub(super) fn lock_if_free() -> Option<LockedMachine> {
    let held = Held::new();
    let machine = match MACHINE.try_lock() {
        Ok(machine) => machine,
        Err(TryLockError::Poisoned(machine)) => machine.into_inner(),
        Err(TryLockError::WouldBlock) => return None,
    };
    Some(LockedMachine::new(machine, held))
}

/// Takes the lock if it is free or soon will be.
pub(super) fn lock_soon() -> Option<LockedMachine> {
    if is_forked_child() {
        return None;
    }
    for _ in 0..20 {
        if let Some(machine) = lock_if_free() {
            return Some(machine);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    None
}

/// The process that ends, and the one whose report has its last record; 0 is none. A child that shares its parent's memory
/// (`vfork`) may end, too, and that is no end of the parent.
static ENDING: AtomicU32 = AtomicU32::new(0);
static REPORTED: AtomicU32 = AtomicU32::new(0);

/// The process ends. Handlers and destructors of the program may still call, and nobody comes after them who would do
/// what they queue: it is done at once from now on.
pub(super) fn begin_end() {
    ENDING.store(std::process::id(), Ordering::Release);
}

/// The report gets its last record. What comes later is still taken in.
pub(super) fn begin_last_record() {
    REPORTED.store(std::process::id(), Ordering::Release);
}

/// Whether the process ends.
pub(super) fn ends() -> bool {
    is_this_process(&ENDING)
}

/// Whether the report has its last record, or will have it when there is a report.
pub(super) fn has_reported() -> bool {
    is_this_process(&REPORTED)
}

fn is_this_process(process: &AtomicU32) -> bool {
    match process.load(Ordering::Acquire) {
        0 => false,
        process => process == std::process::id(),
    }
}

/// When the last call ended, in milliseconds since the first one.
static LAST_CALL: AtomicU64 = AtomicU64::new(0);
static FIRST_CALL: LazyLock<Instant> = LazyLock::new(Instant::now);

/// A call has ended.
pub(super) fn note_call() {
    LAST_CALL.store(FIRST_CALL.elapsed().as_millis() as u64, Ordering::Relaxed);
}

/// How long the program has not called the API.
pub(super) fn idle_time() -> Duration {
    FIRST_CALL.elapsed().saturating_sub(Duration::from_millis(LAST_CALL.load(Ordering::Relaxed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_inside_of_another_one_is_refused_and_does_not_wait_for_itself() {
        let machine = lock().expect("nobody has it");
        assert_eq!(lock().err(), Some(CudaError::NOT_PERMITTED));
        assert_eq!(lock_to_ask().err(), Some(CudaError::NOT_PERMITTED));
        assert!(lock_if_free().is_none());
        assert_eq!(take_refused(), 2);
        drop(machine);
        assert!(lock().is_ok() && lock_if_free().is_some());
        assert_eq!(take_refused(), 0);
    }
}
