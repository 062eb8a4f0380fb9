//! The locks that a thread holds, for reports. They decide nothing.

use crate::context::Context;

/// A lock that is held.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HeldLock {
    pub(crate) address: u64,
    pub(crate) exclusive: bool,
    /// Where it was taken.
    pub(crate) calls: Context,
}

/// Locks in the order in which they were taken.
#[derive(Default)]
pub(crate) struct HeldLocks {
    held: Vec<HeldLock>,
    /// All of them as a number. Invariant: it is of `held`.
    set: Context,
}

impl HeldLocks {
    #[inline]
    pub(crate) fn set(&self) -> Context {
        self.set
    }

    pub(crate) fn add(&mut self, lock: HeldLock) {
        self.set = add_to(self.set, lock);
        self.held.push(lock);
    }

    /// A lock was given back; one that was taken several times is given back once.
    pub(crate) fn remove(&mut self, address: u64) {
        let Some(place) = self.held.iter().rposition(|lock| lock.address == address) else {
            return;
        };
        self.held.remove(place);
        self.set = self.held.iter().fold(Context::EMPTY, |set, lock| add_to(set, *lock));
    }

    /// Whether it is held for writing.
    pub(crate) fn is_exclusive(&self, address: u64) -> bool {
        self.held.iter().any(|lock| lock.address == address && lock.exclusive)
    }
}

/// A lock is two elements: its address, whose lowest bit says that it is held for writing, and where it was taken.
fn add_to(set: Context, lock: HeldLock) -> Context {
    let address = (lock.address & !1) | u64::from(lock.exclusive);
    set.with(address).with(u64::from(lock.calls.number()))
}

/// The locks of a set, the one that was taken last at the end.
pub(crate) fn of_set(set: Context) -> Vec<HeldLock> {
    let elements: Vec<u64> = set.elements().collect();
    let lock = |pair: &[u64]| HeldLock {
        address: pair[1] & !1,
        exclusive: pair[1] & 1 != 0,
        calls: Context::from_number(pair[0] as u32),
    };
    elements.chunks_exact(2).rev().map(lock).collect()
}
