//! Metadata of a location with atomic accesses, for which the thesis has no format.

use warpsan_thread_clock::{Epoch, ThreadId};

use super::record::Record;
use crate::access::Access;
use crate::conflict::{Conflict, EarlierAccess};
use crate::rules::{Rule, Rules};
use crate::thread_state::Moment;

/// A record of a location that was accessed by atomic operations: `[header, write, capacity, (thread, read, atomic read,
/// atomic write)…]`.
///
/// Atomic accesses do not race with each other, so there is no last one: each thread's last of each sort counts. Plain
/// writes are in an order, as ever, and one that is ordered behind all others makes them forgotten. Changed under the
/// record's lock; it stays until the memory is freed.
#[derive(Clone, Copy)]
pub(crate) struct Mixed(pub(crate) Record);

/// Whether a thread has a place, or could get one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    Enough,
    Full,
}

const FIRST: usize = 3;
const THREAD: usize = 0;
const READ: usize = 1;
const ATOMIC_READ: usize = 2;
const ATOMIC_WRITE: usize = 3;
const WORDS: usize = 4;

impl Mixed {
    pub(crate) fn clear(self, write: Epoch) {
        self.set_write(write);
        self.forget_all();
    }

    pub(crate) fn write(self) -> Epoch {
        Epoch::from_bits(self.0.get(Record::WRITE))
    }

    pub(crate) fn capacity(self) -> usize {
        self.0.get(2) as usize
    }

    /// A plain read that was written down in another format. There is room for it.
    pub(crate) fn add_read(self, read: Epoch) {
        if !read.is_none() {
            self.put(read.thread(), READ, read);
        }
    }

    /// Takes over all of a smaller one.
    pub(crate) fn copy_from(self, other: Mixed) {
        self.clear(other.write());
        for entry in other.entries() {
            let thread = other.thread_of(entry);
            for sort in [READ, ATOMIC_READ, ATOMIC_WRITE] {
                let epoch = other.epoch(entry, sort);
                if !epoch.is_none() {
                    self.put(thread, sort, epoch);
                }
            }
        }
    }

    /// Whether this access was made in this epoch already. Needs no lock: a thread asks for its own entry only.
    #[inline]
    pub(crate) fn same_epoch(self, now: Epoch, access: Access) -> bool {
        let sort = match access {
            Access::Write => return self.write() == now,
            Access::Read => READ,
            Access::AtomicRead => ATOMIC_READ,
            Access::AtomicWrite => ATOMIC_WRITE,
        };
        self.find(now.thread()).is_ok_and(|entry| self.epoch(entry, sort) == now)
    }

    /// Whether a thread's access can be written down.
    pub(crate) fn room(self, thread: ThreadId, access: Access) -> Room {
        let needs_none = access == Access::Write;
        if needs_none || !matches!(self.find(thread), Err(None)) {
            Room::Enough
        } else {
            Room::Full
        }
    }

    /// Compares an access with those that are written down, and writes it down. There is room for it, and the record
    /// is locked or nobody else knows it.
    pub(crate) fn apply<R: Rules>(self, moment: &Moment<'_>, access: Access) -> Option<Conflict> {
        let conflict = self.conflict::<R>(moment, access);
        let now = moment.epoch;
        match access {
            Access::Write => {
                if R::has(Rule::WriteRecorded) {
                    self.set_write(now);
                    self.forget_all();
                }
            }
            Access::Read => self.put(now.thread(), READ, now),
            Access::AtomicRead => self.put(now.thread(), ATOMIC_READ, now),
            Access::AtomicWrite => self.put(now.thread(), ATOMIC_WRITE, now),
        }
        conflict
    }

    /// What an access races with, as far as it is written down.
    pub(crate) fn conflict<R: Rules>(
        self,
        moment: &Moment<'_>,
        access: Access,
    ) -> Option<Conflict> {
        let atomics_race = !R::has(Rule::AtomicsDoNotRace);
        let (write, read, atomic_read, atomic_write) = match access {
            Access::Read => (Rule::ReadChecksWrite, None, None, Some(Rule::ReadChecksAtomicWrites)),
            Access::Write => (
                Rule::WriteChecksWrite,
                Some(Rule::WriteChecksReads),
                Some(Rule::WriteChecksAtomicReads),
                Some(Rule::WriteChecksAtomicWrites),
            ),
            Access::AtomicRead => {
                let always = atomics_race.then_some(Rule::AtomicReadChecksWrite);
                (Rule::AtomicReadChecksWrite, None, None, always)
            }
            Access::AtomicWrite => {
                let always = atomics_race.then_some(Rule::AtomicWriteChecksWrite);
                (Rule::AtomicWriteChecksWrite, Some(Rule::AtomicWriteChecksReads), always, always)
            }
        };
        let compared = |rule: Option<Rule>| rule.is_some_and(R::has);
        let concurrent = |epoch: Epoch| !moment.clock.covers(epoch);
        if R::has(write) && concurrent(self.write()) {
            return Some(Conflict { earlier: self.write(), access: EarlierAccess::Write });
        }
        let sorts = [
            (ATOMIC_WRITE, compared(atomic_write), EarlierAccess::AtomicWrite),
            (READ, compared(read), EarlierAccess::Read),
            (ATOMIC_READ, compared(atomic_read), EarlierAccess::AtomicRead),
        ];
        for entry in self.entries() {
            for (sort, compared, access) in sorts {
                let earlier = self.epoch(entry, sort);
                if compared && concurrent(earlier) {
                    return Some(Conflict { earlier, access });
                }
            }
        }
        None
    }

    fn set_write(self, epoch: Epoch) {
        self.0.set(Record::WRITE, epoch.bits());
    }

    fn forget_all(self) {
        for word in FIRST..FIRST + WORDS * self.capacity() {
            self.0.set(word, 0);
        }
    }

    /// The first words of the entries that are used.
    fn entries(self) -> impl Iterator<Item = usize> {
        let all = (0..self.capacity()).map(|place| FIRST + WORDS * place);
        all.filter(move |entry| self.0.get(entry + THREAD) != 0)
    }

    fn thread_of(self, entry: usize) -> ThreadId {
        let number = self.0.get(entry + THREAD).saturating_sub(1);
        let id = u32::try_from(number).ok().and_then(ThreadId::new);
        id.expect("entries hold ids of threads")
    }

    fn epoch(self, entry: usize, sort: usize) -> Epoch {
        Epoch::from_bits(self.0.get(entry + sort))
    }

    /// A thread's entry, or the place where it would be.
    fn find(self, thread: ThreadId) -> Result<usize, Option<usize>> {
        let mask = self.capacity() - 1;
        for tried in 0..=mask {
            let entry = FIRST + WORDS * ((thread.index() + tried) & mask);
            match self.0.get(entry + THREAD) {
                0 => return Err(Some(entry)),
                key if key == u64::from(thread.number()) + 1 => return Ok(entry),
                _ => {}
            }
        }
        Err(None)
    }

    fn put(self, thread: ThreadId, sort: usize, epoch: Epoch) {
        let entry = match self.find(thread) {
            Ok(entry) => entry,
            Err(Some(free)) => {
                self.0.set(free + THREAD, u64::from(thread.number()) + 1);
                free
            }
            Err(None) => unreachable!("who puts an entry has asked for room"),
        };
        self.0.set(entry + sort, epoch.bits());
    }
}
