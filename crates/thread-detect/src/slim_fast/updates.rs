//! What slots get: metadata from `W_t`, `S_t`, `Q_t` and Next, or new ones.

use warpsan_thread_clock::{Epoch, VectorClock};

use super::SlimFast;
use super::share::Share;
use crate::counters::Count;
use crate::metadata::{Class, Pair, Place, Reads, Record};
use crate::rules::{Rule, Rules};
use crate::slot::{Kind, Slot, Word};
use crate::thread_state::ThreadState;

/// What a slot is to get.
pub(super) enum Update {
    /// Of `W_t`.
    Written(Word),
    /// The element of `S_t` with this key.
    Read(Epoch, Word),
    /// The element of `Q_t` with this key.
    Inflated((Epoch, Epoch), Word),
    /// A record that only this slot will hold, or that was counted for it.
    Counted(Word),
    /// The same, and the former metadata's Next leads to it.
    Next(Word),
}

impl Update {
    pub(super) fn word(&self) -> Word {
        match self {
            Update::Written(word)
            | Update::Read(_, word)
            | Update::Inflated(_, word)
            | Update::Counted(word)
            | Update::Next(word) => *word,
        }
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
            return Some(Update::Counted(record.name(Kind::Pair)));
        }
        if let Some(share) = &mut local.written {
            counters.add(Count::WrittenReused);
            return Some(Update::Written(share.hand_out()));
        }
        counters.add(Count::PairAllocated);
        let fill = |record: Record| Pair(record).fill(*epoch, Epoch::NONE);
        let share = Share::allocate(&self.arena, cache, Class::PAIR, fill)?;
        Some(Update::Written(local.written.insert(share).hand_out()))
    }

    /// `(E(t), write)`, from `S_t`: READEXCLREUSE and READEXCLALLOC.
    pub(super) fn exclusive(&self, thread: &mut ThreadState<Self>, write: Epoch) -> Option<Update> {
        self.renew(thread);
        let ThreadState { local, cache, counters, epoch, .. } = thread;
        if R::has(Rule::ReadExclusiveReuse)
            && let Some(share) = local.reads.find(&write)
        {
            counters.add(Count::ReadExclusive);
            return Some(Update::Read(write, share.hand_out()));
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
        Some(Update::Read(write, word))
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
            return Some(Update::Inflated(key, share.hand_out()));
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
        Some(Update::Inflated(key, word))
    }

    /// `(M^R[t := C_t(t)], M^W)`, from Next: READSHAREDREUSE and READSHAREDALLOC.
    pub(super) fn shared(&self, thread: &mut ThreadState<Self>, reads: Reads) -> Option<Update> {
        let ThreadState { cache, counters, epoch, .. } = thread;
        let next = reads.next(epoch.thread());
        if R::has(Rule::ReadSharedReuse) && !next.is_empty() {
            // SAFETY: words of Next are names of records of this arena.
            let record = unsafe { next.record() };
            if record.try_retain(next.generation(), 1) {
                if Reads(record).read_of(epoch.thread()) == *epoch {
                    counters.add(Count::ReadShared);
                    return Some(Update::Counted(next));
                }
                // SAFETY: it was counted just now.
                unsafe { self.arena.release(cache, next, 1) };
            }
        }
        let room = match reads.place(epoch.thread()) {
            Place::Own(_) | Place::Free(_) => reads.capacity(),
            Place::Full => reads.capacity() * 2,
        };
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
        Some(Update::Next(record.name(Kind::Reads)))
    }

    /// Puts an update into a slot, in the place of `old`. False: the slot has changed, and nothing was done.
    pub(super) fn put(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        old: Word,
        update: Update,
    ) -> bool {
        let done = slot.exchange(old, update.word());
        let ThreadState { local, cache, counters, epoch, .. } = thread;
        if done {
            if let Update::Next(word) = update {
                // SAFETY: what the slot counted of it is given back only now, so it still is what it was.
                let former = unsafe { old.record() };
                Reads(former).set_next(epoch.thread(), word);
            }
            // SAFETY: the slot held the old name, and holds it no longer.
            unsafe { self.arena.drop_name(cache, old) };
            return true;
        }
        counters.add(Count::Retried);
        let share = match &update {
            Update::Written(_) => local.written.as_mut(),
            Update::Read(key, _) => local.reads.find(key),
            Update::Inflated(key, _) => local.inflated.find(key),
            Update::Counted(_) | Update::Next(_) => None,
        };
        match share {
            Some(share) => share.take_back(),
            // SAFETY: it was counted for the slot, which did not take it.
            None => unsafe { self.arena.release(cache, update.word(), 1) },
        }
        false
    }
}
