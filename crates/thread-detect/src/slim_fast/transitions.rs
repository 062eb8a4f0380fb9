//! What became of metadata in this epoch, so that it need not be found out again.
//!
//! A name is never used twice and what it names does not change, so what an access of this thread makes of it in this epoch is
//! always the same: the epoch is, and the thread's clock only grows, so what did not race then does not now. A sweep over an
//! array meets the same few names all the time. A transition that was seen twice is paid for in advance like other
//! shared metadata; taking it again is one compare-and-swap and no other access to memory that threads share.

use super::SlimFast;
use crate::access::Access;
use crate::bytes::Bytes;
use crate::counters::Count;
use crate::metadata::{Arena, RecordCache};
use crate::rules::{Rule, Rules};
use crate::slot::{Kind, Slot, Word};
use crate::thread_state::ThreadState;

/// What was put into a slot.
pub(super) struct Put {
    pub(super) old: Word,
    pub(super) new: Word,
    pub(super) bytes: Bytes,
    /// What the bytes had, all of them, and what they have now.
    pub(super) part: Word,
    pub(super) update: Word,
}

/// A plain access to metadata.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Key {
    old: Word,
    bytes: Bytes,
    write: bool,
}

/// From metadata to metadata.
#[derive(Clone, Copy, Default)]
struct Transition {
    key: Key,
    new: Word,
    /// Whether `used` has its place.
    listed: bool,
    /// It came later than that in the other place.
    newer: bool,
    /// How many holders of `new` are paid for.
    paid: u32,
    /// The rule that applied.
    count: Option<Count>,
}

impl Transition {
    fn is_same(&self, other: &Transition) -> bool {
        self.key == other.key && self.new == other.new
    }
}

/// A transition that is known, from what a slot has: where it is remembered. It is small, so that it stays in registers.
#[derive(Clone, Copy, Debug)]
pub struct Step(u8);

/// Transitions of one epoch, each in one of the two places that it may have.
pub(crate) struct Transitions {
    places: Box<[Transition; Self::PLACES]>,
    /// The places where something is paid for, or was.
    used: Vec<u8>,
    /// How many changes of this epoch are still not to be remembered.
    unnoted: u32,
    /// The epoch before had no other changes than such.
    follows_short: bool,
    /// How many transitions came to two places that are both paid for.
    crowded: u32,
}

impl Default for Transitions {
    fn default() -> Self {
        let places = Box::new([Transition::default(); Self::PLACES]);
        Self {
            places,
            used: Vec::with_capacity(Self::PLACES),
            unnoted: 0,
            follows_short: false,
            crowded: 0,
        }
    }
}

impl Transitions {
    const PLACES: usize = 256;
    /// One in so many takes the place of one that is paid for: a sweep that knows more of them than there is room for keeps most.
    const TAKING: u32 = 8;
    const PAID_AT_ONCE: u32 = 1 << 16;

    /// The first of the two places; the other one differs in the lowest bit.
    #[inline(always)]
    fn place(key: Key) -> usize {
        // Names differ in few bits, and so do bytes: each is spread by a factor of its own.
        let access = u64::from(key.bytes.bits()) | u64::from(key.write) << 8;
        let name = key.old.bits().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (name.wrapping_add(access.wrapping_mul(0xd6e8_feb8_6659_fd93)) >> 56) as usize
    }

    /// Where a transition is that is paid for.
    #[inline(always)]
    fn find(&self, key: Key) -> Option<usize> {
        let first = Self::place(key);
        let is_it = |place: usize| self.places[place].key == key && self.places[place].paid > 0;
        let place = if is_it(first) { first } else { first ^ 1 };
        is_it(place).then_some(place)
    }

    /// Whether changes are not remembered yet.
    #[inline]
    pub(super) fn are_early(&self) -> bool {
        self.unnoted > 0
    }

    /// Whether this epoch is short so far, as the one before was.
    #[inline]
    pub(super) fn are_of_short_epochs(&self) -> bool {
        self.are_early() && self.follows_short
    }

    /// Counts a change that is not remembered. False: it is not early any more.
    #[inline]
    pub(super) fn count_early(&mut self) -> bool {
        let is_early = self.are_early();
        self.unnoted = self.unnoted.saturating_sub(1);
        is_early
    }

    /// Forgets all. So many changes of the epoch that begins are not remembered.
    pub(super) fn clear(&mut self, arena: &Arena, cache: &mut RecordCache, unnoted: u32) {
        self.follows_short = self.are_early();
        self.unnoted = unnoted;
        self.forget(arena, cache);
    }

    /// Forgets all that is paid for.
    pub(super) fn forget(&mut self, arena: &Arena, cache: &mut RecordCache) {
        while let Some(place) = self.used.pop() {
            let Transition { new, paid, .. } = std::mem::take(&mut self.places[usize::from(place)]);
            // SAFETY: so many are paid for, and the transition ends here.
            unsafe { arena.release(cache, new, u64::from(paid)) };
        }
    }

    /// Which of two places is overwritten: what is paid for has been seen twice, so the one that is not; or the older one.
    fn victim(&self, first: usize) -> usize {
        let (one, other) = (&self.places[first], &self.places[first ^ 1]);
        let keeps_one = if (one.paid > 0) == (other.paid > 0) { one.newer } else { one.paid > 0 };
        if keeps_one { first ^ 1 } else { first }
    }

    /// Remembers a transition, and pays for it if it is known already.
    fn note(&mut self, arena: &Arena, cache: &mut RecordCache, new: Transition) {
        let first = Self::place(new.key);
        let both = [first, first ^ 1];
        let same = |place: &usize| self.places[*place].is_same(&new);
        let Some(place) = both.into_iter().find(same) else {
            if both.iter().all(|place| self.places[*place].paid > 0) {
                self.crowded = self.crowded.wrapping_add(1);
                if !self.crowded.is_multiple_of(Self::TAKING) {
                    return;
                }
            }
            let place = self.victim(first);
            self.places[place ^ 1].newer = false;
            let listed = self.places[place].listed;
            let new = Transition { listed, newer: true, ..new };
            let former = std::mem::replace(&mut self.places[place], new);
            // SAFETY: so many are paid for, and the transition ends here.
            return unsafe { arena.release(cache, former.new, u64::from(former.paid)) };
        };
        let known = &mut self.places[place];
        // SAFETY: it is a name of this arena's; whether it still lives is asked.
        let record = unsafe { new.new.record() };
        if known.paid == 0 && record.try_retain(new.new.generation(), Self::PAID_AT_ONCE.into()) {
            known.paid = Self::PAID_AT_ONCE;
            if !known.listed {
                known.listed = true;
                self.used.push(place as u8);
            }
        }
    }
}

impl<R: Rules> SlimFast<R> {
    /// What was done before with the same metadata in this epoch.
    #[inline(always)]
    pub(super) fn known_step(
        &self,
        thread: &ThreadState<Self>,
        old: Word,
        bytes: Bytes,
        access: Access,
    ) -> Option<Step> {
        if !R::has(Rule::TransitionReuse) || thread.local.epoch != thread.epoch {
            return None;
        }
        let key = Key { old, bytes, write: access == Access::Write };
        let place = thread.local.transitions.find(key)?;
        Some(Step(place as u8))
    }

    /// Does that. False: the slot has changed.
    #[inline(always)]
    pub(super) fn take(&self, thread: &mut ThreadState<Self>, slot: &Slot, step: Step) -> bool {
        let exchange = |old, new| u32::from(slot.exchange(old, new));
        self.take_for(thread, step, 1, exchange) == 1
    }

    /// Does that for two words. False: a slot has changed.
    #[inline(always)]
    pub(super) fn take_for_pair(
        &self,
        thread: &mut ThreadState<Self>,
        pair: &[Slot; 2],
        step: Step,
    ) -> bool {
        self.take_for(thread, step, 2, |old, new| Slot::exchange_both(pair, old, new)) == 2
    }

    /// Does that for so many slots as `exchange` can be: how many they were.
    #[inline(always)]
    fn take_for(
        &self,
        thread: &mut ThreadState<Self>,
        step: Step,
        slots: u32,
        exchange: impl FnOnce(Word, Word) -> u32,
    ) -> u32 {
        let ThreadState { local, cache, counters, .. } = thread;
        let known = &mut local.transitions.places[usize::from(step.0)];
        let old = known.key.old;
        // Who has looked twice before may have taken the last one.
        if known.paid < slots {
            return 0;
        }
        let done = exchange(old, known.new);
        if done == 0 {
            return 0;
        }
        known.paid -= done;
        let times = u64::from(done);
        if let Some(count) = known.count {
            counters.add_many(count, times);
        }
        if known.key.write {
            counters.add_many(Count::WrittenReused, times);
        }
        if known.new.kind() == Kind::Divided {
            counters.add_many(Count::CompositionReused, times);
        }
        // SAFETY: so many slots held the old name, and hold it no longer.
        unsafe { self.arena.drop_names(cache, old, times) };
        done
    }

    /// Does what was done before with the same metadata in this epoch. False: nothing is known, or the slot has changed.
    pub(super) fn again(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        access: Access,
    ) -> bool {
        let step = self.known_step(thread, slot.load(), bytes, access);
        step.is_some_and(|step| self.take(thread, slot, step))
    }

    /// Remembers what a plain access that did not race has put into a slot.
    #[inline]
    pub(super) fn note(&self, thread: &mut ThreadState<Self>, put: Put, access: Access) {
        if thread.local.transitions.count_early() || !R::has(Rule::TransitionReuse) {
            return;
        }
        self.note_now(thread, put, access);
    }

    #[inline(never)]
    fn note_now(&self, thread: &mut ThreadState<Self>, put: Put, access: Access) {
        let (was, is) = (put.part.kind(), put.update.kind());
        let count = match (access, was, is) {
            (Access::Write, Kind::Reads, _) => Count::WriteShared,
            (Access::Write, ..) => Count::WriteExclusive,
            (_, Kind::Reads, _) => Count::ReadShared,
            (_, _, Kind::Reads) => Count::ReadInflate,
            _ => Count::ReadExclusive,
        };
        let ThreadState { local, cache, .. } = thread;
        let new = Transition {
            key: Key { old: put.old, bytes: put.bytes, write: access == Access::Write },
            new: put.new,
            count: Some(count),
            ..Transition::default()
        };
        local.transitions.note(&self.arena, cache, new);
    }
}
