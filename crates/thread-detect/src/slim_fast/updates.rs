//! What slots get: metadata from `W_t`, `S_t`, `Q_t` and Next, or new ones.

use warpsan_thread_clock::{Epoch, VectorClock};

use super::SlimFast;
use super::share::Share;
use crate::counters::Count;
use crate::metadata::{Class, Pair, Place, Reads, Record};
use crate::rules::{Rule, Rules};
use crate::slot::{Kind, Slot, Word};
use crate::thread_state::ThreadState;

/// Metadata for a location, counted once for it.
#[derive(Clone, Copy)]
pub(super) struct Update {
    pub(super) name: Word,
    /// The vector whose Next is to lead to it. Empty: none is.
    pub(super) former: Word,
}

impl Update {
    pub(super) fn to(name: Word) -> Update {
        Update { name, former: Word::EMPTY }
    }
}

/// Vectors that the thread has made, by what they hold. Threads that read the same locations come to them in any order, and so to
/// equal vectors by different ways: Next knows only one.
pub(crate) struct VectorNames([Word; VectorNames::ENTRIES]);

impl Default for VectorNames {
    fn default() -> Self {
        Self([Word::EMPTY; Self::ENTRIES])
    }
}

impl VectorNames {
    const ENTRIES: usize = 256;

    /// Where a vector is, with one more read: the same for equal ones.
    fn place(reads: Reads, now: Epoch) -> usize {
        let mix = |epoch: Epoch| epoch.bits().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let others = reads.epochs().filter(|read| read.thread() != now.thread());
        let sum = others.fold(mix(now) ^ mix(reads.write()).rotate_left(32), |sum, read| {
            sum.wrapping_add(mix(read))
        });
        (sum >> 40) as usize % Self::ENTRIES
    }
}

impl<R: Rules> SlimFast<R> {
    /// Empties the sets if the thread has begun another epoch since.
    #[inline]
    pub(super) fn renew(&self, thread: &mut ThreadState<Self>) {
        if thread.local.epoch != thread.epoch {
            self.renew_now(thread);
        }
    }

    #[inline(never)]
    pub(super) fn renew_now(&self, thread: &mut ThreadState<Self>) {
        let ThreadState { local, cache, counters, epoch, .. } = thread;
        let held = (local.reads.len(), local.inflated.len());
        if held != (0, 0) || local.written.is_some() {
            counters.add(Count::EpochsWithSets);
            counters.add_many(Count::ReadsHeld, held.0 as u64);
            counters.add_many(Count::InflatedHeld, held.1 as u64);
        }
        if R::has(Rule::EpochRenewsWritten)
            && let Some(share) = local.written.take()
        {
            share.give_up(&self.arena, cache);
        }
        if R::has(Rule::EpochEmptiesReads) {
            for share in local.reads.drain() {
                share.give_up(&self.arena, cache);
            }
        }
        if R::has(Rule::EpochEmptiesInflated) {
            for share in local.inflated.drain() {
                share.give_up(&self.arena, cache);
            }
        }
        for share in local.compositions.drain() {
            share.give_up(&self.arena, cache);
        }
        if R::has(Rule::EpochEmptiesTransitions) {
            local.transitions.clear(&self.arena, cache, self.settings.unnoted);
        }
        local.epoch = *epoch;
    }

    /// `(⊥, E(t))`, from `W_t`.
    pub(super) fn written(
        &self,
        thread: &mut ThreadState<Self>,
        kept_read: Epoch,
    ) -> Option<Update> {
        self.renew(thread);
        let ThreadState { local, cache, counters, epoch, .. } = thread;
        let forgets = R::has(Rule::WriteForgetsRead);
        if !R::has(Rule::WriteReuse) || !forgets {
            let read = if forgets { Epoch::NONE } else { kept_read };
            let record = self.arena.take(cache, Class::PAIR, 1)?;
            Pair(record).fill(*epoch, read);
            counters.add(Count::PairAllocated);
            return Some(Update::to(record.name(Kind::Pair)));
        }
        if let Some(share) = &mut local.written {
            counters.add(Count::WrittenReused);
            return Some(Update::to(share.hand_out()));
        }
        counters.add(Count::PairAllocated);
        let fill = |record: Record| Pair(record).fill(*epoch, Epoch::NONE);
        let share = Share::allocate(&self.arena, cache, Class::PAIR, fill)?;
        Some(Update::to(local.written.insert(share).hand_out()))
    }

    /// `(E(t), write)`, from `S_t`: READEXCLREUSE and READEXCLALLOC.
    pub(super) fn exclusive(&self, thread: &mut ThreadState<Self>, write: Epoch) -> Option<Update> {
        self.renew(thread);
        let ThreadState { local, cache, counters, epoch, .. } = thread;
        if R::has(Rule::ReadExclusiveReuse)
            && let Some(share) = local.reads.find(&write)
        {
            counters.add(Count::ReadExclusive);
            return Some(Update::to(share.hand_out()));
        }
        let fill = |record: Record| Pair(record).fill(write, *epoch);
        let mut share = Share::allocate(&self.arena, cache, Class::PAIR, fill)?;
        counters.add(Count::ReadExclusiveAllocated);
        counters.add(Count::PairAllocated);
        let word = share.hand_out();
        if let Some(former) = local.reads.add(write, share) {
            counters.add(Count::Overwritten);
            former.give_up(&self.arena, cache);
        }
        Some(Update::to(word))
    }

    /// `(⊥_V[t := C_t(t), u := c], write)`, from `Q_t`: READINFLREUSE and READINFLALLOC.
    pub(super) fn inflated(
        &self,
        thread: &mut ThreadState<Self>,
        write: Epoch,
        read: Epoch,
    ) -> Option<Update> {
        self.renew(thread);
        let ThreadState { local, cache, counters, epoch, .. } = thread;
        let key = (read, write);
        if R::has(Rule::ReadInflateReuse)
            && let Some(share) = local.inflated.find(&key)
        {
            counters.add(Count::ReadInflate);
            return Some(Update::to(share.hand_out()));
        }
        let fill = |record: Record| {
            let reads = Reads(record);
            reads.clear(write, true);
            reads.set(read);
            reads.set(*epoch);
        };
        let class = Class::reads(VectorClock::FIRST_SIZE);
        let mut share = Share::allocate(&self.arena, cache, class, fill)?;
        counters.add(Count::ReadInflateAllocated);
        counters.add(Count::VectorAllocated);
        let word = share.hand_out();
        if let Some(former) = local.inflated.add(key, share) {
            counters.add(Count::Overwritten);
            former.give_up(&self.arena, cache);
        }
        Some(Update::to(word))
    }

    /// `(M^R[t := C_t(t)], M^W)`, from Next: READSHAREDREUSE and READSHAREDALLOC.
    pub(super) fn shared(&self, thread: &mut ThreadState<Self>, former: Word) -> Option<Update> {
        // SAFETY: it is of a vector of this arena.
        let reads = Reads(unsafe { former.record() });
        let ThreadState { cache, counters, epoch, .. } = thread;
        let next = reads.next(epoch.thread());
        if R::has(Rule::ReadSharedReuse) && !next.is_empty() {
            // SAFETY: words of Next are names of records of this arena.
            let record = unsafe { next.record() };
            if record.try_retain(next.generation(), 1) {
                if Reads(record).read_of(epoch.thread()) == *epoch {
                    counters.add(Count::ReadShared);
                    return Some(Update::to(next));
                }
                // SAFETY: it was counted just now.
                unsafe { self.arena.release(cache, next, 1) };
            }
        }
        let room = match reads.place(epoch.thread()) {
            Place::Own(_) | Place::Free(_) => reads.capacity(),
            Place::Full => reads.capacity() * 2,
        };
        let place = VectorNames::place(reads, *epoch);
        if R::has(Rule::ReadSharedReuse) && R::has(Rule::ReadShared) {
            let known = thread.local.vectors.0[place];
            if self.holds_same(thread, known, (reads, room)) {
                thread.counters.add(Count::ReadShared);
                return Some(Update { name: known, former });
            }
        }
        let ThreadState { cache, counters, epoch, local, .. } = thread;
        let record = self.arena.take(cache, Class::reads(room), 1)?;
        let copy = Reads(record);
        copy.clear(reads.write(), true);
        for read in reads.epochs() {
            copy.set(read);
        }
        if R::has(Rule::ReadShared) {
            copy.set(*epoch);
        }
        counters.add(Count::ReadSharedAllocated);
        counters.add(Count::VectorAllocated);
        let name = record.name(Kind::Reads);
        local.vectors.0[place] = name;
        Some(Update { name, former })
    }

    /// Whether a vector is `(M^R[t := C_t(t)], M^W)`; it is counted once more then.
    fn holds_same(
        &self,
        thread: &mut ThreadState<Self>,
        known: Word,
        (reads, room): (Reads, usize),
    ) -> bool {
        if known.is_empty() {
            return false;
        }
        // SAFETY: the names that are kept are of vectors of this arena.
        let record = unsafe { known.record() };
        if !record.try_retain(known.generation(), 1) {
            return false;
        }
        let (found, now) = (Reads(record), thread.epoch);
        let others =
            |vector: Reads| vector.epochs().filter(move |read| read.thread() != now.thread());
        let is_same = found.capacity() == room
            && found.write() == reads.write()
            && found.read_of(now.thread()) == now
            && others(reads).all(|read| found.read_of(read.thread()) == read)
            && others(found).count() == others(reads).count();
        if !is_same {
            // SAFETY: it was counted just now.
            unsafe { self.arena.release(&mut thread.cache, known, 1) };
        }
        is_same
    }

    /// Puts an update into a slot, in the place of `old`. False: the slot has changed, and nothing was done.
    pub(super) fn put(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        old: Word,
        update: Update,
    ) -> bool {
        let done = slot.exchange(old, update.name);
        if done {
            self.lead_to(thread, update);
        } else {
            thread.counters.add(Count::Retried);
        }
        // SAFETY: the slot held the old name and holds it no longer, or it did not take the new one.
        unsafe { self.arena.drop_name(&mut thread.cache, if done { old } else { update.name }) };
        done
    }

    /// Makes the former vector's Next lead to an update that a slot has taken. The former one is still counted for
    /// the slot, so it still is what it was.
    pub(super) fn lead_to(&self, thread: &ThreadState<Self>, update: Update) {
        if !update.former.is_empty() {
            // SAFETY: it is of a vector of this arena.
            let former = Reads(unsafe { update.former.record() });
            former.set_next(thread.id(), update.name);
        }
    }
}
