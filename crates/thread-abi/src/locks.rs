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

/// Locks that were held at a time, as a thread's record of accesses names them: the place of the last one there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct LockSet(u32);

impl LockSet {
    pub(crate) const EMPTY: LockSet = LockSet(0);
    /// Of locks that are not in the record yet.
    const UNWRITTEN: LockSet = LockSet(u32::MAX);

    /// The set whose last lock is the entry with this number.
    pub(crate) fn of_entry(number: u64) -> LockSet {
        LockSet((number % u64::from(u32::MAX - 1)) as u32 + 1)
    }

    /// The number of the entry of its last lock, if so many entries were ever written and it is one of the last `capacity`.
    pub(crate) fn entry(self, written: u64, capacity: u64) -> Option<u64> {
        let oldest = written.saturating_sub(capacity);
        let period = u64::from(u32::MAX - 1);
        let within = u64::from(self.0).checked_sub(1)?;
        let number = oldest + (within + period - oldest % period) % period;
        (number < written).then_some(number)
    }

    pub(crate) fn from_number(number: u32) -> LockSet {
        LockSet(number)
    }

    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// Locks in the order in which they were taken.
#[derive(Default)]
pub(crate) struct HeldLocks {
    held: Vec<HeldLock>,
    /// The entries of the first of them in the thread's record. Invariant: there are no more than in `held`, and each entry names the one
    /// before it.
    entries: Vec<u64>,
    /// Invariant: it is that of `held`, or there are fewer `entries`, and it is [`LockSet::UNWRITTEN`].
    set: LockSet,
}

impl HeldLocks {
    /// What the record calls them; nothing that it knows, if they are not there yet.
    #[inline]
    pub(crate) fn set(&self) -> LockSet {
        self.set
    }

    pub(crate) fn held(&self) -> &[HeldLock] {
        &self.held
    }

    pub(crate) fn add(&mut self, lock: HeldLock) {
        self.held.push(lock);
        self.set = LockSet::UNWRITTEN;
    }

    /// A lock was given back; one that was taken several times is given back once.
    pub(crate) fn remove(&mut self, address: u64) {
        let Some(place) = self.held.iter().rposition(|lock| lock.address == address) else {
            return;
        };
        self.held.remove(place);
        self.entries.truncate(place);
        self.set = match self.entries.len() == self.held.len() {
            true => self.written_set(),
            false => LockSet::UNWRITTEN,
        };
    }

    /// Whether it is held for writing.
    pub(crate) fn is_exclusive(&self, address: u64) -> bool {
        self.held.iter().any(|lock| lock.address == address && lock.exclusive)
    }

    /// Has all locks written down that are not, or whose entries are older than `oldest`. `write` gets a lock and the set of those before it, and
    /// says which entry it has.
    pub(crate) fn write(&mut self, oldest: u64, mut write: impl FnMut(HeldLock, LockSet) -> u64) {
        if self.entries.first().is_some_and(|entry| *entry < oldest) {
            self.entries.clear();
        }
        while let Some(lock) = self.held.get(self.entries.len()) {
            let before = self.written_set();
            self.entries.push(write(*lock, before));
        }
        self.set = self.written_set();
    }

    fn written_set(&self) -> LockSet {
        self.entries.last().map_or(LockSet::EMPTY, |entry| LockSet::of_entry(*entry))
    }
}
