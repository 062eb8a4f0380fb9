//! Locks that were held, in a thread's record of accesses: an entry for each, which names the one that was taken before it.
//!
//! Sets of locks are as many as a program likes, so they are not kept for ever as stacks are. A lock is written down when the first access
//! under it is, and again where its entry is so old that accesses under it would outlive it.

use std::sync::atomic::Ordering;

use super::{ADDRESS, History, Ring, SORT_SHIFT};
use crate::context::Context;
use crate::locks::{HeldLock, HeldLocks, LockSet};

/// The sort of such an entry: [LOCK, 1 bit for exclusive, 48 of address] [the set before it, calls].
pub(super) const LOCK: u64 = 13;
const EXCLUSIVE: u64 = 1 << 48;

/// Entries of locks are older than those of accesses under them by at most this share of the ring.
const OLDER: u64 = 16;

impl Ring {
    /// The locks of a set, the one that was taken last at the end. None: some are overwritten.
    pub(super) fn locks(&self, set: LockSet) -> Option<Vec<HeldLock>> {
        let mut locks = Vec::new();
        let mut rest = set;
        while rest != LockSet::EMPTY {
            let number = rest.entry(self.written.load(Ordering::Acquire), self.capacity)?;
            let (first, second) = self.read(number);
            if first >> SORT_SHIFT != LOCK || !self.is_still_there(number) {
                return None;
            }
            locks.push(HeldLock {
                address: first & ADDRESS,
                exclusive: first & EXCLUSIVE != 0,
                calls: Context::from_number(second as u32),
            });
            rest = LockSet::from_number((second >> 32) as u32);
        }
        locks.reverse();
        Some(locks)
    }
}

impl History {
    /// The set of these locks, which are in the ring then, and will be for as long as accesses that are written down soon.
    pub(super) fn written_locks(&mut self, locks: &mut HeldLocks) -> LockSet {
        let written = self.ring.written.load(Ordering::Relaxed);
        let age = self.ring.capacity / OLDER;
        // So many locks that they would fill the ring are written down once.
        let renews = (locks.held().len() as u64) < age;
        let oldest = if renews { written.saturating_sub(age) } else { 0 };
        locks.write(oldest, |lock, before| {
            let number = self.ring.written.load(Ordering::Relaxed);
            let exclusive = if lock.exclusive { EXCLUSIVE } else { 0 };
            let first = (LOCK << SORT_SHIFT) | exclusive | (lock.address & ADDRESS);
            let calls = u64::from(lock.calls.number());
            self.put(first, (u64::from(before.number()) << 32) | calls);
            number
        });
        locks.set()
    }
}
