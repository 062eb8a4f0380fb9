//! SlimFast: FastTrack with metadata that locations share.
//!
//! Source: Y. Peng, "Reducing the overhead of dynamic data race detection" (the thesis), chapter 3; the rules are those of
//! figure 3.5, the metadata those of figures 3.4 and 3.7, the arrays those of sections 3.3.2 to 3.3.4, updates are the
//! compare-and-swap loop of figure 3.11.
//!
//! A race is two accesses to a byte, at least one of them a write and not both atomic, that happens-before does not order.
//!
//! Where it deviates:
//! - **Reclamation** is by counting, since there is no garbage collector (`metadata/mod.rs`).
//! - **`W_t`, `S_t` and `Q_t` are renewed when they are next asked for**, not at the release or fork itself, and `W_t` is allocated by
//!   the first write of an epoch that needs it. What they contain is the same; threads that only synchronise allocate nothing.
//! - **READINFLREUSE ignores Next**: figure 3.5 asks for an element with some Next in one rule, and with an empty one in the
//!   other; lookups are by the remote read and the write alone, as section 3.2.2 says.
//! - **Next does not hold what it names**, and threads without an entry may displace each other's (`metadata/reads.rs`).
//! - **44-bit clocks and 20-bit ids**, not 32 and 8. EpochPlusVC has no unused read epoch.
//! - **Atomic accesses**, which the thesis does not treat, have a format of their own that is not shared (`metadata/mixed.rs`).
//! - **An access that races is written down like any other**, so that later ones are compared with it.
//!
//! It reports the first race of every location, and may miss later ones of a location that has had one. It reports nothing
//! that is ordered.

mod share;

use std::sync::Arc;

use warpsan_thread_clock::{Epoch, VectorClock};

use crate::conflict::{Conflict, EarlierAccess, Halt};
use crate::counters::{Count, Counters};
use crate::metadata::{Arena, Class, Memory, Mixed, MixedAccess, Pair, Place, Reads, Record, Room};
use crate::rules::{AllRules, Rule, Rules};
use crate::slot::{Kind, Slot, Word};
use crate::storage::Storage;
use crate::thread_state::ThreadState;
use crate::tool::{DividedWord, Tool};

pub use share::Sets;
use share::{Ring, Share};

/// SlimFast. See the head of the module.
pub struct SlimFast<R = AllRules> {
    arena: Arena,
    settings: SlimFastSettings,
    rules: std::marker::PhantomData<R>,
}

/// What can be chosen.
#[derive(Clone, Copy, Debug)]
pub struct SlimFastSettings {
    /// The size of the array `S_t`: the thesis' programs have 11 elements at most in the mean.
    pub reads: usize,
    /// The size of the array `Q_t`.
    pub inflated: usize,
}

impl Default for SlimFastSettings {
    fn default() -> Self {
        Self { reads: 16, inflated: 16 }
    }
}

/// What a slot is to get.
enum Update {
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
    fn word(&self) -> Word {
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
    /// A tool that takes its memory from `storage`.
    pub fn new(storage: Arc<dyn Storage>, settings: SlimFastSettings) -> Self {
        let settings =
            SlimFastSettings { reads: settings.reads.max(1), inflated: settings.inflated.max(1) };
        Self { arena: Arena::new(storage, true), settings, rules: std::marker::PhantomData }
    }

    /// Empties the sets if the thread has begun another epoch since.
    #[inline]
    fn renew(&self, thread: &mut ThreadState<Self>) {
        if thread.local.epoch != thread.epoch {
            self.renew_now(thread);
        }
    }

    #[inline(never)]
    fn renew_now(&self, thread: &mut ThreadState<Self>) {
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
    fn written(&self, thread: &mut ThreadState<Self>, kept_read: Epoch) -> Option<Update> {
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
    fn exclusive(&self, thread: &mut ThreadState<Self>, write: Epoch) -> Option<Update> {
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
    fn inflated(
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
    fn shared(&self, thread: &mut ThreadState<Self>, reads: Reads) -> Option<Update> {
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
    fn put(&self, thread: &mut ThreadState<Self>, slot: &Slot, old: Word, update: Update) -> bool {
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

    #[inline(never)]
    unsafe fn read_slowly(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt> {
        loop {
            let word = slot.load();
            let (write, update) = match word.kind() {
                Kind::Divided => return Err(Halt::Divided),
                Kind::Mixed => {
                    // SAFETY: the caller's promise.
                    return unsafe { self.mixed(thread, slot, MixedAccess::Read) };
                }
                Kind::Pair => {
                    let (write, read) = Self::pair(word);
                    if !slot.still_has(word) {
                        continue;
                    }
                    if R::has(Rule::ReadSameEpoch) && read == thread.epoch {
                        thread.counters.add(Count::ReadSameEpoch);
                        return Ok(());
                    }
                    let inflates = R::has(Rule::ReadInflate) && !thread.clock.covers(read);
                    let update = if inflates {
                        self.inflated(thread, write, read)
                    } else if R::has(Rule::ReadExclusive) {
                        self.exclusive(thread, write)
                    } else {
                        return Halt::verdict(Self::unordered_write(thread, write));
                    };
                    (write, update)
                }
                Kind::Reads => {
                    // SAFETY: it is of a vector of this arena.
                    let reads = Reads(unsafe { word.record() });
                    let write = reads.write();
                    if R::has(Rule::ReadSharedSameEpoch)
                        && reads.read_of(thread.id()) == thread.epoch
                        && slot.still_has(word)
                    {
                        thread.counters.add(Count::ReadSharedSameEpoch);
                        return Ok(());
                    }
                    (write, self.shared(thread, reads))
                }
            };
            let conflict = Self::unordered_write(thread, write);
            let Some(update) = update else {
                thread.counters.add(Count::NotRecorded);
                return Ok(());
            };
            if self.put(thread, slot, word, update) {
                return Halt::verdict(conflict);
            }
        }
    }

    #[inline(never)]
    unsafe fn write_slowly(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt> {
        loop {
            let word = slot.load();
            let (conflict, kept_read, count) = match word.kind() {
                Kind::Divided => return Err(Halt::Divided),
                Kind::Mixed => {
                    // SAFETY: the caller's promise.
                    return unsafe { self.mixed(thread, slot, MixedAccess::Write) };
                }
                Kind::Pair => {
                    let (write, read) = Self::pair(word);
                    if !slot.still_has(word) {
                        continue;
                    }
                    if R::has(Rule::WriteSameEpoch) && write == thread.epoch {
                        thread.counters.add(Count::WriteSameEpoch);
                        return Ok(());
                    }
                    (Self::unordered_pair(thread, write, read), read, Count::WriteExclusive)
                }
                Kind::Reads => {
                    // SAFETY: it is of a vector of this arena.
                    let reads = Reads(unsafe { word.record() });
                    if R::has(Rule::WriteSameEpoch)
                        && reads.write() == thread.epoch
                        && slot.still_has(word)
                    {
                        thread.counters.add(Count::WriteSameEpoch);
                        return Ok(());
                    }
                    (Self::unordered_reads(thread, reads), Epoch::NONE, Count::WriteShared)
                }
            };
            thread.counters.add(count);
            if !R::has(Rule::WriteRecorded) {
                return Halt::verdict(conflict);
            }
            let Some(update) = self.written(thread, kept_read) else {
                thread.counters.add(Count::NotRecorded);
                return Ok(());
            };
            if self.put(thread, slot, word, update) {
                return Halt::verdict(conflict);
            }
        }
    }

    /// The epochs of a pair, `(⊥, ⊥)` for an empty word.
    #[inline(always)]
    fn pair(word: Word) -> (Epoch, Epoch) {
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

    /// An access to a location with atomic accesses, or the first atomic one.
    #[inline(never)]
    unsafe fn mixed(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        access: MixedAccess,
    ) -> Result<(), Halt> {
        let plain = matches!(access, MixedAccess::Read | MixedAccess::Write);
        let count = if plain { Count::PlainOfMixed } else { Count::Atomic };
        loop {
            let word = slot.load();
            if word.kind() == Kind::Divided {
                return Err(Halt::Divided);
            }
            if word.kind() == Kind::Mixed {
                // SAFETY: it is of a record of this arena.
                let mixed = Mixed(unsafe { word.record() });
                if mixed.same_epoch(thread.epoch, access) && slot.still_has(word) {
                    thread.counters.add(count);
                    return Ok(());
                }
                if !mixed.0.lock(word.generation()) {
                    continue;
                }
                thread.counters.add(count);
                let moment = thread.moment();
                // Locked, and of this generation: the slot names it until it is unlocked.
                if mixed.room(moment.epoch.thread(), access) == Room::Enough {
                    let conflict = mixed.apply::<R>(&moment, access);
                    mixed.0.unlock();
                    return Halt::verdict(conflict);
                }
                let class = Class::mixed(mixed.capacity() * 2);
                let Some(record) = self.arena.take(&mut thread.cache, class, 1) else {
                    mixed.0.unlock();
                    thread.counters.add(Count::NotRecorded);
                    return Ok(());
                };
                thread.counters.add(Count::MixedAllocated);
                let larger = Mixed(record);
                larger.copy_from(mixed);
                let conflict = larger.apply::<R>(&thread.moment(), access);
                slot.set(record.name(Kind::Mixed));
                self.arena.give(&mut thread.cache, mixed.0, Kind::Mixed);
                return Halt::verdict(conflict);
            }
            let Some(mixed) = self.as_mixed(thread, word) else {
                thread.counters.add(Count::NotRecorded);
                return Ok(());
            };
            let conflict = mixed.apply::<R>(&thread.moment(), access);
            if self.put(thread, slot, word, Update::Counted(mixed.0.name(Kind::Mixed))) {
                thread.counters.add(count);
                return Halt::verdict(conflict);
            }
        }
    }

    /// What a pair or a vector says, as a record for atomic accesses, with room for one thread more.
    fn as_mixed(&self, thread: &mut ThreadState<Self>, word: Word) -> Option<Mixed> {
        let first = VectorClock::FIRST_SIZE;
        let room = match word.kind() {
            // SAFETY: it is of a vector of this arena.
            Kind::Reads => Reads(unsafe { word.record() }).capacity() * 2,
            Kind::Pair | Kind::Mixed | Kind::Divided => first,
        };
        let mixed = Mixed(self.arena.take(&mut thread.cache, Class::mixed(room), 1)?);
        thread.counters.add(Count::MixedAllocated);
        if word.kind() == Kind::Reads {
            // SAFETY: as above.
            let reads = Reads(unsafe { word.record() });
            mixed.clear(reads.write());
            reads.epochs().for_each(|read| mixed.add_read(read));
        } else {
            let (write, read) = Self::pair(word);
            mixed.clear(write);
            mixed.add_read(read);
        }
        Some(mixed)
    }
}

impl<R: Rules> Tool for SlimFast<R> {
    type Rules = R;
    type Local = Sets;

    const NAME: &'static str = "slimfast";

    fn local(&self) -> Sets {
        Sets {
            epoch: Epoch::NONE,
            written: None,
            reads: Ring::new(self.settings.reads),
            inflated: Ring::new(self.settings.inflated),
        }
    }

    #[inline(always)]
    unsafe fn read(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt> {
        let word = slot.load();
        if R::has(Rule::ReadSameEpoch) && word.kind() == Kind::Pair && !word.is_empty() {
            // SAFETY: the word is of a pair of this arena.
            let pair = Pair(unsafe { word.record() });
            if pair.read() == thread.epoch && slot.still_has(word) {
                thread.counters.add(Count::ReadSameEpoch);
                return Ok(());
            }
        }
        // SAFETY: the caller's promise.
        unsafe { self.read_slowly(thread, slot) }
    }

    #[inline(always)]
    unsafe fn write(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt> {
        let word = slot.load();
        if R::has(Rule::WriteSameEpoch) && word.kind() == Kind::Pair && !word.is_empty() {
            // SAFETY: the word is of a pair of this arena.
            let pair = Pair(unsafe { word.record() });
            if pair.write() == thread.epoch && slot.still_has(word) {
                thread.counters.add(Count::WriteSameEpoch);
                return Ok(());
            }
        }
        // SAFETY: the caller's promise.
        unsafe { self.write_slowly(thread, slot) }
    }

    unsafe fn atomic_read(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt> {
        // SAFETY: the caller's promise.
        unsafe { self.mixed(thread, slot, MixedAccess::AtomicRead) }
    }

    unsafe fn atomic_write(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt> {
        // SAFETY: the caller's promise.
        unsafe { self.mixed(thread, slot, MixedAccess::AtomicWrite) }
    }

    unsafe fn reset(&self, thread: &mut ThreadState<Self>, slot: &Slot) {
        loop {
            let word = slot.load();
            if word.is_empty() || word.kind() == Kind::Divided {
                return;
            }
            if word.kind() == Kind::Mixed {
                // SAFETY: it is of a record of this arena.
                let record = unsafe { word.record() };
                if record.lock(word.generation()) {
                    slot.set(Word::EMPTY);
                    self.arena.give(&mut thread.cache, record, Kind::Mixed);
                    return;
                }
            } else if slot.exchange(word, Word::EMPTY) {
                // SAFETY: the slot held the name, and holds it no longer.
                unsafe { self.arena.drop_name(&mut thread.cache, word) };
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
            if word.kind() == Kind::Mixed {
                if !record.lock(word.generation()) {
                    continue;
                }
                let copied = parts.iter().all(|part| {
                    let class = Class::mixed(Mixed(record).capacity());
                    let copy = self.arena.take(&mut thread.cache, class, 1);
                    copy.is_some_and(|copy| {
                        thread.counters.add(Count::MixedAllocated);
                        Mixed(copy).copy_from(Mixed(record));
                        part.set(copy.name(Kind::Mixed));
                        true
                    })
                });
                if !copied {
                    record.unlock();
                    // SAFETY: nobody else knows the parts.
                    parts.iter().for_each(|part| unsafe { self.reset(thread, part) });
                    return false;
                }
                slot.set(divided.0);
                self.arena.give(&mut thread.cache, record, Kind::Mixed);
                return true;
            }
            if !record.try_retain(word.generation(), parts.len() as u64) {
                continue;
            }
            parts.iter().for_each(|part| part.set(word));
            if slot.exchange(word, divided.0) {
                // SAFETY: the slot held the name, and holds it no longer.
                unsafe { self.arena.drop_name(&mut thread.cache, word) };
                return true;
            }
            parts.iter().for_each(|part| part.set(Word::EMPTY));
            // SAFETY: these were counted above.
            unsafe { self.arena.release(&mut thread.cache, word, parts.len() as u64) };
        }
    }

    unsafe fn settle(&self, thread: &mut ThreadState<Self>) {
        self.renew(thread);
        self.arena.settle(&mut thread.cache);
    }

    unsafe fn leave(&self, thread: &mut ThreadState<Self>) -> Counters {
        self.renew_now(thread);
        let ThreadState { local, cache, .. } = thread;
        let shares = local.written.take().into_iter();
        for share in shares.chain(local.reads.drain()).chain(local.inflated.drain()) {
            share.give_up(&self.arena, cache);
        }
        self.arena.close(cache);
        thread.counters
    }

    fn memory(&self) -> Memory {
        self.arena.memory()
    }
}
