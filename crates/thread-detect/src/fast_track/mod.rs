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

use std::sync::Arc;

use crate::access::{Access, Deed};
use crate::bytes::Bytes;
use crate::conflict::Findings;
use crate::counters::{Count, Counters};
use crate::metadata::{Arena, Memory, Record};
use crate::rules::{AllRules, Rule, Rules};
use crate::slot::{Kind, Slot};
use crate::storage::Storage;
use crate::thread_state::ThreadState;
use crate::tool::Tool;

use division::Level;
use parts::PartsMemory;

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
    type Step = ();

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
        let epoch = thread.epoch;
        // What is true of a slot is true of all bytes that it is for.
        let Some((slot, _)) = self.slot_of(slot, bytes) else { return false };
        let word = slot.load();
        if word.kind() != Kind::Pair {
            // SAFETY: the caller's promise.
            return unsafe { self.repeats_slowly(thread, slot, word, access) };
        }
        let (same, count) = match access {
            // SAFETY: the slot has names of this arena's records.
            Access::Read if R::has(Rule::ReadSameEpoch) => unsafe {
                (slot.has_pair(|pair| pair.read() == epoch), Count::ReadSameEpoch)
            },
            // SAFETY: as above.
            Access::Write if R::has(Rule::WriteSameEpoch) => unsafe {
                (slot.has_pair(|pair| pair.write() == epoch), Count::WriteSameEpoch)
            },
            _ => return false,
        };
        if same {
            thread.counters.add(count);
        }
        same
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
            self.apply_at(thread, (slot, Level::Word, 0), bytes, deed, findings);
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

    fn slot_bytes(&self) -> u64 {
        self.parts.bytes()
    }
}
