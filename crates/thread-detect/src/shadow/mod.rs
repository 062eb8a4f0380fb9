//! Shadow memory: which slot belongs to which byte.
//!
//! A table of three levels by the address: the first is there from the start (512 KiB, of which the system gives the pages that are
//! used), the second (4 GiB of addresses each) and the third (64 KiB) are made when they are first needed. No range of addresses
//! is asked for, so it is the same to it where a program lies. Looking up is three loads, without a lock.
//!
//! An aligned word of eight bytes has one slot while all accesses to it cover all of it. An access to a part divides it,
//! for ever, into two halves of four bytes, and a half into four bytes; the parts begin with the word's metadata. So
//! metadata are byte-exact, words and integers have one slot each, and only what is accessed by other sizes or across a boundary
//! has one for each byte. (Divided words are not put together again: memory that was accessed in parts will be so
//! again, and a thread that has looked up a part can rely on it.)
//!
//! Addresses above 2^48 have no shadow; accesses to them are counted as not recorded.

mod directory;
mod parts;

use std::sync::Arc;

use crate::conflict::{Conflict, Halt};
use crate::counters::Count;
use crate::rules::{Rule, Rules};
use crate::slot::{Kind, Slot};
use crate::storage::Storage;
use crate::thread_state::ThreadState;
use crate::tool::Tool;

use directory::Directory;
use parts::{Parts, PartsMemory};

/// Bytes that an access and an earlier one have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first one.
    pub address: u64,
    /// How many.
    pub size: u64,
}

/// What is done to a slot: the sort of access, known when the code is compiled.
pub(crate) trait Operation {
    /// # Safety
    ///
    /// As for the calls of [`Tool`].
    unsafe fn apply<T: Tool>(
        tool: &T,
        thread: &mut ThreadState<T>,
        slot: &Slot,
    ) -> Result<(), Halt>;
}

macro_rules! operations {
    ($($name:ident: $call:ident),*) => {$(
        pub(crate) struct $name;

        impl Operation for $name {
            #[inline(always)]
            unsafe fn apply<T: Tool>(
                tool: &T,
                thread: &mut ThreadState<T>,
                slot: &Slot,
            ) -> Result<(), Halt> {
                // SAFETY: the caller's promise.
                unsafe { tool.$call(thread, slot) }
            }
        }
    )*};
}

operations!(Read: read, Write: write, AtomicRead: atomic_read, AtomicWrite: atomic_write);

/// Slots for all bytes of a process.
pub(crate) struct Shadow {
    directory: Directory,
    parts: PartsMemory,
}

/// Bytes from `.0` up to `.1` of a word, or of a half of one.
type Part = (u64, u64);

const WORD: u64 = 8;
const HALF: u64 = 4;

impl Shadow {
    /// `None`: there is no memory for the first level.
    pub(crate) fn new(storage: Arc<dyn Storage>) -> Option<Self> {
        Some(Self {
            directory: Directory::new(Arc::clone(&storage))?,
            parts: PartsMemory::new(storage),
        })
    }

    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> u64 {
        self.directory.bytes() + self.parts.bytes()
    }

    /// The slot of the word at this address, if there is one.
    pub(crate) fn existing(&self, address: u64) -> Option<&Slot> {
        self.directory.existing(address)
    }

    /// An access to any bytes.
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`]: thread and shadow have been used with this tool only.
    #[inline]
    pub(crate) unsafe fn access<T: Tool, O: Operation>(
        &self,
        tool: &T,
        thread: &mut ThreadState<T>,
        span: Span,
        found: &mut impl FnMut(Span, Conflict),
    ) {
        // Nearly all accesses are to a word, or to half of one that is divided already.
        if let Some(slot) = self.whole(span) {
            // SAFETY: the caller's promise; the slot is of this shadow.
            let whole = unsafe { apply::<T, O>(tool, thread, slot, span, found) };
            if whole {
                return;
            }
        }
        // SAFETY: the caller's promise.
        unsafe { self.access_bytes::<T, O>(tool, thread, span, found) }
    }

    /// The slot that is for exactly these bytes, if one look finds it.
    #[inline(always)]
    pub(crate) fn at_a_glance(&self, span: Span) -> Option<&Slot> {
        self.whole(span)
    }

    /// The slot that is for exactly these bytes, where that is a word, or a half of a divided word.
    #[inline(always)]
    fn whole(&self, span: Span) -> Option<&Slot> {
        let Span { address, size } = span;
        if size == WORD && address.is_multiple_of(WORD) {
            return self.directory.existing(address);
        }
        if size != HALF || !address.is_multiple_of(HALF) {
            return None;
        }
        let word = self.directory.existing(address)?.load();
        if word.kind() != Kind::Divided {
            return None;
        }
        // SAFETY: a divided slot of the directory names two halves.
        let halves = unsafe { self.parts.at(word, Parts::Halves) };
        Some(&halves[(address / HALF % 2) as usize])
    }

    #[inline(never)]
    unsafe fn access_bytes<T: Tool, O: Operation>(
        &self,
        tool: &T,
        thread: &mut ThreadState<T>,
        span: Span,
        found: &mut impl FnMut(Span, Conflict),
    ) {
        let end = span.address.saturating_add(span.size);
        let mut at = span.address;
        while at < end {
            let word = at - at % WORD;
            let part = (at - word, (end - word).min(WORD));
            // SAFETY: the caller's promise.
            unsafe { self.access_word::<T, O>(tool, thread, word, part, found) };
            match word.checked_add(WORD) {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    unsafe fn access_word<T: Tool, O: Operation>(
        &self,
        tool: &T,
        thread: &mut ThreadState<T>,
        word: u64,
        part: Part,
        found: &mut impl FnMut(Span, Conflict),
    ) {
        let Some(slot) = self.directory.slot(word) else {
            return thread.counters.add(Count::NotRecorded);
        };
        if part == (0, WORD) || !T::Rules::has(Rule::ByteExact) {
            let span = Span { address: word, size: WORD };
            // SAFETY: the caller's promise.
            if unsafe { apply::<T, O>(tool, thread, slot, span, found) } {
                return;
            }
        }
        // SAFETY: the caller's promise.
        let Some(halves) = (unsafe { self.parts_of(tool, thread, slot, Parts::Halves) }) else {
            return thread.counters.add(Count::NotRecorded);
        };
        for (half, slot) in halves.iter().enumerate() {
            let start = half as u64 * HALF;
            let part = (part.0.clamp(start, start + HALF), part.1.clamp(start, start + HALF));
            if part.0 < part.1 {
                let part = (part.0 - start, part.1 - start);
                // SAFETY: the caller's promise.
                unsafe {
                    self.access_half::<T, O>(tool, thread, (slot, word + start), part, found)
                };
            }
        }
    }

    unsafe fn access_half<T: Tool, O: Operation>(
        &self,
        tool: &T,
        thread: &mut ThreadState<T>,
        (slot, address): (&Slot, u64),
        part: Part,
        found: &mut impl FnMut(Span, Conflict),
    ) {
        if part == (0, HALF) {
            let span = Span { address, size: HALF };
            // SAFETY: the caller's promise.
            if unsafe { apply::<T, O>(tool, thread, slot, span, found) } {
                return;
            }
        }
        // SAFETY: the caller's promise.
        let Some(bytes) = (unsafe { self.parts_of(tool, thread, slot, Parts::Bytes) }) else {
            return thread.counters.add(Count::NotRecorded);
        };
        for byte in part.0..part.1 {
            let span = Span { address: address + byte, size: 1 };
            // SAFETY: the caller's promise.
            let whole = unsafe { apply::<T, O>(tool, thread, &bytes[byte as usize], span, found) };
            debug_assert!(whole, "a byte has no parts");
        }
    }

    /// The parts of a slot, which is divided now if it was not. `None`: there is no memory.
    unsafe fn parts_of<'a, T: Tool>(
        &'a self,
        tool: &T,
        thread: &mut ThreadState<T>,
        slot: &'a Slot,
        parts: Parts,
    ) -> Option<&'a [Slot]> {
        if slot.load().kind() != Kind::Divided {
            let new = self.parts.take(parts)?;
            // SAFETY: the caller's promise; the parts live as long as the shadow.
            if unsafe { tool.divide(thread, slot, new.slots, new.word) } {
                thread.counters.add(Count::Divided);
            }
        }
        let word = slot.load();
        // SAFETY: a divided slot of this shadow names parts of it, and of this number by its level.
        (word.kind() == Kind::Divided).then(|| unsafe { self.parts.at(word, parts) })
    }

    /// An access to those of the bytes that were accessed before.
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`].
    pub(crate) unsafe fn access_known<T: Tool, O: Operation>(
        &self,
        tool: &T,
        thread: &mut ThreadState<T>,
        span: Span,
        found: &mut impl FnMut(Span, Conflict),
    ) {
        let end = span.address.saturating_add(span.size);
        let mut at = span.address;
        while at < end {
            let word = at - at % WORD;
            let next = match self.directory.existing(word) {
                Some(slot) => {
                    let part = (at - word, (end - word).min(WORD));
                    if !slot.load().is_empty() {
                        // SAFETY: the caller's promise.
                        unsafe { self.access_word::<T, O>(tool, thread, word, part, found) };
                    }
                    word.checked_add(WORD)
                }
                None => self.directory.after_missing(word),
            };
            match next {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    /// Nobody has accessed these bytes.
    ///
    /// # Safety
    ///
    /// As for the calls of [`Tool`].
    pub(crate) unsafe fn reset<T: Tool>(&self, tool: &T, thread: &mut ThreadState<T>, span: Span) {
        let end = span.address.saturating_add(span.size);
        let mut at = span.address;
        while at < end {
            let word = at - at % WORD;
            let next = match self.directory.existing(word) {
                Some(slot) => {
                    let part = (at - word, (end - word).min(WORD));
                    // SAFETY: the caller's promise.
                    unsafe { self.reset_slot(tool, thread, slot, part, WORD) };
                    word.checked_add(WORD)
                }
                None => self.directory.after_missing(word),
            };
            match next {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    /// `size`: of what the slot is for.
    unsafe fn reset_slot<T: Tool>(
        &self,
        tool: &T,
        thread: &mut ThreadState<T>,
        slot: &Slot,
        part: Part,
        size: u64,
    ) {
        let word = slot.load();
        if word.is_empty() {
            return;
        }
        if part == (0, size) && word.kind() != Kind::Divided {
            // SAFETY: the caller's promise.
            unsafe { tool.reset(thread, slot) };
            if slot.load().kind() != Kind::Divided {
                return;
            }
        }
        let (parts, part_size) =
            if size == WORD { (Parts::Halves, HALF) } else { (Parts::Bytes, 1) };
        // SAFETY: the caller's promise.
        let Some(slots) = (unsafe { self.parts_of(tool, thread, slot, parts) }) else {
            return thread.counters.add(Count::NotRecorded);
        };
        for (index, slot) in slots.iter().enumerate() {
            let start = index as u64 * part_size;
            let end = start + part_size;
            let (from, to) = (part.0.clamp(start, end), part.1.clamp(start, end));
            if from < to {
                let part = (from - start, to - start);
                // SAFETY: the caller's promise.
                unsafe { self.reset_slot(tool, thread, slot, part, part_size) };
            }
        }
    }
}

/// False: the slot is divided.
#[inline(always)]
unsafe fn apply<T: Tool, O: Operation>(
    tool: &T,
    thread: &mut ThreadState<T>,
    slot: &Slot,
    span: Span,
    found: &mut impl FnMut(Span, Conflict),
) -> bool {
    // SAFETY: the caller's promise.
    match unsafe { O::apply(tool, thread, slot) } {
        Ok(()) => true,
        Err(Halt::Race(conflict)) => {
            found(span, conflict);
            true
        }
        Err(Halt::Divided) => false,
    }
}
