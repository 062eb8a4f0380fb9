//! The rules of figure 3.5 on one piece of metadata, and those for atomic accesses.

use warpsan_thread_clock::{Epoch, VectorClock};

use super::SlimFast;
use super::updates::Update;
use crate::access::Access;
use crate::conflict::{Conflict, EarlierAccess};
use crate::counters::Count;
use crate::metadata::{Class, Mixed, Pair, Reads, Room};
use crate::rules::{Rule, Rules};
use crate::slot::{Kind, Word};
use crate::thread_state::ThreadState;

/// What a rule makes of metadata.
pub(super) enum Step {
    /// They stay, or were changed in place under their lock.
    Stays(Option<Conflict>),
    /// The location gets others.
    Becomes(Update, Option<Conflict>),
    /// What was read is not the location's any more.
    Outdated,
    /// There is no memory for others.
    NoMemory,
}

/// A write compared with a pair or a vector.
struct Compared {
    /// It was made in this epoch already.
    same: bool,
    conflict: Option<Conflict>,
    /// The last read of a pair.
    read: Epoch,
}

impl Step {
    fn with(update: Option<Update>, conflict: Option<Conflict>) -> Step {
        match update {
            Some(update) => Step::Becomes(update, conflict),
            None => Step::NoMemory,
        }
    }
}

impl<R: Rules> SlimFast<R> {
    /// A plain read of what has a pair or a vector. `is_current`: whether it still has.
    #[inline(always)]
    pub(super) fn read_step(
        &self,
        thread: &mut ThreadState<Self>,
        name: Word,
        is_current: impl Fn() -> bool,
    ) -> Step {
        let (write, update) = match name.kind() {
            Kind::Reads => {
                // SAFETY: it is of a vector of this arena.
                let reads = Reads(unsafe { name.record() });
                let (write, own) = (reads.write(), reads.read_of(thread.id()));
                if !is_current() {
                    return Step::Outdated;
                }
                if R::has(Rule::ReadSharedSameEpoch) && own == thread.epoch {
                    thread.counters.add(Count::ReadSharedSameEpoch);
                    return Step::Stays(None);
                }
                (write, self.shared(thread, name))
            }
            Kind::Pair | Kind::Mixed | Kind::Divided => {
                let (write, read) = Self::pair(name);
                if !is_current() {
                    return Step::Outdated;
                }
                if R::has(Rule::ReadSameEpoch) && read == thread.epoch {
                    thread.counters.add(Count::ReadSameEpoch);
                    return Step::Stays(None);
                }
                let inflates = R::has(Rule::ReadInflate) && !thread.clock.covers(read);
                let update = if inflates {
                    self.inflated(thread, write, read)
                } else if R::has(Rule::ReadExclusive) {
                    self.exclusive(thread, write)
                } else {
                    return Step::Stays(Self::unordered_write(thread, write));
                };
                (write, update)
            }
        };
        Step::with(update, Self::unordered_write(thread, write))
    }

    /// A plain write to what has a pair or a vector.
    #[inline(always)]
    pub(super) fn write_step(
        &self,
        thread: &mut ThreadState<Self>,
        name: Word,
        is_current: impl Fn() -> bool,
    ) -> Step {
        let Some(compared) = self.compare_write(thread, name, is_current) else {
            return Step::Outdated;
        };
        if compared.same {
            return Step::Stays(None);
        }
        if !R::has(Rule::WriteRecorded) {
            return Step::Stays(compared.conflict);
        }
        Step::with(self.written(thread, compared.read), compared.conflict)
    }

    #[inline(always)]
    fn compare_write(
        &self,
        thread: &mut ThreadState<Self>,
        name: Word,
        is_current: impl Fn() -> bool,
    ) -> Option<Compared> {
        let (write, read, conflict, count) = if name.kind() == Kind::Reads {
            // SAFETY: it is of a vector of this arena.
            let reads = Reads(unsafe { name.record() });
            let conflict = Self::unordered_reads(thread, reads);
            (reads.write(), Epoch::NONE, conflict, Count::WriteShared)
        } else {
            let (write, read) = Self::pair(name);
            (write, read, Self::unordered_pair(thread, write, read), Count::WriteExclusive)
        };
        if !is_current() {
            return None;
        }
        let same = R::has(Rule::WriteSameEpoch) && write == thread.epoch;
        thread.counters.add(if same { Count::WriteSameEpoch } else { count });
        Some(Compared { same, conflict: if same { None } else { conflict }, read })
    }

    /// An access to what has had atomic accesses, or the first atomic one. `in_place`: the metadata may change, since they are
    /// of no other location and locked.
    pub(super) fn mixed_step(
        &self,
        thread: &mut ThreadState<Self>,
        name: Word,
        access: Access,
        in_place: bool,
    ) -> Step {
        thread.counters.add(if access.is_plain() { Count::PlainOfMixed } else { Count::Atomic });
        let mut capacity = VectorClock::FIRST_SIZE;
        if name.kind() == Kind::Mixed {
            // SAFETY: it is of a record of this arena.
            let mixed = Mixed(unsafe { name.record() });
            let room = mixed.room(thread.id(), access);
            if in_place && room == Room::Enough {
                return Step::Stays(mixed.apply::<R>(&thread.moment(), access));
            }
            capacity = mixed.capacity() * if room == Room::Enough { 1 } else { 2 };
        } else if name.kind() == Kind::Reads {
            // SAFETY: it is of a vector of this arena.
            capacity = Reads(unsafe { name.record() }).capacity() * 2;
        }
        let Some(mixed) = self.as_mixed(thread, name, capacity) else { return Step::NoMemory };
        let conflict = mixed.apply::<R>(&thread.moment(), access);
        Step::Becomes(Update::to(mixed.0.name(Kind::Mixed)), conflict)
    }

    /// What metadata say, as new ones of a location with atomic accesses, with room for so many threads.
    pub(super) fn as_mixed(
        &self,
        thread: &mut ThreadState<Self>,
        name: Word,
        capacity: usize,
    ) -> Option<Mixed> {
        let mixed = Mixed(self.arena.take(&mut thread.cache, Class::mixed(capacity), 1)?);
        thread.counters.add(Count::MixedAllocated);
        match name.kind() {
            // SAFETY: it is of a record of this arena.
            Kind::Mixed => mixed.copy_from(Mixed(unsafe { name.record() })),
            Kind::Reads => {
                // SAFETY: as above.
                let reads = Reads(unsafe { name.record() });
                mixed.clear(reads.write());
                reads.epochs().for_each(|read| mixed.add_read(read));
            }
            Kind::Pair | Kind::Divided => {
                let (write, read) = Self::pair(name);
                mixed.clear(write);
                mixed.add_read(read);
            }
        }
        Some(mixed)
    }

    /// The epochs of a pair, `(⊥, ⊥)` for an empty word.
    #[inline(always)]
    fn pair(word: Word) -> (Epoch, Epoch) {
        debug_assert!(word.kind() == Kind::Pair);
        if word.is_empty() {
            return (Epoch::NONE, Epoch::NONE);
        }
        // SAFETY: the word is of a pair of this arena.
        let pair = Pair(unsafe { word.record() });
        (pair.write(), pair.read())
    }

    fn unordered_write(thread: &ThreadState<Self>, write: Epoch) -> Option<Conflict> {
        let races = R::has(Rule::ReadChecksWrite) && !thread.clock.covers(write);
        races.then_some(Conflict { earlier: write, access: EarlierAccess::Write })
    }

    fn unordered_pair(thread: &ThreadState<Self>, write: Epoch, read: Epoch) -> Option<Conflict> {
        if R::has(Rule::WriteChecksWrite) && !thread.clock.covers(write) {
            return Some(Conflict { earlier: write, access: EarlierAccess::Write });
        }
        let races = R::has(Rule::WriteChecksRead) && !thread.clock.covers(read);
        races.then_some(Conflict { earlier: read, access: EarlierAccess::Read })
    }

    fn unordered_reads(thread: &ThreadState<Self>, reads: Reads) -> Option<Conflict> {
        let write = reads.write();
        if R::has(Rule::WriteChecksWrite) && !thread.clock.covers(write) {
            return Some(Conflict { earlier: write, access: EarlierAccess::Write });
        }
        if !R::has(Rule::WriteChecksReads) {
            return None;
        }
        let earlier = reads.epochs().find(|read| !thread.clock.covers(*read))?;
        Some(Conflict { earlier, access: EarlierAccess::Read })
    }
}
