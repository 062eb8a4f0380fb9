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

mod atomics;
mod share;
mod updates;

use std::sync::Arc;

use warpsan_thread_clock::Epoch;

use crate::conflict::{Conflict, EarlierAccess, Halt};
use crate::counters::{Count, Counters};
use crate::metadata::{Arena, Class, Memory, Mixed, MixedAccess, Pair, Reads};
use crate::rules::{AllRules, Rule, Rules};
use crate::slot::{Kind, Slot, Word};
use crate::storage::Storage;
use crate::thread_state::ThreadState;
use crate::tool::{DividedWord, Tool};

use share::Ring;
pub use share::Sets;

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

impl<R: Rules> SlimFast<R> {
    /// A tool that takes its memory from `storage`.
    pub fn new(storage: Arc<dyn Storage>, settings: SlimFastSettings) -> Self {
        let settings =
            SlimFastSettings { reads: settings.reads.max(1), inflated: settings.inflated.max(1) };
        Self { arena: Arena::new(storage, true), settings, rules: std::marker::PhantomData }
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
        unsafe { self.read_slowly(thread, slot) }
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
