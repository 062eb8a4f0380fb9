//! Shadow memory: which slot belongs to which word.
//!
//! A table of three levels by the address: the first is there from the start (512 KiB, of which the system gives the pages that are
//! used), the second (4 GiB of addresses each) and the third (64 KiB) are made when they are first needed. No range of addresses
//! is asked for, so it is the same to it where a program lies. Looking up is three loads, without a lock; what covers many words
//! looks up once for 64 KiB.
//!
//! An aligned word of eight bytes has one slot, of eight bytes too. An access to a part of a word gets the word's slot and
//! which bytes are meant; tools keep metadata byte-exact in ways of their own. When all words of a leaf of the table are freed
//! at once, the storage may give its pages back: a thread that accesses freed memory at that time, which is a bug of the
//! program, can lose what it writes down there, and a record can stay allocated for it.
//!
//! Addresses above 2^48 have no shadow; accesses to them are counted as not recorded.

mod directory;
mod leaf_cache;

use std::sync::Arc;

use crate::access::{Access, Deed};
use crate::bytes::Bytes;
use crate::conflict::{Conflict, Findings};
use crate::counters::Count;
use crate::rules::{Rule, Rules};
use crate::slot::Slot;
use crate::span::Span;
use crate::storage::Storage;
use crate::thread_state::ThreadState;
use crate::tool::{Look, Tool};

use directory::{Directory, LEAF_BYTES, Leaf};
pub(crate) use leaf_cache::LeafCache;

/// Slots for all bytes of a process.
pub(crate) struct Shadow {
    directory: Directory,
}

const WORD: u64 = Bytes::COUNT as u64;

/// Who changes what is known of a word will often do so for the word that many bytes behind it soon.
const AHEAD: u64 = 8 * WORD;

/// Bytes of one leaf, from the first address to before the last one. Invariant: the first is smaller.
#[derive(Clone, Copy)]
struct Stretch {
    start: u64,
    end: u64,
}

impl Stretch {
    /// The word with this number, from the first one on, and which of its bytes belong to it.
    #[inline(always)]
    fn word(self, number: u64) -> (u64, Bytes) {
        let word = self.start - self.start % WORD + WORD * number;
        let from = self.start.max(word) - word;
        (word, Bytes::new(from, self.end - word - from))
    }
}

impl Shadow {
    /// `None`: there is no memory for the first level.
    pub(crate) fn new(storage: Arc<dyn Storage>) -> Option<Self> {
        Some(Self { directory: Directory::new(storage)? })
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        self.directory.bytes()
    }

    /// The slot of the word at this address, if there is one.
    pub(crate) fn existing(&self, address: u64) -> Option<&Slot> {
        self.directory.existing(address)
    }

    /// The slot of the word at this address, if there is one, for a thread.
    ///
    /// # Safety
    ///
    /// The thread is used with this shadow only.
    #[inline(always)]
    unsafe fn slot<T: Tool>(&self, thread: &mut ThreadState<T>, address: u64) -> Option<&Slot> {
        // SAFETY: the caller's promise.
        Some(unsafe { thread.leaves.leaf(&self.directory, address) }?.slot(address))
    }

    /// Whether an access that is within one word repeats an earlier one of the same epoch, as far as one look can tell.
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`]: thread and shadow have been used with this tool only.
    #[inline(always)]
    pub(crate) unsafe fn repeats<T: Tool>(
        &self,
        tool: &T,
        thread: &mut ThreadState<T>,
        span: Span,
        access: Access,
    ) -> bool {
        let Some(bytes) = span.within_word() else { return false };
        // SAFETY: the thread is used with this shadow only.
        let Some(slot) = (unsafe { self.slot(thread, span.address) }) else { return false };
        // SAFETY: the caller's promise; the slot is of this shadow.
        unsafe { tool.repeats(thread, slot, bytes, access) }
    }

    /// As `repeats`; and what is known at once of an access that repeats nothing.
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`].
    #[inline(always)]
    pub(crate) unsafe fn look<T: Tool>(
        &self,
        tool: &T,
        thread: &mut ThreadState<T>,
        span: Span,
        access: Access,
    ) -> Look<(&Slot, T::Step)> {
        let Some(bytes) = span.within_word() else { return Look::New };
        // SAFETY: the thread is used with this shadow only.
        let leaf = unsafe { thread.leaves.leaf(&self.directory, span.address) };
        let Some(leaf) = leaf else { return Look::New };
        let slot = leaf.slot(span.address);
        // SAFETY: the caller's promise; the slots are of this shadow.
        unsafe {
            let look = tool.look(thread, slot, meant::<T>(bytes), access);
            Self::with_slot(tool, leaf, span.address, look)
        }
    }

    /// As `look`, if the thread has the leaf at hand: see [`Tool::glance`].
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`].
    #[inline(always)]
    pub(crate) unsafe fn glance<T: Tool>(
        &self,
        tool: &T,
        thread: &mut ThreadState<T>,
        span: Span,
        access: Access,
    ) -> Look<(&Slot, T::Step)> {
        let Some(bytes) = span.within_word() else { return Look::New };
        // SAFETY: the thread is used with this shadow only.
        let leaf = unsafe { thread.leaves.leaf_at_hand(&self.directory, span.address) };
        let Some(leaf) = leaf else { return Look::New };
        let slot = leaf.slot(span.address);
        // SAFETY: the caller's promise; the slots are of this shadow.
        unsafe {
            let look = tool.glance(thread, slot, meant::<T>(bytes), access);
            Self::with_slot(tool, leaf, span.address, look)
        }
    }

    /// The same for an access to all of two words.
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`].
    #[inline(always)]
    pub(crate) unsafe fn glance_at_pair<T: Tool>(
        &self,
        tool: &T,
        thread: &mut ThreadState<T>,
        address: u64,
        access: Access,
    ) -> Look<(&[Slot; 2], T::Step)> {
        // SAFETY: the thread is used with this shadow only.
        let leaf = unsafe { thread.leaves.leaf_at_hand(&self.directory, address) };
        let pair =
            leaf.filter(|_| address.is_multiple_of(WORD)).and_then(|leaf| leaf.pair(address));
        let Some(pair) = pair else { return Look::New };
        // SAFETY: the caller's promise; the slots are of this shadow.
        unsafe { tool.glance_at_pair(thread, pair, access) }.map(|step| (pair, step))
    }

    /// What a look at the slot of an address has found, with the slot. The same may soon be asked of those behind it.
    #[inline(always)]
    unsafe fn with_slot<'a, T: Tool>(
        tool: &T,
        leaf: &'a Leaf,
        address: u64,
        look: Look<T::Step>,
    ) -> Look<(&'a Slot, T::Step)> {
        look.map(|step| {
            let ahead = |bytes| leaf.slot(address.wrapping_add(bytes));
            // SAFETY: the caller's promise; the slots are of this shadow.
            unsafe { tool.expect(ahead(AHEAD), ahead(AHEAD / 2)) };
            (leaf.slot(address), step)
        })
    }

    /// An access to any bytes.
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`].
    #[inline(always)]
    pub(crate) unsafe fn access<T: Tool>(
        &self,
        tool: &T,
        thread: &mut ThreadState<T>,
        span: Span,
        access: Access,
        found: &mut dyn FnMut(Span, Conflict),
    ) {
        if let Some(bytes) = span.within_word()
            // SAFETY: the thread is used with this shadow only.
            && let Some(slot) = (unsafe { self.slot(thread, span.address) })
        {
            // SAFETY: the caller's promise; the slot is of this shadow.
            if !unsafe { tool.repeats(thread, slot, bytes, access) } {
                let findings = &mut Findings { word: span.address - span.address % WORD, found };
                let (bytes, deed) = (meant::<T>(bytes), Deed::Access(access));
                // SAFETY: as above.
                unsafe { tool.apply(thread, slot, bytes, deed, findings) };
            }
            return;
        }
        // SAFETY: the caller's promise.
        unsafe { self.apply(tool, thread, span, Deed::Access(access), found) };
    }

    /// Does something to any bytes.
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`].
    #[inline(never)]
    pub(crate) unsafe fn apply<T: Tool>(
        &self,
        tool: &T,
        thread: &mut ThreadState<T>,
        span: Span,
        deed: Deed,
        found: &mut dyn FnMut(Span, Conflict),
    ) {
        if let Some(bytes) = span.within_word()
            // SAFETY: the thread is used with this shadow only.
            && let Some(slot) = (unsafe { self.slot(thread, span.address) })
        {
            let findings = &mut Findings { word: span.address - span.address % WORD, found };
            // SAFETY: the caller's promise; the slot is of this shadow.
            return unsafe { tool.apply(thread, slot, meant::<T>(bytes), deed, findings) };
        }
        let findings = &mut Findings { word: 0, found };
        let end = span.address.saturating_add(span.size);
        let mut start = span.address;
        while start < end {
            let leaf_end = (start / LEAF_BYTES + 1).saturating_mul(LEAF_BYTES);
            let stretch = Stretch { start, end: end.min(leaf_end) };
            // SAFETY: the caller's promise.
            unsafe { self.apply_in_leaf(tool, thread, stretch, deed, findings) };
            // What is freed and given out is often large, and often has no shadow.
            start = match (deed, self.directory.leaf(start)) {
                (Deed::Access(_), _) | (_, Some(_)) => leaf_end,
                (_, None) => match self.directory.after_missing(start) {
                    Some(next) => next,
                    None => return,
                },
            };
            if start >= Directory::END {
                let words = end.saturating_sub(start).div_ceil(WORD);
                if matches!(deed, Deed::Access(_)) {
                    thread.counters.add_many(Count::NotRecorded, words);
                }
                return;
            }
        }
    }

    /// A plain write to those of the words that were accessed before.
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`].
    pub(crate) unsafe fn write_known<T: Tool>(
        &self,
        tool: &T,
        thread: &mut ThreadState<T>,
        span: Span,
        found: &mut dyn FnMut(Span, Conflict),
    ) {
        let findings = &mut Findings { word: 0, found };
        self.for_known(span, |word, bytes, slot| {
            findings.word = word;
            let deed = Deed::Access(Access::Write);
            // SAFETY: the caller's promise.
            unsafe { tool.apply(thread, slot, meant::<T>(bytes), deed, findings) };
        });
    }

    /// How many words of a piece of memory were accessed.
    pub(crate) fn known_words(&self, span: Span) -> u64 {
        let mut count = 0;
        self.for_known(span, |_, _, _| count += 1);
        count
    }

    /// Gives a function the words that were accessed: their addresses, which of their bytes are meant, and their slots.
    fn for_known(&self, span: Span, mut use_word: impl FnMut(u64, Bytes, &Slot)) {
        let end = span.address.saturating_add(span.size).min(Directory::END);
        let mut start = span.address;
        while start < end {
            let Some(leaf) = self.directory.leaf(start) else {
                match self.directory.after_missing(start) {
                    Some(next) => start = next,
                    None => return,
                }
                continue;
            };
            let leaf_end = (start / LEAF_BYTES + 1) * LEAF_BYTES;
            let stretch = Stretch { start, end: end.min(leaf_end) };
            for (place, slot) in leaf.slots(stretch.start, stretch.end).enumerate() {
                if !slot.load().is_empty() {
                    let (word, bytes) = stretch.word(place as u64);
                    use_word(word, bytes, slot);
                }
            }
            start = leaf_end;
        }
    }

    unsafe fn apply_in_leaf<T: Tool>(
        &self,
        tool: &T,
        thread: &mut ThreadState<T>,
        stretch: Stretch,
        deed: Deed,
        findings: &mut Findings<'_>,
    ) {
        let leaf = match deed {
            Deed::Access(_) => self.directory.made_leaf(stretch.start),
            Deed::Reset => self.directory.leaf(stretch.start),
        };
        let Some(leaf) = leaf else {
            if matches!(deed, Deed::Access(_)) {
                let words = stretch.end.div_ceil(WORD) - stretch.start / WORD;
                thread.counters.add_many(Count::NotRecorded, words);
            }
            return;
        };
        let mut rest = Rest { used: false, left: false };
        for (place, slot) in leaf.slots(stretch.start, stretch.end).enumerate() {
            let (word, bytes) = stretch.word(place as u64);
            let nothing_to_do = match deed {
                // SAFETY: the caller's promise; the step is of this slot.
                Deed::Access(access) if access.is_plain() => unsafe {
                    match tool.look(thread, slot, meant::<T>(bytes), access) {
                        Look::Repeats => true,
                        Look::Known(step) => tool.follow(thread, slot, step),
                        Look::New => false,
                    }
                },
                // SAFETY: the caller's promise.
                Deed::Access(access) => unsafe { tool.repeats(thread, slot, bytes, access) },
                Deed::Reset => slot.load().is_empty(),
            };
            if nothing_to_do {
                continue;
            }
            findings.word = word;
            // SAFETY: the caller's promise.
            unsafe { tool.apply(thread, slot, meant::<T>(bytes), deed, findings) };
            rest = Rest { used: true, left: rest.left || !slot.load().is_empty() };
        }
        let whole = stretch.end - stretch.start == LEAF_BYTES;
        if whole && rest.used && !rest.left && !matches!(deed, Deed::Access(_)) {
            // SAFETY: the slots are all empty; a lost name is a record that is never given back, and a lost lock is
            // one of a record that no slot names.
            unsafe { self.directory.discard(leaf) };
        }
    }
}

/// What became of slots: some had something, and some still have.
struct Rest {
    used: bool,
    left: bool,
}

/// The bytes that a tool is asked about.
#[inline(always)]
fn meant<T: Tool>(bytes: Bytes) -> Bytes {
    if T::Rules::has(Rule::ByteExact) { bytes } else { Bytes::ALL }
}
