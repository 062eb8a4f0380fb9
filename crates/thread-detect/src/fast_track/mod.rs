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
//! What an ordered access changes is known from one look, and compared with under the lock (`steps.rs`). Records lie where the first
//! accesses came by, not in the order of addresses, so those of the next words are fetched ahead.
//!
//! A word that is accessed in parts is divided, for ever, into halves and these into bytes (`division.rs`).
//!
//! Where it deviates: 44-bit clocks and 20-bit ids; atomic accesses as in `metadata/mixed.rs`; an access that races is written down
//! like any other.
//!
//! It reports the first race of every location, and may miss later ones of a location that has had one. It reports nothing
//! that is ordered.

mod access;
mod atomics;
mod division;
mod parts;
mod plain;
mod records;
mod same_epoch;
mod steps;

use std::sync::Arc;

use crate::access::{Access, Deed};
use crate::bytes::Bytes;
use crate::conflict::Findings;
use crate::counters::Counters;
use crate::metadata::{Arena, Memory, Record};
use crate::rules::{AllRules, Rules};
use crate::slot::{Kind, Slot};
use crate::storage::Storage;
use crate::thread_state::ThreadState;
use crate::tool::{Look, Tool};

use division::Level;
use parts::PartsMemory;
pub use steps::PairStep;

/// FastTrack. See the head of the module.
pub struct FastTrack<R = AllRules> {
    arena: Arena,
    parts: PartsMemory,
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
        let arena = Arena::new(Arc::clone(&storage), false);
        Self { arena, parts: PartsMemory::new(storage), rules: std::marker::PhantomData }
    }
}

impl<R: Rules> Tool for FastTrack<R> {
    type Rules = R;
    type Local = ();
    type Step = PairStep;

    const NAME: &'static str = "fasttrack";

    fn local(&self) {}

    #[inline(always)]
    unsafe fn repeats(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        access: Access,
    ) -> bool {
        // SAFETY: the caller's promise.
        let look = unsafe { self.known_step(thread, slot, bytes, access) };
        matches!(look, Look::Repeats)
    }

    #[inline(always)]
    unsafe fn look(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        access: Access,
    ) -> Look<PairStep> {
        // SAFETY: the caller's promise.
        unsafe { self.known_step(thread, slot, bytes, access) }
    }

    #[inline(always)]
    unsafe fn expect(&self, later: &Slot, sooner: &Slot) {
        later.load().fetch();
        let word = sooner.load();
        if word.kind() == Kind::Divided {
            // SAFETY: a divided slot of a word names two halves.
            for half in unsafe { self.parts.at(word, Level::Word.parts()) } {
                half.load().fetch();
            }
        }
    }

    #[inline(always)]
    unsafe fn follow(&self, thread: &mut ThreadState<Self>, _slot: &Slot, step: PairStep) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.take(thread, step) }
    }

    unsafe fn apply(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        deed: Deed,
        findings: &mut Findings<'_>,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            // Nearly all are to a word, or to half of one that is divided already.
            if let Deed::Access(access) = deed
                && let Some(exact) = self.exact_slot(slot, bytes)
                && let Ok(conflict) = self.access(thread, exact, access)
            {
                return conflict.into_iter().for_each(|conflict| findings.report(bytes, conflict));
            }
            self.apply_to(thread, (slot, Level::Word, 0), bytes, deed, findings);
        }
    }

    unsafe fn settle(&self, thread: &mut ThreadState<Self>) {
        self.arena.settle(&mut thread.cache);
    }

    unsafe fn leave(&self, thread: &mut ThreadState<Self>) -> Counters {
        self.arena.close(&mut thread.cache);
        thread.counters
    }

    fn part_of<'a>(&'a self, slot: &'a Slot, bytes: Bytes) -> &'a Slot {
        self.slot_of(slot, bytes).map_or(slot, |(part, _)| part)
    }

    fn memory(&self) -> Memory {
        self.arena.memory()
    }

    fn slot_bytes(&self) -> u64 {
        self.parts.bytes()
    }
}
