//! Vector clocks.

use std::fmt;

use crate::{Clock, Epoch, ThreadId};

/// A clock for each thread; those that are not stored are [`Clock::ZERO`].
///
/// Clocks lie by thread, so that looking one up is one load. Ids are given out again, so the list is about as long as the
/// number of threads that lived at one time.
#[derive(Clone, Default)]
pub struct VectorClock {
    /// Invariant: its length is zero, or a power of two of at least [`VectorClock::FIRST_SIZE`].
    clocks: Vec<Clock>,
}

impl VectorClock {
    /// The first size, as in the thesis (section 3.4.1).
    pub const FIRST_SIZE: usize = 4;

    /// What is known of a thread.
    #[inline]
    pub fn get(&self, thread: ThreadId) -> Clock {
        self.clocks.get(thread.index()).copied().unwrap_or(Clock::ZERO)
    }

    /// Sets what is known of a thread.
    #[inline]
    pub fn set(&mut self, thread: ThreadId, clock: Clock) {
        if thread.index() >= self.clocks.len() {
            self.grow(thread.index() + 1);
        }
        self.clocks[thread.index()] = clock;
    }

    /// Whether an epoch is known: `c@t ≤ V`.
    #[inline]
    pub fn covers(&self, epoch: Epoch) -> bool {
        epoch.clock() <= self.get(epoch.thread())
    }

    /// Whether all that `other` knows is known: `other ⊑ V`.
    pub fn includes(&self, other: &VectorClock) -> bool {
        other.epochs().all(|epoch| self.covers(epoch))
    }

    /// Learns all that `other` knows: `V := V ⊔ other`.
    pub fn join(&mut self, other: &VectorClock) {
        if other.clocks.len() > self.clocks.len() {
            self.grow(other.clocks.len());
        }
        for (mine, theirs) in self.clocks.iter_mut().zip(&other.clocks) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Becomes a copy of `other`, in the memory that it has if that is enough.
    pub fn copy_from(&mut self, other: &VectorClock) {
        self.clocks.clone_from(&other.clocks);
    }

    /// Forgets everything, and keeps the memory.
    pub fn clear(&mut self) {
        self.clocks.clear();
    }

    /// The epochs of all threads of which something is known.
    pub fn epochs(&self) -> impl Iterator<Item = Epoch> + '_ {
        let known = self.clocks.iter().enumerate().filter(|(_, clock)| **clock != Clock::ZERO);
        known.filter_map(|(index, clock)| {
            let thread = ThreadId::new(u32::try_from(index).ok()?)?;
            Some(Epoch::new(*clock, thread))
        })
    }

    /// The bytes that its list takes.
    pub fn bytes(&self) -> usize {
        self.clocks.capacity() * size_of::<Clock>()
    }

    #[cold]
    fn grow(&mut self, length: usize) {
        let length = length.next_power_of_two().max(Self::FIRST_SIZE);
        self.clocks.reserve_exact(length - self.clocks.len());
        self.clocks.resize(length, Clock::ZERO);
    }
}

impl PartialEq for VectorClock {
    fn eq(&self, other: &Self) -> bool {
        self.epochs().eq(other.epochs())
    }
}

impl Eq for VectorClock {}

impl fmt::Debug for VectorClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.epochs()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(number: u32) -> ThreadId {
        ThreadId::new(number).expect("a small number")
    }

    fn clock_of(entries: &[(u32, u64)]) -> VectorClock {
        let mut clock = VectorClock::default();
        for (id, number) in entries {
            clock.set(thread(*id), Clock::new(*number));
        }
        clock
    }

    #[test]
    fn the_first_size_is_four_and_sizes_double() {
        assert_eq!(clock_of(&[(0, 1)]).bytes(), 4 * 8);
        assert_eq!(clock_of(&[(0, 1), (4, 1)]).bytes(), 8 * 8);
        assert_eq!(VectorClock::default().bytes(), 0);
    }

    #[test]
    fn a_join_is_the_larger_clock_of_each_thread_whichever_is_longer() {
        let short = clock_of(&[(0, 5), (1, 1)]);
        let long = clock_of(&[(1, 3), (9, 2)]);
        let both = clock_of(&[(0, 5), (1, 3), (9, 2)]);
        let mut joined = short.clone();
        joined.join(&long);
        assert_eq!(joined, both);
        let mut joined = long;
        joined.join(&short);
        assert_eq!(joined, both);
    }

    #[test]
    fn covering_an_epoch_is_knowing_its_thread_that_far() {
        let clock = clock_of(&[(2, 7)]);
        assert!(clock.covers(Epoch::new(Clock::new(7), thread(2))));
        assert!(!clock.covers(Epoch::new(Clock::new(8), thread(2))));
        assert!(!clock.covers(Epoch::new(Clock::new(1), thread(300))));
        assert!(clock.covers(Epoch::NONE));
    }

    #[test]
    fn including_a_clock_is_covering_all_its_epochs() {
        let clock = clock_of(&[(0, 2), (5, 2)]);
        assert!(clock.includes(&clock_of(&[(0, 1), (5, 2)])));
        assert!(!clock.includes(&clock_of(&[(0, 1), (5, 3)])));
        assert!(!clock.includes(&clock_of(&[(40, 1)])));
    }

    #[test]
    fn a_clock_that_was_cleared_is_equal_to_a_new_one() {
        let mut clock = clock_of(&[(3, 4)]);
        clock.clear();
        assert_eq!(clock, VectorClock::default());
        assert_eq!(clock.get(thread(3)), Clock::ZERO);
    }
}
