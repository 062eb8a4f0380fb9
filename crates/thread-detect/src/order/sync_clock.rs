//! The clock of a lock or of an atomic variable.

use warpsan_thread_clock::{Epoch, VectorClock};

use super::memory_order::MemoryOrder;
use crate::rules::{Rule, Rules};
use crate::spin::{SpinGuard, SpinLock};
use crate::thread_state::ThreadState;
use crate::tool::Tool;

/// What a lock, or the release sequences of an atomic variable, carry from one thread to another: `L_m`.
#[derive(Debug, Default)]
pub struct SyncClock(SpinLock<Carried>);

/// A clock, and where it is from.
#[derive(Debug, Default)]
pub(super) struct Carried {
    pub(super) clock: VectorClock,
    /// The epoch that the release ended, if the clock is that of one release: who knows the epoch knows the clock.
    /// [`Epoch::NONE`] where several were joined.
    pub(super) release: Epoch,
}

/// A clock that no other thread can use now, so that an atomic operation and what follows of it are one step.
pub struct HeldClock<'a>(SpinGuard<'a, Carried>);

impl SyncClock {
    /// Holds the clock while an atomic operation is carried out. In this order: [`HeldClock::observe`] for what reads,
    /// the access and the operation itself, [`HeldClock::store`] or [`HeldClock::update`] for what writes.
    pub fn hold(&self) -> HeldClock<'_> {
        HeldClock(self.0.lock())
    }

    /// Forgets everything, and keeps the memory for what comes next.
    pub fn clear(&self) {
        self.0.lock().clear();
    }

    /// Forgets everything, and needs no memory from now on: the lock or variable is gone.
    pub(super) fn forget(&self) {
        *self.0.lock() = Carried::default();
    }

    /// Whether nothing was released that somebody could learn.
    pub(super) fn is_empty(&self) -> bool {
        self.0.lock().is_empty()
    }
}

impl Carried {
    pub(super) fn is_empty(&self) -> bool {
        self.release.is_none() && self.clock.epochs().next().is_none()
    }

    fn clear(&mut self) {
        self.clock.clear();
        self.release = Epoch::NONE;
    }

    fn set(&mut self, clock: &VectorClock, release: Epoch) {
        self.clock.copy_from(clock);
        self.release = release;
    }

    /// Joins; where the other clock has all that is here, it is as if only that were released.
    pub(super) fn join(&mut self, clock: &VectorClock, release: Epoch) {
        if clock.includes(&self.clock) {
            self.set(clock, release);
        } else {
            self.clock.join(clock);
            self.release = Epoch::NONE;
        }
    }
}

impl<T: Tool> ThreadState<T> {
    /// ACQUIRE: a lock was taken.
    pub fn acquire(&mut self, sync: &SyncClock) {
        if T::Rules::has(Rule::AcquireJoins) {
            self.learn(&sync.0.lock());
        }
    }

    /// RELEASE: a lock that only this thread holds is about to be given back.
    pub fn release(&mut self, sync: &SyncClock) {
        if T::Rules::has(Rule::ReleaseStores) {
            sync.0.lock().set(&self.clock, self.epoch);
        }
        self.end_epoch();
    }

    /// Releases something that others have released, too: readers of a lock, posts of a semaphore, notifications.
    pub fn release_also(&mut self, sync: &SyncClock) {
        if T::Rules::has(Rule::ReleaseStores) {
            sync.0.lock().join(&self.clock, self.epoch);
        }
        self.end_epoch();
    }

    /// `atomic_thread_fence`.
    pub fn fence(&mut self, order: MemoryOrder) {
        if order.acquires() && T::Rules::has(Rule::AcquireFence) {
            self.clock.join(&self.observed);
        }
        if order.releases() {
            if T::Rules::has(Rule::ReleaseFence) {
                self.fence.0.copy_from(&self.clock);
                self.fence.1 = self.epoch;
            }
            if T::Rules::has(Rule::FenceIncrements) {
                self.begin_epoch();
            }
        }
    }

    pub(super) fn learn(&mut self, carried: &Carried) {
        let known = !carried.release.is_none() && self.clock.covers(carried.release);
        if !known {
            self.clock.join(&carried.clock);
        }
    }

    pub(super) fn end_epoch(&mut self) {
        if T::Rules::has(Rule::ReleaseIncrements) {
            self.begin_epoch();
        }
    }
}

impl HeldClock<'_> {
    /// The thread reads the variable.
    pub fn observe<T: Tool>(&self, thread: &mut ThreadState<T>, order: MemoryOrder) {
        if self.0.is_empty() {
            return;
        }
        if !order.acquires() {
            thread.observed.join(&self.0.clock);
        } else if T::Rules::has(Rule::LoadAcquires) {
            thread.learn(&self.0);
        }
    }

    /// The thread stores to the variable, and does not read it.
    pub fn store<T: Tool>(&mut self, thread: &mut ThreadState<T>, order: MemoryOrder) {
        if !T::Rules::has(Rule::StoreEndsSequence) {
            return self.update(thread, order);
        }
        if order.releases() {
            if T::Rules::has(Rule::StoreReleases) {
                self.0.set(&thread.clock, thread.epoch);
            } else {
                self.0.clear();
            }
            thread.end_epoch();
        } else {
            self.0.set(&thread.fence.0, thread.fence.1);
        }
    }

    /// The thread reads and writes the variable in one step; it has observed it before.
    pub fn update<T: Tool>(&mut self, thread: &mut ThreadState<T>, order: MemoryOrder) {
        if !T::Rules::has(Rule::UpdateContinuesSequence) {
            self.0.clear();
        }
        if order.releases() {
            if T::Rules::has(Rule::UpdateReleases) {
                self.0.join(&thread.clock, thread.epoch);
            }
            thread.end_epoch();
        } else if !thread.fence.1.is_none() && T::Rules::has(Rule::ReleaseFenceThenUpdate) {
            self.0.join(&thread.fence.0, thread.fence.1);
        }
    }
}
