//! Locks of ours.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a poisoned lock protects is as good as ever: nothing of ours unwinds half-way through a change.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
