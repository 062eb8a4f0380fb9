//! One record, and its first word: its generation, a lock, and how many hold it.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::slot::{Kind, Word};
use crate::spin::Patience;

/// How often a record was given back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Generation(u32);

impl Generation {
    const BITS: u32 = 17;
    /// After this one a record is not used any more.
    pub(crate) const LAST: Generation = Generation((1 << Self::BITS) - 1);

    #[inline(always)]
    pub(crate) fn new(number: u64) -> Self {
        debug_assert!(number <= u64::from(Self::LAST.0));
        Self(number as u32)
    }

    #[inline(always)]
    pub(crate) fn number(self) -> u64 {
        u64::from(self.0)
    }
}

/// A piece of metadata: words of memory that stay of one class for as long as the tool lives. See the head of the module.
///
/// Word 0 is the header; word 1 is the write epoch, or the link to the next record that is not in use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Record(NonNull<AtomicU64>);

// SAFETY: a record is shared memory that is only reached through atomic operations.
unsafe impl Send for Record {}

const GENERATION_SHIFT: u32 = 64 - Generation::BITS;
const LOCKED: u64 = 1 << (GENERATION_SHIFT - 1);
const COUNT: u64 = LOCKED - 1;

impl Record {
    pub(crate) const HEADER: usize = 0;
    pub(crate) const WRITE: usize = 1;

    /// The record at this address.
    ///
    /// # Safety
    ///
    /// There is one, and its arena lives for as long as the result is used.
    #[inline(always)]
    pub(crate) unsafe fn at(address: u64) -> Record {
        // SAFETY: records are not at address zero.
        Record(unsafe { NonNull::new_unchecked(address as *mut AtomicU64) })
    }

    #[inline(always)]
    pub(crate) fn address(self) -> u64 {
        self.0.as_ptr() as u64
    }

    /// One of its words.
    #[inline(always)]
    pub(crate) fn word<'a>(self, index: usize) -> &'a AtomicU64 {
        // SAFETY: the arena lives (`Record::at`), and all users index within the class of the record.
        unsafe { &*self.0.as_ptr().add(index) }
    }

    #[inline(always)]
    pub(crate) fn get(self, index: usize) -> u64 {
        self.word(index).load(Ordering::Relaxed)
    }

    /// Release order: see `Slot::still_has`.
    #[inline(always)]
    pub(crate) fn set(self, index: usize, value: u64) {
        self.word(index).store(value, Ordering::Release);
    }

    #[inline]
    fn header<'a>(self) -> &'a AtomicU64 {
        self.word(Self::HEADER)
    }

    /// Its name, for a slot. Only for who holds it.
    #[inline]
    pub(crate) fn name(self, kind: Kind) -> Word {
        let header = self.header().load(Ordering::Relaxed);
        Word::new(kind, self.address(), Generation::new(header >> GENERATION_SHIFT))
    }

    pub(crate) fn generation(self) -> Generation {
        Generation::new(self.header().load(Ordering::Relaxed) >> GENERATION_SHIFT)
    }

    /// Begins a life that so many hold. Only for the arena.
    pub(crate) fn begin(self, generation: Generation, holders: u64) {
        self.header().store((generation.number() << GENERATION_SHIFT) | holders, Ordering::Release);
    }

    /// Ends a life: the generation grows. False: there is no further one. Only for who was the last to hold it.
    pub(crate) fn end(self) -> bool {
        let generation = self.generation();
        if generation == Generation::LAST {
            // Nobody can lock or retain it any more.
            self.begin(generation, 0);
            return false;
        }
        self.begin(Generation::new(generation.number() + 1), 0);
        true
    }

    /// Counts further holders, for one who holds it already.
    pub(crate) fn retain(self, holders: u64) {
        let before = self.header().fetch_add(holders, Ordering::Relaxed);
        debug_assert!(before & COUNT > 0);
    }

    /// Counts further holders, if it still lives in this generation.
    pub(crate) fn try_retain(self, generation: Generation, holders: u64) -> bool {
        let header = self.header();
        let mut seen = header.load(Ordering::Acquire);
        while seen >> GENERATION_SHIFT == generation.number() && seen & COUNT > 0 {
            let next = seen + holders;
            match header.compare_exchange_weak(seen, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return true,
                Err(now) => seen = now,
            }
        }
        false
    }

    /// So many hold it no longer. True: nobody does.
    #[must_use]
    pub(crate) fn release(self, holders: u64) -> bool {
        let before = self.header().fetch_sub(holders, Ordering::AcqRel);
        debug_assert!(before & COUNT >= holders);
        before & COUNT == holders
    }

    /// The header of a record of this generation that one slot names and nobody has locked.
    #[inline(always)]
    fn free_header(generation: Generation) -> u64 {
        (generation.number() << GENERATION_SHIFT) | 1
    }

    /// Locks a record that only one slot names, if that takes no waiting. False: another thread has locked it, or it was given back.
    #[must_use]
    #[inline(always)]
    pub(crate) fn lock_at_once(self, generation: Generation) -> bool {
        let free = Self::free_header(generation);
        let locked = free | LOCKED;
        // The header is not loaded first: that it is free is nearly always true, and the exchange finds out.
        self.header().compare_exchange(free, locked, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Locks a record that only one slot names. False: it was given back, so that slot has changed.
    #[must_use]
    #[inline]
    pub(crate) fn lock(self, generation: Generation) -> bool {
        self.lock_at_once(generation) || self.wait_for_lock(generation)
    }

    #[cold]
    fn wait_for_lock(self, generation: Generation) -> bool {
        let header = self.header();
        let mut patience = Patience::default();
        loop {
            let seen = header.load(Ordering::Relaxed);
            if seen >> GENERATION_SHIFT != generation.number() || seen & COUNT == 0 {
                return false;
            }
            let locked = seen | LOCKED;
            let free = seen & LOCKED == 0;
            if free
                && header
                    .compare_exchange(seen, locked, Ordering::AcqRel, Ordering::Relaxed)
                    .is_ok()
            {
                return true;
            }
            patience.wait();
        }
    }

    /// Unlocks what was locked in this generation, and is held by one slot: as [`Record::unlock`], without a load.
    #[inline(always)]
    pub(crate) fn unlock_as(self, generation: Generation) {
        debug_assert!(self.get(Self::HEADER) == Self::free_header(generation) | LOCKED);
        self.header().store(Self::free_header(generation), Ordering::Release);
    }

    /// Unlocks what `lock` has locked. While it is locked nobody else changes the header.
    pub(crate) fn unlock(self) {
        let header = self.header();
        let locked = header.load(Ordering::Relaxed);
        debug_assert!(locked & LOCKED != 0);
        header.store(locked & !LOCKED, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record in memory of the test.
    fn with_record(test: impl FnOnce(Record)) {
        let words: [AtomicU64; 3] = Default::default();
        test(Record(NonNull::from(&words).cast()));
    }

    #[test]
    fn a_name_is_not_used_twice() {
        with_record(|record| {
            record.begin(Generation::new(0), 1);
            let former = record.name(Kind::Pair);
            assert!(record.release(1) && record.end());
            record.begin(record.generation(), 1);
            assert_ne!(record.name(Kind::Pair), former);
            assert!(!record.try_retain(former.generation(), 1), "it is another record now");
            assert!(!record.lock(former.generation()));
        });
    }

    #[test]
    fn a_record_whose_generations_are_used_up_is_left_alone() {
        with_record(|record| {
            record.begin(Generation::LAST, 1);
            assert!(record.lock(Generation::LAST));
            assert!(!record.end(), "it does not go back to the arena");
            assert!(!record.lock(Generation::LAST), "who waits for it does not wait for ever");
            assert!(!record.try_retain(Generation::LAST, 1));
        });
    }

    #[test]
    fn what_is_locked_is_not_locked_at_once_again() {
        with_record(|record| {
            let (former, now) = (Generation::new(6), Generation::new(7));
            record.begin(now, 1);
            assert!(!record.lock_at_once(former), "it is another record now");
            assert!(record.lock_at_once(now));
            assert!(!record.lock_at_once(now));
            record.unlock_as(now);
            assert!(record.lock(now));
            record.unlock();
            assert_eq!(record.generation(), now);
            assert!(record.release(1), "it has one holder still");
        });
    }

    #[test]
    fn the_last_of_all_holders_is_told_so() {
        with_record(|record| {
            record.begin(Generation::new(3), 2);
            record.retain(5);
            assert!(record.try_retain(Generation::new(3), 1));
            assert!(!record.release(7));
            assert!(record.release(1));
        });
    }
}
