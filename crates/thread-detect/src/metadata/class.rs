//! Which records have the same size and meaning.

use warpsan_thread_clock::{ThreadId, VectorClock};

use super::composition::Composition;
use crate::bytes::Bytes;
use crate::slot::Kind;

/// Records of one format and capacity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Class {
    kind: Kind,
    /// How many threads it has room for, or parts; zero for pairs.
    capacity: usize,
}

/// Capacities double from the first size of a vector clock to the number of threads.
const CAPACITIES: usize =
    (ThreadId::MOST.trailing_zeros() - VectorClock::FIRST_SIZE.trailing_zeros() + 1) as usize;

/// Capacities of compositions double from two parts to one for each byte.
const COMPOSITIONS: usize = Bytes::COUNT.trailing_zeros() as usize;

impl Class {
    /// How many classes there are.
    pub(crate) const COUNT: usize = 1 + 2 * CAPACITIES + COMPOSITIONS;

    pub(crate) const PAIR: Class = Class { kind: Kind::Pair, capacity: 0 };

    pub(crate) fn reads(capacity: usize) -> Class {
        Self::with_room(Kind::Reads, capacity)
    }

    pub(crate) fn mixed(capacity: usize) -> Class {
        Self::with_room(Kind::Mixed, capacity)
    }

    pub(crate) fn composition(capacity: usize) -> Class {
        debug_assert!(capacity.is_power_of_two() && (2..=Bytes::COUNT).contains(&capacity));
        Class { kind: Kind::Divided, capacity }
    }

    fn with_room(kind: Kind, capacity: usize) -> Class {
        debug_assert!(capacity.is_power_of_two() && capacity >= VectorClock::FIRST_SIZE);
        Class { kind, capacity }
    }

    pub(crate) fn kind(self) -> Kind {
        self.kind
    }

    pub(crate) fn capacity(self) -> usize {
        self.capacity
    }

    /// Its place among all classes.
    pub(crate) fn index(self) -> usize {
        let first = VectorClock::FIRST_SIZE.trailing_zeros();
        let doubled = || (self.capacity.trailing_zeros() - first) as usize;
        match self.kind {
            Kind::Pair => 0,
            Kind::Reads => 1 + doubled(),
            Kind::Mixed => 1 + CAPACITIES + doubled(),
            Kind::Divided => 2 * CAPACITIES + self.capacity.trailing_zeros() as usize,
        }
    }

    /// Its size in words. `next`: whether vectors of reads have a Next map.
    pub(crate) fn words(self, next: bool) -> usize {
        match self.kind {
            Kind::Pair => 3,
            Kind::Reads => 3 + self.capacity * if next { 2 } else { 1 },
            Kind::Mixed => 3 + 4 * self.capacity,
            Kind::Divided => Composition::HEAD + self.capacity,
        }
    }
}
