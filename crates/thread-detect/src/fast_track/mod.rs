//! FastTrack: happens-before by epochs, with metadata of each location's own.
//!
//! Source: the rules of figure 3.3 of Y. Peng's thesis, chapter 3, after C. Flanagan and S. N. Freund, "FastTrack: Efficient and
//! Precise Dynamic Race Detection", PLDI 2009; of the thesis, not of the paper, where the two differ: WRITEEXCLUSIVE forgets the
//! last read.
//!
//! A race is two accesses to a byte, at least one of them a write and not both atomic, that happens-before does not order.
//!
//! It is the yardstick for SlimFast, and no slower than it must be: metadata change in place, under a lock that is a bit of their first
//! word; nothing is allocated but for the first access to a location and where the format changes. In the same epoch nothing is
//! locked or written, also where several threads read: entries of a vector stay where they are, and a thread looks for its
//! own only, so that the race in the thesis' baseline (section 3.4.1) cannot occur.
//!
//! Where it deviates: 44-bit clocks and 20-bit ids; atomic accesses as in `metadata/mixed.rs`; an access that races is written down
//! like any other.
//!
//! It reports the first race of every location, and may miss later ones of a location that has had one. It reports nothing
//! that is ordered.

use std::sync::Arc;

use warpsan_thread_clock::{Epoch, VectorClock};

use crate::conflict::{Conflict, EarlierAccess, Halt};
use crate::counters::{Count, Counters};
use crate::metadata::{Arena, Class, Memory, Mixed, MixedAccess, Pair, Reads, Record, Room};
use crate::rules::{AllRules, Rule, Rules};
use crate::slot::{Kind, Slot, Word};
use crate::storage::Storage;
use crate::thread_state::ThreadState;
use crate::tool::{DividedWord, Tool};

/// FastTrack. See the head of the module.
pub struct FastTrack<R = AllRules> {
    arena: Arena,
    rules: std::marker::PhantomData<R>,
}

/// What is to be done with a record that is locked.
enum Change {
    /// It was changed in place, or stays as it was.
    Done,
    /// The slot gets this one instead.
    Replace(Record, Kind),
    /// There is no memory for another one.
    NoMemory,
}

impl<R: Rules> FastTrack<R> {
    /// A tool that takes its memory from `storage`.
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { arena: Arena::new(storage, false), rules: std::marker::PhantomData }
    }

    /// Any access that is not of the same epoch.
    #[inline(never)]
    unsafe fn slowly(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        access: MixedAccess,
    ) -> Result<(), Halt> {
        loop {
            let word = slot.load();
            if word.is_empty() {
                match self.first(thread, access) {
                    None => {
                        thread.counters.add(Count::NotRecorded);
                        return Ok(());
                    }
                    Some((record, kind)) => {
                        if slot.exchange(word, record.name(kind)) {
                            return Ok(());
                        }
                        thread.counters.add(Count::Retried);
                        self.arena.give(&mut thread.cache, record, kind);
                        continue;
                    }
                }
            }
            if word.kind() == Kind::Divided {
                return Err(Halt::Divided);
            }
            // SAFETY: it is of a record of this arena.
            let record = unsafe { word.record() };
            if self.same_epoch(thread, record, word.kind(), access) && slot.still_has(word) {
                return Ok(());
            }
            if !record.lock(word.generation()) {
                thread.counters.add(Count::Retried);
                continue;
            }
            // Locked, and of this generation: the slot names it until it is unlocked.
            let (conflict, change) = self.apply(thread, record, word.kind(), access);
            match change {
                Change::Done => record.unlock(),
                Change::Replace(other, kind) => {
                    slot.set(other.name(kind));
                    self.arena.give(&mut thread.cache, record, word.kind());
                }
                Change::NoMemory => {
                    record.unlock();
                    thread.counters.add(Count::NotRecorded);
                }
            }
            return Halt::verdict(conflict);
        }
    }

    /// The same-epoch rules, without a lock.
    fn same_epoch(
        &self,
        thread: &mut ThreadState<Self>,
        record: Record,
        kind: Kind,
        access: MixedAccess,
    ) -> bool {
        let now = thread.epoch;
        let (same, count) = match (kind, access) {
            (Kind::Pair, MixedAccess::Read) => {
                (R::has(Rule::ReadSameEpoch) && Pair(record).read() == now, Count::ReadSameEpoch)
            }
            (Kind::Reads, MixedAccess::Read) => {
                let same = || Reads(record).read_of(now.thread()) == now;
                (R::has(Rule::ReadSharedSameEpoch) && same(), Count::ReadSharedSameEpoch)
            }
            (Kind::Pair | Kind::Reads, MixedAccess::Write) => {
                let same = || Epoch::from_bits(record.get(Record::WRITE)) == now;
                (R::has(Rule::WriteSameEpoch) && same(), Count::WriteSameEpoch)
            }
            (Kind::Mixed, MixedAccess::Read | MixedAccess::Write) => {
                (Mixed(record).same_epoch(now, access), Count::PlainOfMixed)
            }
            (Kind::Mixed, _) => (Mixed(record).same_epoch(now, access), Count::Atomic),
            (Kind::Pair | Kind::Reads | Kind::Divided, _) => (false, Count::Atomic),
        };
        if same {
            thread.counters.add(count);
        }
        same
    }

    /// The metadata of a location's first access.
    fn first(&self, thread: &mut ThreadState<Self>, access: MixedAccess) -> Option<(Record, Kind)> {
        let now = thread.epoch;
        match access {
            MixedAccess::Read | MixedAccess::Write => {
                let pair = self.new_pair(thread)?;
                let reads = access == MixedAccess::Read;
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
            MixedAccess::AtomicRead | MixedAccess::AtomicWrite => {
                let mixed = self.new_mixed(thread, VectorClock::FIRST_SIZE)?;
                mixed.clear(Epoch::NONE);
                mixed.apply::<R>(&thread.moment(), access);
                thread.counters.add(Count::Atomic);
                Some((mixed.0, Kind::Mixed))
            }
        }
    }

    /// The rule for a record that is locked.
    fn apply(
        &self,
        thread: &mut ThreadState<Self>,
        record: Record,
        kind: Kind,
        access: MixedAccess,
    ) -> (Option<Conflict>, Change) {
        match (kind, access) {
            (Kind::Pair, MixedAccess::Read) => self.read_pair(thread, Pair(record)),
            (Kind::Pair, MixedAccess::Write) => self.write_pair(thread, Pair(record)),
            (Kind::Reads, MixedAccess::Read) => self.read_shared(thread, Reads(record)),
            (Kind::Reads, MixedAccess::Write) => self.write_shared(thread, Reads(record)),
            (Kind::Pair | Kind::Reads | Kind::Mixed | Kind::Divided, _) => {
                self.mixed(thread, record, kind, access)
            }
        }
    }

    /// READEXCLUSIVE and READINFLATE.
    fn read_pair(&self, thread: &mut ThreadState<Self>, pair: Pair) -> (Option<Conflict>, Change) {
        let (write, read) = (pair.write(), pair.read());
        let conflict = Self::unordered_write(thread, write);
        if !R::has(Rule::ReadInflate) || thread.clock.covers(read) {
            thread.counters.add(Count::ReadExclusive);
            if R::has(Rule::ReadExclusive) {
                pair.set_read(thread.epoch);
            }
            return (conflict, Change::Done);
        }
        let Some(reads) = self.new_reads(thread, VectorClock::FIRST_SIZE, write) else {
            return (conflict, Change::NoMemory);
        };
        thread.counters.add(Count::ReadInflateAllocated);
        reads.set(read);
        reads.set(thread.epoch);
        (conflict, Change::Replace(reads.0, Kind::Reads))
    }

    /// WRITEEXCLUSIVE.
    fn write_pair(&self, thread: &mut ThreadState<Self>, pair: Pair) -> (Option<Conflict>, Change) {
        let (write, read) = (pair.write(), pair.read());
        thread.counters.add(Count::WriteExclusive);
        let unordered = |rule, epoch: Epoch| R::has(rule) && !thread.clock.covers(epoch);
        let conflict = if unordered(Rule::WriteChecksWrite, write) {
            Some(Conflict { earlier: write, access: EarlierAccess::Write })
        } else if unordered(Rule::WriteChecksRead, read) {
            Some(Conflict { earlier: read, access: EarlierAccess::Read })
        } else {
            None
        };
        if R::has(Rule::WriteRecorded) {
            if R::has(Rule::WriteForgetsRead) {
                pair.set_read(Epoch::NONE);
            }
            pair.set_write(thread.epoch);
        }
        (conflict, Change::Done)
    }

    /// READSHARED.
    fn read_shared(
        &self,
        thread: &mut ThreadState<Self>,
        reads: Reads,
    ) -> (Option<Conflict>, Change) {
        let conflict = Self::unordered_write(thread, reads.write());
        if !R::has(Rule::ReadShared) || reads.set(thread.epoch) {
            thread.counters.add(Count::ReadShared);
            return (conflict, Change::Done);
        }
        let Some(larger) = self.new_reads(thread, reads.capacity() * 2, reads.write()) else {
            return (conflict, Change::NoMemory);
        };
        thread.counters.add(Count::ReadSharedAllocated);
        for read in reads.epochs() {
            larger.set(read);
        }
        larger.set(thread.epoch);
        (conflict, Change::Replace(larger.0, Kind::Reads))
    }

    /// WRITESHARED.
    fn write_shared(
        &self,
        thread: &mut ThreadState<Self>,
        reads: Reads,
    ) -> (Option<Conflict>, Change) {
        thread.counters.add(Count::WriteShared);
        let write = reads.write();
        let conflict = if R::has(Rule::WriteChecksWrite) && !thread.clock.covers(write) {
            Some(Conflict { earlier: write, access: EarlierAccess::Write })
        } else if R::has(Rule::WriteChecksReads) {
            let unordered = reads.epochs().find(|read| !thread.clock.covers(*read));
            unordered.map(|earlier| Conflict { earlier, access: EarlierAccess::Read })
        } else {
            None
        };
        if !R::has(Rule::WriteRecorded) {
            return (conflict, Change::Done);
        }
        let Some(pair) = self.new_pair(thread) else { return (conflict, Change::NoMemory) };
        pair.fill(thread.epoch, Epoch::NONE);
        (conflict, Change::Replace(pair.0, Kind::Pair))
    }

    /// An access to a location with atomic accesses, or the first atomic one.
    fn mixed(
        &self,
        thread: &mut ThreadState<Self>,
        record: Record,
        kind: Kind,
        access: MixedAccess,
    ) -> (Option<Conflict>, Change) {
        let plain = matches!(access, MixedAccess::Read | MixedAccess::Write);
        thread.counters.add(if plain { Count::PlainOfMixed } else { Count::Atomic });
        let room = match kind {
            Kind::Mixed => {
                let mixed = Mixed(record);
                if mixed.room(thread.id(), access) == Room::Enough {
                    return (mixed.apply::<R>(&thread.moment(), access), Change::Done);
                }
                mixed.capacity() * 2
            }
            Kind::Reads => Reads(record).capacity() * 2,
            Kind::Pair | Kind::Divided => VectorClock::FIRST_SIZE,
        };
        let Some(mixed) = self.new_mixed(thread, room) else { return (None, Change::NoMemory) };
        match kind {
            Kind::Mixed => mixed.copy_from(Mixed(record)),
            Kind::Reads => {
                mixed.clear(Reads(record).write());
                Reads(record).epochs().for_each(|read| mixed.add_read(read));
            }
            Kind::Pair | Kind::Divided => {
                mixed.clear(Pair(record).write());
                mixed.add_read(Pair(record).read());
            }
        }
        let conflict = mixed.apply::<R>(&thread.moment(), access);
        (conflict, Change::Replace(mixed.0, Kind::Mixed))
    }

    fn unordered_write(thread: &ThreadState<Self>, write: Epoch) -> Option<Conflict> {
        let races = R::has(Rule::ReadChecksWrite) && !thread.clock.covers(write);
        races.then_some(Conflict { earlier: write, access: EarlierAccess::Write })
    }

    fn new_pair(&self, thread: &mut ThreadState<Self>) -> Option<Pair> {
        let record = self.arena.take(&mut thread.cache, Class::PAIR, 1)?;
        thread.counters.add(Count::PairAllocated);
        Some(Pair(record))
    }

    fn new_reads(
        &self,
        thread: &mut ThreadState<Self>,
        capacity: usize,
        write: Epoch,
    ) -> Option<Reads> {
        let reads = Reads(self.arena.take(&mut thread.cache, Class::reads(capacity), 1)?);
        thread.counters.add(Count::VectorAllocated);
        reads.clear(write, false);
        Some(reads)
    }

    fn new_mixed(&self, thread: &mut ThreadState<Self>, capacity: usize) -> Option<Mixed> {
        let record = self.arena.take(&mut thread.cache, Class::mixed(capacity), 1)?;
        thread.counters.add(Count::MixedAllocated);
        Some(Mixed(record))
    }

    /// A record with the same contents.
    fn copy(&self, thread: &mut ThreadState<Self>, record: Record, kind: Kind) -> Option<Record> {
        Some(match kind {
            Kind::Pair | Kind::Divided => {
                let copy = self.new_pair(thread)?;
                copy.fill(Pair(record).write(), Pair(record).read());
                copy.0
            }
            Kind::Reads => {
                let reads = Reads(record);
                let copy = self.new_reads(thread, reads.capacity(), reads.write())?;
                for read in reads.epochs() {
                    copy.set(read);
                }
                copy.0
            }
            Kind::Mixed => {
                let copy = self.new_mixed(thread, Mixed(record).capacity())?;
                copy.copy_from(Mixed(record));
                copy.0
            }
        })
    }
}

impl<R: Rules> Tool for FastTrack<R> {
    type Rules = R;
    type Local = ();

    const NAME: &'static str = "fasttrack";

    fn local(&self) {}

    #[inline(always)]
    unsafe fn repeats_read(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> bool {
        let epoch = thread.epoch;
        // SAFETY: the slot has names of this arena's records.
        let repeats =
            R::has(Rule::ReadSameEpoch) && unsafe { slot.has_pair(|pair| pair.read() == epoch) };
        if repeats {
            thread.counters.add(Count::ReadSameEpoch);
        }
        repeats
    }

    #[inline(always)]
    unsafe fn read(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt> {
        // SAFETY: the caller's promise.
        if unsafe { self.repeats_read(thread, slot) } {
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { self.slowly(thread, slot, MixedAccess::Read) }
    }

    #[inline(always)]
    unsafe fn repeats_write(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> bool {
        let epoch = thread.epoch;
        // SAFETY: the slot has names of this arena's records.
        let repeats =
            R::has(Rule::WriteSameEpoch) && unsafe { slot.has_pair(|pair| pair.write() == epoch) };
        if repeats {
            thread.counters.add(Count::WriteSameEpoch);
        }
        repeats
    }

    #[inline(always)]
    unsafe fn write(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt> {
        // SAFETY: the caller's promise.
        if unsafe { self.repeats_write(thread, slot) } {
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { self.slowly(thread, slot, MixedAccess::Write) }
    }

    unsafe fn atomic_read(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt> {
        // SAFETY: the caller's promise.
        unsafe { self.slowly(thread, slot, MixedAccess::AtomicRead) }
    }

    unsafe fn atomic_write(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt> {
        // SAFETY: the caller's promise.
        unsafe { self.slowly(thread, slot, MixedAccess::AtomicWrite) }
    }

    unsafe fn reset(&self, thread: &mut ThreadState<Self>, slot: &Slot) {
        loop {
            let word = slot.load();
            if word.is_empty() || word.kind() == Kind::Divided {
                return;
            }
            // SAFETY: it is of a record of this arena.
            let record = unsafe { word.record() };
            if record.lock(word.generation()) {
                slot.set(Word::EMPTY);
                self.arena.give(&mut thread.cache, record, word.kind());
                return;
            }
        }
    }

    unsafe fn divide(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        parts: &[Slot],
        divided: DividedWord,
    ) -> bool {
        loop {
            let word = slot.load();
            if word.kind() == Kind::Divided {
                return false;
            }
            if word.is_empty() {
                if slot.exchange(word, divided.0) {
                    return true;
                }
                continue;
            }
            // SAFETY: it is of a record of this arena.
            let record = unsafe { word.record() };
            if !record.lock(word.generation()) {
                continue;
            }
            let copied = parts.iter().all(|part| match self.copy(thread, record, word.kind()) {
                Some(copy) => {
                    part.set(copy.name(word.kind()));
                    true
                }
                None => false,
            });
            if !copied {
                record.unlock();
                // SAFETY: nobody else knows the parts.
                parts.iter().for_each(|part| unsafe { self.reset(thread, part) });
                return false;
            }
            slot.set(divided.0);
            self.arena.give(&mut thread.cache, record, word.kind());
            return true;
        }
    }

    unsafe fn settle(&self, thread: &mut ThreadState<Self>) {
        self.arena.settle(&mut thread.cache);
    }

    unsafe fn leave(&self, thread: &mut ThreadState<Self>) -> Counters {
        self.arena.close(&mut thread.cache);
        thread.counters
    }

    fn memory(&self) -> Memory {
        self.arena.memory()
    }
}
