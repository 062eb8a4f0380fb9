//! What is done to one slot.

use warpsan_thread_clock::{Epoch, VectorClock};

use super::{Change, FastTrack};
use crate::access::Access;
use crate::conflict::Conflict;
use crate::counters::Count;
use crate::metadata::{Pair, Reads, Record};
use crate::rules::{Rule, Rules};
use crate::slot::{Kind, Slot, Word};
use crate::thread_state::ThreadState;
use crate::tool::Look;

/// The slot is divided, so nothing was done: ask its parts.
pub(super) struct Divided;

impl<R: Rules> FastTrack<R> {
    /// An access to all that a slot is for.
    #[inline]
    pub(super) unsafe fn access(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        access: Access,
    ) -> Result<Option<Conflict>, Divided> {
        loop {
            // SAFETY: the caller's promise.
            match unsafe { self.look_at(thread, slot, access) } {
                Look::Repeats => return Ok(None),
                // SAFETY: as above.
                Look::Known(step) if unsafe { self.take(thread, step) } => return Ok(None),
                Look::Known(_) | Look::New => {}
            }
            let word = slot.load();
            if word.is_empty() {
                match self.first(thread, access) {
                    None => {
                        thread.counters.add(Count::NotRecorded);
                        return Ok(None);
                    }
                    Some((record, kind)) => {
                        if slot.exchange(word, record.name(kind)) {
                            return Ok(None);
                        }
                        thread.counters.add(Count::Retried);
                        self.arena.give(&mut thread.cache, record, kind);
                        continue;
                    }
                }
            }
            if word.kind() == Kind::Divided {
                return Err(Divided);
            }
            // SAFETY: it is of a record of this arena.
            let record = unsafe { word.record() };
            if !record.lock(word.generation()) {
                thread.counters.add(Count::Retried);
                continue;
            }
            return Ok(self.change(thread, slot, word, access));
        }
    }

    /// The rule for what a slot names, which is locked and of this generation: the slot names it until it is unlocked.
    #[inline]
    fn change(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        word: Word,
        access: Access,
    ) -> Option<Conflict> {
        // SAFETY: it is of a record of this arena.
        let record = unsafe { word.record() };
        let (conflict, change) = self.rule(thread, record, word.kind(), access);
        match change {
            Change::Done => record.unlock_as(word.generation()),
            Change::Replace(other, kind) => {
                slot.set(other.name(kind));
                self.arena.give(&mut thread.cache, record, word.kind());
            }
            Change::NoMemory => {
                record.unlock_as(word.generation());
                thread.counters.add(Count::NotRecorded);
            }
        }
        conflict
    }

    /// Nobody has accessed what the slot is for.
    pub(super) unsafe fn reset(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
    ) -> Result<(), Divided> {
        loop {
            let word = slot.load();
            if word.is_empty() {
                return Ok(());
            }
            if word.kind() == Kind::Divided {
                return Err(Divided);
            }
            // SAFETY: it is of a record of this arena.
            let record = unsafe { word.record() };
            if record.lock(word.generation()) {
                slot.set(Word::EMPTY);
                self.arena.give(&mut thread.cache, record, word.kind());
                return Ok(());
            }
        }
    }

    /// The metadata of a location's first access.
    fn first(&self, thread: &mut ThreadState<Self>, access: Access) -> Option<(Record, Kind)> {
        let now = thread.epoch;
        match access {
            Access::Read | Access::Write => {
                let pair = self.new_pair(thread)?;
                let reads = access == Access::Read;
                if reads && R::has(Rule::ReadExclusive) {
                    pair.fill(Epoch::NONE, now);
                } else if !reads && R::has(Rule::WriteRecorded) {
                    pair.fill(now, Epoch::NONE);
                } else {
                    pair.fill(Epoch::NONE, Epoch::NONE);
                }
                let count =
                    if reads { Count::ReadExclusiveAllocated } else { Count::WriteExclusive };
                thread.counters.add(count);
                Some((pair.0, Kind::Pair))
            }
            Access::AtomicRead | Access::AtomicWrite => {
                let mixed = self.new_mixed(thread, VectorClock::FIRST_SIZE)?;
                mixed.clear(Epoch::NONE);
                mixed.apply::<R>(&thread.moment(), access);
                thread.counters.add(Count::Atomic);
                Some((mixed.0, Kind::Mixed))
            }
        }
    }

    /// The rule for a record that is locked.
    fn rule(
        &self,
        thread: &mut ThreadState<Self>,
        record: Record,
        kind: Kind,
        access: Access,
    ) -> (Option<Conflict>, Change) {
        match (kind, access) {
            (Kind::Pair, Access::Read) => self.read_pair(thread, Pair(record)),
            (Kind::Pair, Access::Write) => self.write_pair(thread, Pair(record)),
            (Kind::Reads, Access::Read) => self.read_shared(thread, Reads(record)),
            (Kind::Reads, Access::Write) => self.write_shared(thread, Reads(record)),
            (Kind::Pair | Kind::Reads | Kind::Mixed | Kind::Divided, _) => {
                self.mixed(thread, record, kind, access)
            }
        }
    }
}
