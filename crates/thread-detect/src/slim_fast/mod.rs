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
//! - **Parts of words** have metadata of their own, which the thesis leaves open; see below.
//! - **What became of metadata in this epoch is remembered** (`transitions.rs`), so that a walk over an array asks the rules once for all
//!   elements that have the same metadata.
//! - **Equal vectors are found by what they hold**, too, among those that the thread has made (`updates.rs`): eight threads that read an array in
//!   any order come to the same few vectors, but Next knows the way that was taken last.
//! - **Names that are known to be of the same epoch** are not looked at again (`repeated.rs`).
//! - **Atomic accesses**, which the thesis does not treat, have a format of their own that is not shared (`metadata/mixed.rs`).
//! - **An access that races is written down like any other**, so that later ones are compared with it.
//!
//! # Parts of words
//!
//! A slot is for a word of eight bytes. It names metadata of all of them, or a *composition*: a record of which bytes have which
//! metadata (`metadata/composition.rs`), where bytes that nobody has accessed have the empty name. An access to some bytes judges each part
//! that it touches by the rules, as if it were a location, and the slot gets a composition of what comes of it and of what
//! stays; where all bytes have the same name again, it gets that name. So a walk over an array of integers or characters leaves
//! words that look like any others, and an access to a part of such a word in the same epoch is as cheap as one to all of it.
//!
//! Compositions are shared like all other metadata: a thread keeps those that it has made in this epoch by their parts, in a table of a fixed
//! size. Those of the first few changes of an epoch, and those of a thread that finds no second word for
//! them, are *private*: one slot names them, and they are changed in place (`private.rs`). Why that is sound:
//! - A composition that is shared does not change, and it holds its parts. So as long as a slot has its name, all that was read from it and from
//!   its parts is what is known of the word; this is asked after reading, as with a pair (`Slot::still_has`).
//! - A slot goes from name to name by compare-and-swap, for the whole word. So changes of different bytes of a word by different
//!   threads cannot overwrite each other: one of them tries again, and finds the other one's part in its place.
//! - Equal parts are equal names, and names are never used twice. So a composition that is found by its parts is the one that would
//!   be made.
//! - Who changes a private composition, or the slot that names it, holds the lock of the composition. It is replaced under that
//!   lock, not by compare-and-swap, and its life ends then, so that who waits for the lock looks at the slot again. Who only looks takes no
//!   lock, and asks afterwards whether all is as it was (`same_epoch.rs`).
//! - Metadata of atomic accesses change in place, so they belong to one location, and a composition with such a part is private. Metadata of atomic accesses that
//!   a slot names directly have a lock of their own for the whole word; when the word gets parts, both get copies under new
//!   names, so that nobody who waits for that lock takes one part's metadata for the word's.
//!
//! # What it reports
//!
//! It reports the first race of every location, and may miss later ones of a location that has had one. It reports nothing
//! that is ordered.

mod change;
mod changes;
mod compositions;
mod private;
mod repeated;
mod same_epoch;
mod share;
mod solitude;
mod steps;
mod transitions;
mod updates;
mod whole;

use std::sync::Arc;

use warpsan_thread_clock::Epoch;

use crate::access::{Access, Deed};
use crate::bytes::Bytes;
use crate::conflict::Findings;
use crate::counters::Counters;
use crate::metadata::{Arena, Memory};
use crate::rules::{AllRules, Rules};
use crate::slot::{Slot, Word};
use crate::storage::Storage;
use crate::thread_state::ThreadState;
use crate::tool::{Look, Tool};

use repeated::RepeatedNames;
pub use share::Sets;
use share::{Ring, Shelf};
use solitude::Solitude;
pub use transitions::Step;
use transitions::Transitions;
use updates::VectorNames;

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
    /// Places for compositions: a sweep over bytes takes seven for each pair of old and new metadata, and tables that are written in any order
    /// have metadata of many epochs.
    pub compositions: usize,
    /// So many changes of metadata in an epoch are not remembered for later ones: short epochs do not walk over arrays, and
    /// remembering has its price.
    pub unnoted: u32,
    /// After so many compositions that no second word had, further ones are not shared.
    pub unmatched: u32,
}

impl Default for SlimFastSettings {
    fn default() -> Self {
        Self { reads: 16, inflated: 16, compositions: 512, unnoted: 16, unmatched: 512 }
    }
}

impl<R: Rules> SlimFast<R> {
    /// A tool that takes its memory from `storage`.
    pub fn new(storage: Arc<dyn Storage>, settings: SlimFastSettings) -> Self {
        let settings = SlimFastSettings {
            reads: settings.reads.max(1),
            inflated: settings.inflated.max(1),
            compositions: settings.compositions.max(1),
            ..settings
        };
        Self { arena: Arena::new(storage, true), settings, rules: std::marker::PhantomData }
    }
}

impl<R: Rules> SlimFast<R> {
    /// What the name in a slot says by itself.
    #[inline(always)]
    fn glance_at(
        &self,
        thread: &mut ThreadState<Self>,
        word: Word,
        bytes: Bytes,
        access: Access,
    ) -> Look<Step> {
        let names = match access {
            Access::Read => &thread.local.names_read,
            _ => &thread.local.names_written,
        };
        if names.has(word, thread.epoch) {
            thread.counters.add(Self::count_of(word.kind(), access));
            return Look::Repeats;
        }
        match self.known_step(thread, word, bytes, access) {
            Some(step) => Look::Known(step),
            None => Look::New,
        }
    }
}

impl<R: Rules> Tool for SlimFast<R> {
    type Rules = R;
    type Local = Sets;
    type Step = Step;

    const NAME: &'static str = "slimfast";

    fn local(&self) -> Sets {
        Sets {
            epoch: Epoch::NONE,
            written: None,
            reads: Ring::new(self.settings.reads),
            inflated: Ring::new(self.settings.inflated),
            compositions: Shelf::new(self.settings.compositions),
            solitude: Solitude::default(),
            vectors: VectorNames::default(),
            transitions: Transitions::default(),
            names_read: RepeatedNames::default(),
            names_written: RepeatedNames::default(),
        }
    }

    #[inline(always)]
    unsafe fn repeats(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        access: Access,
    ) -> bool {
        let word = slot.load();
        let names = match access {
            Access::Read => &thread.local.names_read,
            Access::Write => &thread.local.names_written,
            // SAFETY: the caller's promise.
            _ => return unsafe { self.repeats_slowly(thread, (slot, word), bytes, access) },
        };
        if names.has(word, thread.epoch) {
            thread.counters.add(Self::count_of(word.kind(), access));
            return true;
        }
        // A sweep over parts of words finds compositions all the time.
        let is_new = word.is_empty() || self.known_step(thread, word, bytes, access).is_some();
        // SAFETY: the caller's promise.
        !is_new && unsafe { self.repeats_slowly(thread, (slot, word), bytes, access) }
    }

    #[inline(always)]
    unsafe fn look(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        access: Access,
    ) -> Look<Step> {
        let word = slot.load();
        let glance = self.glance_at(thread, word, bytes, access);
        if !matches!(glance, Look::New) || word.is_empty() {
            return glance;
        }
        // SAFETY: the caller's promise.
        let repeats = unsafe { self.repeats_slowly(thread, (slot, word), bytes, access) };
        if repeats { Look::Repeats } else { Look::New }
    }

    #[inline(always)]
    unsafe fn glance(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        access: Access,
    ) -> Look<Step> {
        self.glance_at(thread, slot.load(), bytes, access)
    }

    #[inline(always)]
    unsafe fn glance_at_pair(
        &self,
        thread: &mut ThreadState<Self>,
        pair: &[Slot; 2],
        access: Access,
    ) -> Look<Step> {
        let [one, other] = [pair[0].load(), pair[1].load()];
        if one != other {
            return Look::New;
        }
        let glance = self.glance_at(thread, one, Bytes::ALL, access);
        if let Look::Repeats = glance {
            thread.counters.add(Self::count_of(one.kind(), access));
        }
        glance
    }

    #[inline(always)]
    unsafe fn follow_for_pair(
        &self,
        thread: &mut ThreadState<Self>,
        pair: &[Slot; 2],
        step: Step,
    ) -> bool {
        self.take_for_pair(thread, pair, step)
    }

    unsafe fn forget_steps(&self, thread: &mut ThreadState<Self>) {
        thread.local.transitions.forget(&self.arena, &mut thread.cache);
    }

    #[inline(always)]
    unsafe fn follow(&self, thread: &mut ThreadState<Self>, slot: &Slot, step: Step) -> bool {
        self.take(thread, slot, step)
    }

    unsafe fn apply(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        deed: Deed,
        findings: &mut Findings<'_>,
    ) {
        if let Deed::Access(access) = deed
            && access.is_plain()
            && self.again(thread, slot, bytes, access)
        {
            return;
        }
        // SAFETY: the caller's promise.
        unsafe {
            match deed {
                Deed::Access(Access::Read) if bytes == Bytes::ALL => {
                    self.access_whole(thread, slot, Access::Read, findings);
                }
                Deed::Access(Access::Write) if bytes == Bytes::ALL => {
                    self.access_whole(thread, slot, Access::Write, findings);
                }
                Deed::Reset if bytes == Bytes::ALL => self.clear_whole(thread, slot, findings),
                Deed::Access(access @ (Access::Read | Access::Write))
                    if self.access_part(thread, slot, (bytes, access), findings) => {}
                _ => self.change(thread, slot, bytes, deed, findings),
            }
        }
    }

    unsafe fn settle(&self, thread: &mut ThreadState<Self>) {
        self.renew(thread);
        self.arena.settle(&mut thread.cache);
    }

    unsafe fn leave(&self, thread: &mut ThreadState<Self>) -> Counters {
        self.renew_now(thread);
        let ThreadState { local, cache, .. } = thread;
        let shares = local.written.take().into_iter().chain(local.reads.drain());
        for share in shares.chain(local.inflated.drain()).chain(local.compositions.drain()) {
            share.give_up(&self.arena, cache);
        }
        local.transitions.clear(&self.arena, cache, 0);
        self.arena.close(cache);
        thread.counters
    }

    fn memory(&self) -> Memory {
        self.arena.memory()
    }
}
