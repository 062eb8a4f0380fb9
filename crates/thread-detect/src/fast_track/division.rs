//! Words that are accessed in parts.
//!
//! A word has one slot while all accesses to it cover all of it. An access to a part divides it, for ever, into two halves of four
//! bytes, and a half into four bytes; the parts begin with the word's metadata. (They are not put together again:
//! memory that was accessed in parts will be so again, and a thread that has looked up a part can rely on it.)

use super::FastTrack;
use super::access::Divided;
use crate::access::Deed;
use crate::bytes::Bytes;
use crate::conflict::{Conflict, Findings};
use crate::counters::Count;
use crate::metadata::Record;
use crate::rules::Rules;
use crate::slot::{Kind, Slot, Word};
use crate::thread_state::ThreadState;

/// What a slot is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    Word,
    Half,
    Byte,
}

impl Level {
    /// How many bytes.
    fn size(self) -> usize {
        match self {
            Level::Word => 8,
            Level::Half => 4,
            Level::Byte => 1,
        }
    }

    /// Whether these bytes of it are all that it has.
    #[inline(always)]
    pub(super) fn is_all(self, bytes: Bytes) -> bool {
        bytes.bits().count_ones() as usize == self.size()
    }

    /// What its parts are.
    fn below(self) -> Level {
        match self {
            Level::Word => Level::Half,
            Level::Half | Level::Byte => Level::Byte,
        }
    }

    /// How many parts it has.
    pub(super) fn parts(self) -> usize {
        self.size() / self.below().size()
    }
}

impl<R: Rules> FastTrack<R> {
    /// The slot that has what is known of all these bytes of a word, if there is one, and what it is for.
    #[inline(always)]
    pub(super) fn slot_of<'a>(&'a self, slot: &'a Slot, bytes: Bytes) -> Option<(&'a Slot, Level)> {
        let word = slot.load();
        if word.kind() != Kind::Divided {
            return Some((slot, Level::Word));
        }
        let (first, second) = (bytes.bits() & 0xf, bytes.bits() >> 4);
        if first != 0 && second != 0 {
            return None;
        }
        // SAFETY: a divided slot of a word names two halves.
        let slot = &unsafe { self.parts.at(word, Level::Word.parts()) }[usize::from(first == 0)];
        let word = slot.load();
        if word.kind() != Kind::Divided {
            return Some((slot, Level::Half));
        }
        let within = first | second;
        // SAFETY: a divided slot of a half names four bytes.
        let slots = unsafe { self.parts.at(word, Level::Half.parts()) };
        let byte = within.trailing_zeros() as usize % Level::Half.parts();
        within.is_power_of_two().then(|| (&slots[byte], Level::Byte))
    }

    /// The slot that is for exactly these bytes of a word, if there is one.
    #[inline(always)]
    pub(super) fn exact_slot<'a>(&'a self, slot: &'a Slot, bytes: Bytes) -> Option<&'a Slot> {
        if bytes == Bytes::ALL {
            return Some(slot);
        }
        let (slot, level) = self.slot_of(slot, bytes)?;
        level.is_all(bytes).then_some(slot)
    }

    /// Does something to bytes of what a slot is for, which begins with the `first` byte of its word.
    #[inline(always)]
    pub(super) unsafe fn apply_to(
        &self,
        thread: &mut ThreadState<Self>,
        (slot, level, first): (&Slot, Level, usize),
        bytes: Bytes,
        deed: Deed,
        findings: &mut Findings<'_>,
    ) {
        if !matches!(deed, Deed::Access(_)) && slot.load().is_empty() {
            return;
        }
        let all = Bytes::new(first as u64, level.size() as u64);
        if bytes.contain(all) {
            // SAFETY: the caller's promise.
            match unsafe { self.apply_whole(thread, slot, deed) } {
                Ok(Some(conflict)) => return findings.report(all, conflict),
                Ok(None) => return,
                Err(Divided) => {}
            }
        }
        // SAFETY: the caller's promise.
        unsafe { self.apply_to_parts(thread, (slot, level, first), bytes, deed, findings) };
    }

    /// The same, part by part.
    unsafe fn apply_to_parts(
        &self,
        thread: &mut ThreadState<Self>,
        (slot, level, first): (&Slot, Level, usize),
        bytes: Bytes,
        deed: Deed,
        findings: &mut Findings<'_>,
    ) {
        // SAFETY: the caller's promise.
        let Some(parts) = (unsafe { self.parts_of(thread, slot, level) }) else {
            return thread.counters.add(Count::NotRecorded);
        };
        let size = level.below().size();
        for (index, part) in parts.iter().enumerate() {
            let first = first + index * size;
            if !bytes.and(Bytes::new(first as u64, size as u64)).is_empty() {
                let part = (part, level.below(), first);
                // SAFETY: the caller's promise.
                unsafe { self.apply_to(thread, part, bytes, deed, findings) };
            }
        }
    }

    unsafe fn apply_whole(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        deed: Deed,
    ) -> Result<Option<Conflict>, Divided> {
        // SAFETY: the caller's promise.
        unsafe {
            match deed {
                Deed::Access(access) => self.access(thread, slot, access),
                Deed::Reset => self.reset(thread, slot).map(|()| None),
            }
        }
    }

    /// The parts of a slot, which is divided now if it was not. `None`: there is no memory.
    unsafe fn parts_of<'a>(
        &'a self,
        thread: &mut ThreadState<Self>,
        slot: &'a Slot,
        level: Level,
    ) -> Option<&'a [Slot]> {
        debug_assert!(level != Level::Byte, "a byte has no parts");
        if slot.load().kind() != Kind::Divided {
            let new = self.parts.take(level.parts())?;
            // SAFETY: the caller's promise; the parts live as long as the tool.
            if unsafe { self.divide(thread, slot, new.slots, new.word) } {
                thread.counters.add(Count::Divided);
            }
        }
        let word = slot.load();
        // SAFETY: a divided slot names as many parts as its level has.
        (word.kind() == Kind::Divided).then(|| unsafe { self.parts.at(word, level.parts()) })
    }

    /// Gives each of `parts`, which are empty and nobody else's, the metadata of `slot`, and then `slot` the word of
    /// the parts. False: it was divided by another thread, or there is no memory (then `slot` is still whole).
    unsafe fn divide(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        parts: &[Slot],
        divided: Word,
    ) -> bool {
        loop {
            let word = slot.load();
            if word.kind() == Kind::Divided {
                return false;
            }
            if word.is_empty() {
                if slot.exchange(word, divided) {
                    return true;
                }
                continue;
            }
            // SAFETY: it is of a record of this arena.
            let record = unsafe { word.record() };
            if !record.lock(word.generation()) {
                continue;
            }
            if !self.copy_to(thread, parts, record, word.kind()) {
                record.unlock();
                return false;
            }
            slot.set(divided);
            self.arena.give(&mut thread.cache, record, word.kind());
            return true;
        }
    }

    /// Gives each of `parts` a copy of a record. False: there is no memory, and none of them has one.
    fn copy_to(
        &self,
        thread: &mut ThreadState<Self>,
        parts: &[Slot],
        record: Record,
        kind: Kind,
    ) -> bool {
        let copied = parts.iter().all(|part| {
            let copy = self.copy(thread, record, kind);
            copy.is_some_and(|copy| {
                part.set(copy.name(kind));
                true
            })
        });
        if !copied {
            for part in parts {
                // SAFETY: nobody else knows the parts, which are not divided.
                let _ = unsafe { self.reset(thread, part) };
            }
        }
        copied
    }
}
