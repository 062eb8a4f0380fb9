//! The word that stands for a location's metadata.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use crate::metadata::{Generation, Record};

/// What a location's metadata are: an atomic word that is exchanged by compare-and-swap (figure 3.11).
///
/// Zero is `(⊥, ⊥)`: nobody has accessed the location.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Slot(AtomicU64);

impl Slot {
    /// The slot of a location that nobody has accessed.
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// The bits of the slot: equal bits are the same piece of metadata, since no name is ever used twice.
    pub fn bits(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    #[inline(always)]
    pub(crate) fn load(&self) -> Word {
        Word(self.0.load(Ordering::Acquire))
    }

    /// Whether the slot still has this word. If so, all that was read from the record that it names is what the
    /// location's metadata were: names are never used twice, and a record gets other contents only when no slot names it.
    /// Contents are stored with release order, so who has read new ones sees here that the slot has changed.
    #[inline(always)]
    pub(crate) fn still_has(&self, word: Word) -> bool {
        fence(Ordering::Acquire);
        self.0.load(Ordering::Relaxed) == word.0
    }

    /// Puts `new` in the place of `old`, if that is still there.
    #[inline]
    pub(crate) fn exchange(&self, old: Word, new: Word) -> bool {
        self.0.compare_exchange(old.0, new.0, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Puts `new` in the place of `old` in two slots that have the same word, if it is still there. How many got it: one of them may.
    #[inline(always)]
    pub(crate) fn exchange_both(pair: &[Slot; 2], old: Word, new: Word) -> u32 {
        #[cfg(target_arch = "x86_64")]
        if pair.as_ptr().addr().is_multiple_of(16)
            && std::arch::is_x86_feature_detected!("cmpxchg16b")
        {
            // SAFETY: both are atomic words, side by side; the processor has the instruction, and they are aligned for it.
            return if unsafe { exchange_16_bytes(pair, old.0, new.0) } { 2 } else { 0 };
        }
        if !pair[0].exchange(old, new) {
            return 0;
        }
        1 + u32::from(pair[1].exchange(old, new))
    }

    /// Sets a slot that others cannot change now: it is private, or the record that it names is locked.
    pub(crate) fn set(&self, word: Word) {
        self.0.store(word.0, Ordering::Release);
    }
}

/// Puts `new` in both, if both have `old`.
///
/// # Safety
///
/// The pair is aligned to 16 bytes, and the processor has `cmpxchg16b`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn exchange_16_bytes(pair: &[Slot; 2], old: u64, new: u64) -> bool {
    let done: u8;
    // SAFETY: the caller's promise; `rbx`, which the compiler keeps for itself, is put back.
    unsafe {
        std::arch::asm!(
            "xchg rbx, {low}",
            "lock cmpxchg16b xmmword ptr [{pair}]",
            "sete {done}",
            "mov rbx, {low}",
            low = inout(reg) new => _,
            pair = in(reg) pair.as_ptr(),
            done = out(reg_byte) done,
            in("rcx") new,
            inout("rax") old => _,
            inout("rdx") old => _,
            options(nostack),
        );
    }
    done != 0
}

/// Which format the metadata have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The last write and the last read.
    Pair = 0,
    /// The last write, and the last reads of several threads.
    Reads = 1,
    /// Of a location with atomic accesses.
    Mixed = 2,
    /// None here: parts of the word have their own. What names them is the tool's business.
    Divided = 3,
}

/// The contents of a slot: from the top, 17 bits of generation, 45 of an address that is a multiple of eight, 2 of kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Word(u64);

impl Word {
    /// Nobody has accessed the location.
    pub(crate) const EMPTY: Word = Word(0);

    const ADDRESS_BITS: u32 = 45;
    const KIND_BITS: u32 = 2;

    /// The highest address that a word can hold, and one more.
    pub(crate) const ADDRESS_LIMIT: u64 = 1 << (Self::ADDRESS_BITS + 3);

    #[inline]
    pub(crate) fn new(kind: Kind, address: u64, generation: Generation) -> Word {
        debug_assert!(address.is_multiple_of(8) && address < Self::ADDRESS_LIMIT);
        let generation = generation.number() << (Self::ADDRESS_BITS + Self::KIND_BITS);
        Word(generation | (address >> 3 << Self::KIND_BITS) | kind as u64)
    }

    pub(crate) fn from_bits(bits: u64) -> Word {
        Word(bits)
    }

    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline(always)]
    pub(crate) fn kind(self) -> Kind {
        match self.0 & 3 {
            0 => Kind::Pair,
            1 => Kind::Reads,
            2 => Kind::Mixed,
            _ => Kind::Divided,
        }
    }

    #[inline(always)]
    pub(crate) fn address(self) -> u64 {
        (self.0 >> Self::KIND_BITS << 3) & (Self::ADDRESS_LIMIT - 1)
    }

    #[inline(always)]
    pub(crate) fn generation(self) -> Generation {
        Generation::new(self.0 >> (Self::ADDRESS_BITS + Self::KIND_BITS))
    }

    /// Fetches what it names from memory into the cache, without waiting for it.
    #[inline(always)]
    pub(crate) fn fetch(self) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: this may be done with any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(self.address() as *const i8) };
        }
    }

    /// The record that it names.
    ///
    /// # Safety
    ///
    /// The word is of a record, not empty, and the record's arena still lives.
    #[inline(always)]
    pub(crate) unsafe fn record(self) -> Record {
        debug_assert!(!self.is_empty());
        // SAFETY: words of records are made of their addresses, and records stay where they are.
        unsafe { Record::at(self.address()) }
    }
}
