//! Atomic accesses of a thread that it has made last, each with the first and the last clock at which it made it.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use warpsan_thread_detect::Clock;

use super::{Access, Circumstances};

/// One of them, as the words that are stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct AtomicEntry {
    pub(super) first_word: u64,
    pub(super) second_word: u64,
    pub(super) around: u64,
    first: u64,
    pub(super) last: u64,
}

impl AtomicEntry {
    pub(super) fn new(now: Circumstances, access: &Access) -> AtomicEntry {
        let (first_word, second_word) = access.pack();
        let clock = now.clock.number();
        AtomicEntry { first_word, second_word, around: now.pack(), first: clock, last: clock }
    }

    /// Where its places begin.
    fn places(&self) -> usize {
        let mixed = (self.first_word ^ self.second_word.rotate_left(20))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize % (PLACES / WAYS) * WAYS
    }

    fn is_repeated_by(&self, other: &AtomicEntry) -> bool {
        self.first_word == other.first_word
            && self.second_word == other.second_word
            && self.around == other.around
    }
}

const PLACES: usize = 128;
/// Places that an access may have: loops that the compiler has unrolled have several accesses, which must not displace each other.
const WAYS: usize = 4;

/// A place for an access. The thread writes, others read: a version that is odd while it is written.
#[derive(Default)]
struct Place {
    version: AtomicU64,
    words: [AtomicU64; 5],
}

impl Place {
    fn load(&self) -> AtomicEntry {
        let [first_word, second_word, around, first, last] =
            std::array::from_fn(|index| self.words[index].load(Ordering::Relaxed));
        AtomicEntry { first_word, second_word, around, first, last }
    }

    fn store(&self, entry: &AtomicEntry) {
        let version = self.version.load(Ordering::Relaxed);
        self.version.store(version + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        let words = [entry.first_word, entry.second_word, entry.around, entry.first, entry.last];
        for (place, word) in self.words.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        self.version.store(version + 2, Ordering::Release);
    }

    /// What is there, for another thread.
    fn look(&self) -> Option<AtomicEntry> {
        let before = self.version.load(Ordering::Acquire);
        let entry = self.load();
        fence(Ordering::Acquire);
        let is_whole = before != 0
            && before.is_multiple_of(2)
            && self.version.load(Ordering::Relaxed) == before;
        is_whole.then_some(entry)
    }
}

/// See the head of the module.
pub(super) struct RecentAtomics(Box<[Place; PLACES]>);

impl Default for RecentAtomics {
    fn default() -> RecentAtomics {
        RecentAtomics(Box::new(std::array::from_fn(|_| Place::default())))
    }
}

impl RecentAtomics {
    /// Writes one down. The one that had its place is given back, if it was another.
    pub(super) fn put(&self, entry: AtomicEntry) -> Option<AtomicEntry> {
        let first = entry.places();
        let places = &self.0[first..first + WAYS];
        let mut oldest = (&places[0], places[0].load());
        for place in places {
            let old = place.load();
            if old.is_repeated_by(&entry) {
                place.words[4].store(entry.last, Ordering::Release);
                return None;
            }
            if old.last < oldest.1.last {
                oldest = (place, old);
            }
        }
        oldest.0.store(&entry);
        (oldest.1.second_word != 0).then_some(oldest.1)
    }

    /// One that was made at this clock, and what was around it.
    pub(super) fn find(
        &self,
        clock: Clock,
        is_wanted: impl Fn(&Access) -> bool,
    ) -> Option<(Access, u64)> {
        let clock = clock.number();
        self.0.iter().filter_map(Place::look).find_map(|entry| {
            let access = Access::unpack(entry.first_word, entry.second_word)?;
            let is_it = (entry.first..=entry.last).contains(&clock) && is_wanted(&access);
            is_it.then_some((access, entry.around))
        })
    }

    /// A copy, of a thread that has ended.
    pub(super) fn copy(&self) -> RecentAtomics {
        let copy = RecentAtomics::default();
        for (from, to) in self.0.iter().zip(copy.0.iter()) {
            if let Some(entry) = from.look() {
                to.store(&entry);
            }
        }
        copy
    }
}
