//! Ids of threads, and who gives them out.

use std::fmt;

use crate::{Clock, VectorClock};

/// Which thread. Ids are small, since vector clocks are as long as the largest one that they know.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(u32);

impl ThreadId {
    /// How many ids there are: so many threads may live, or wait to be joined, at one time.
    pub const MOST: u32 = 1 << (64 - Clock::BITS);

    /// The id with this number, if there is one.
    pub fn new(number: u32) -> Option<ThreadId> {
        (number < Self::MOST).then_some(ThreadId(number))
    }

    /// The thread that an epoch names in its upper bits.
    #[inline]
    pub(crate) fn from_epoch_bits(bits: u64) -> ThreadId {
        debug_assert!(bits < u64::from(Self::MOST));
        ThreadId(bits as u32)
    }

    /// Its number.
    #[inline]
    pub fn number(self) -> u32 {
        self.0
    }

    /// Its place in a list with one element for each thread.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// All [`ThreadId::MOST`] ids are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoMoreThreads;

impl fmt::Display for NoMoreThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {} threads live or wait to be joined", ThreadId::MOST)
    }
}

impl std::error::Error for NoMoreThreads {}

/// Gives out ids.
///
/// The id of a joined thread is given out again only to a child of a thread that knows all the old one did: then
/// everything of the old thread is before everything of the new one, as if they were one thread that went on.
/// Otherwise two accesses that race, of the old and of the new thread, would look like accesses of one thread.
#[derive(Debug, Default)]
pub struct ThreadIds {
    /// The lowest number that was never given out.
    unused: u32,
    /// Ids of joined threads, each with the clock at which the next one starts. Invariant: no epoch with that clock exists.
    returned: Vec<(ThreadId, Clock)>,
}

impl ThreadIds {
    /// How many returned ids are looked at for one new thread.
    const LOOKED_AT: usize = 16;

    /// An id, and the clock at which its thread starts. `parent`: what the thread knows that starts it.
    pub fn take(&mut self, parent: &VectorClock) -> Result<(ThreadId, Clock), NoMoreThreads> {
        let mut newest = self.returned.iter().enumerate().rev().take(Self::LOOKED_AT);
        let known = newest.find(|(_, (id, start))| parent.get(*id).next() >= *start);
        if let Some((place, _)) = known {
            return Ok(self.returned.swap_remove(place));
        }
        let id = ThreadId::new(self.unused).ok_or(NoMoreThreads)?;
        self.unused += 1;
        Ok((id, Clock::FIRST))
    }

    /// A thread was joined; `next` is a clock that it never had.
    pub fn give_back(&mut self, id: ThreadId, next: Clock) {
        debug_assert!(id.0 < self.unused);
        // At the last clock there is no next one: the id would name accesses of two threads.
        if next < Clock::LAST {
            self.returned.push((id, next));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_joined_thread_goes_to_a_child_of_who_knows_all_of_it() {
        let mut ids = ThreadIds::default();
        let (main, _) = ids.take(&VectorClock::default()).expect("the first");
        let (child, start) = ids.take(&VectorClock::default()).expect("the second");
        let mut knows = VectorClock::default();
        knows.set(main, Clock::FIRST);
        knows.set(child, start);
        ids.give_back(child, start.next());
        assert_eq!(ids.take(&knows), Ok((child, start.next())));
    }

    #[test]
    fn the_id_of_a_joined_thread_does_not_go_to_a_child_of_who_does_not_know_it() {
        let mut ids = ThreadIds::default();
        let (child, start) = ids.take(&VectorClock::default()).expect("the first");
        ids.give_back(child, start.next());
        let (other, first) = ids.take(&VectorClock::default()).expect("the second");
        assert_ne!(other, child);
        assert_eq!(first, Clock::FIRST);
    }

    #[test]
    fn there_are_more_than_65536_ids_and_then_an_error() {
        let mut ids = ThreadIds::default();
        let none = VectorClock::default();
        let given = (0..2_000_000).take_while(|_| ids.take(&none).is_ok()).count();
        assert_eq!(given, ThreadId::MOST as usize);
        assert!(given >= 1 << 16);
    }
}
