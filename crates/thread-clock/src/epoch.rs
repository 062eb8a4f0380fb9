//! Clocks of one thread, and epochs.

use std::fmt;

use crate::ThreadId;

/// How far a thread has come. Zero is before every thread's start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Clock(u64);

impl Clock {
    /// How many bits a clock has. A thread that releases 100 million times a second, which none does, takes two days
    /// to use them up.
    pub const BITS: u32 = 44;
    /// Before every thread's start.
    pub const ZERO: Clock = Clock(0);
    /// Where a thread starts.
    pub const FIRST: Clock = Clock(1);
    /// The last one. A thread stays at it: what it does from then on may look as if it had been passed on already, so
    /// that races can be missed, but none is invented.
    pub const LAST: Clock = Clock((1 << Self::BITS) - 1);

    /// The clock with this number, which is at most [`Clock::LAST`].
    #[inline]
    pub fn new(number: u64) -> Clock {
        debug_assert!(number <= Self::LAST.0);
        Clock(number)
    }

    /// Its number.
    #[inline]
    pub fn number(self) -> u64 {
        self.0
    }

    /// The next one.
    #[inline]
    pub fn next(self) -> Clock {
        if self == Self::LAST { self } else { Clock(self.0 + 1) }
    }

    /// The one before; `None` for zero.
    pub fn previous(self) -> Option<Clock> {
        self.0.checked_sub(1).map(Clock)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// A clock of a thread, `c@t`: the thread in the upper 20 bits, the clock in the lower 44.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Epoch(u64);

impl Epoch {
    /// No epoch: before everything. Its clock is [`Clock::ZERO`], which every vector clock covers.
    pub const NONE: Epoch = Epoch(0);

    /// `clock@thread`.
    #[inline]
    pub fn new(clock: Clock, thread: ThreadId) -> Epoch {
        Epoch((u64::from(thread.number()) << Clock::BITS) | clock.0)
    }

    /// The epoch with these bits, which [`Epoch::bits`] gave.
    #[inline]
    pub fn from_bits(bits: u64) -> Epoch {
        Epoch(bits)
    }

    /// All of it as one number, which is zero for [`Epoch::NONE`] only.
    #[inline]
    pub fn bits(self) -> u64 {
        self.0
    }

    /// Whose it is.
    #[inline]
    pub fn thread(self) -> ThreadId {
        ThreadId::from_epoch_bits(self.0 >> Clock::BITS)
    }

    /// How far that thread was.
    #[inline]
    pub fn clock(self) -> Clock {
        Clock(self.0 & Clock::LAST.0)
    }

    /// Whether this is no epoch at all.
    #[inline]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Debug for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            write!(f, "-")
        } else {
            write!(f, "{:?}@{:?}", self.clock(), self.thread())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_gives_back_its_clock_and_its_thread_at_the_limits_of_both() {
        for thread in [0, 1, ThreadId::MOST - 1] {
            for clock in [Clock::FIRST, Clock::new(1 << 40), Clock::LAST] {
                let thread = ThreadId::new(thread).expect("below the limit");
                let epoch = Epoch::new(clock, thread);
                assert_eq!((epoch.clock(), epoch.thread()), (clock, thread));
                assert!(!epoch.is_none());
            }
        }
    }

    #[test]
    fn a_thread_at_the_last_clock_stays_there() {
        assert_eq!(Clock::LAST.next(), Clock::LAST);
        assert_eq!(Clock::FIRST.next().number(), 2);
    }
}
