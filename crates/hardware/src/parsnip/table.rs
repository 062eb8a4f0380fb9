//! ParsnipTables: the clocks of a thread that references in caches name (section 4.2.5).

use super::reference::Index;
use warpsan_thread_detect::Clock;

/// A count has 24 bits.
const MOST_REFERENCES: u32 = (1 << 24) - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    clock: Clock,
    /// References in caches that name it. At zero the entry is free.
    references: u32,
}

/// The table of one thread. It is saved and restored where threads share a core.
#[derive(Clone, Debug)]
pub(super) struct Table {
    entries: Vec<Entry>,
}

impl Table {
    /// The most entries that an index of four bits can name, one being invalid. (Section 4.2.4 says 16, 4.2.5 says 15.)
    pub(super) const MOST: usize = 15;

    pub(super) fn new(entries: usize) -> Table {
        let free = Entry { clock: Clock::ZERO, references: 0 };
        Table { entries: vec![free; entries.min(Self::MOST)] }
    }

    /// The clock of an entry.
    pub(super) fn clock(&self, index: Index) -> Option<Clock> {
        index.number().map(|number| self.entries[number].clock)
    }

    /// The entry of a clock, an old one or one that was free; [`Index::INVALID`] if the table is full: a rejection.
    pub(super) fn place(&mut self, clock: Clock) -> Index {
        let holds = |entry: &Entry| entry.references > 0 && entry.clock == clock;
        if let Some(number) = self.entries.iter().position(holds) {
            let is_full = self.entries[number].references == MOST_REFERENCES;
            return if is_full { Index::INVALID } else { Index::new(number) };
        }
        let Some(number) = self.entries.iter().position(|entry| entry.references == 0) else {
            return Index::INVALID;
        };
        self.entries[number].clock = clock;
        Index::new(number)
    }

    /// A reference to the entry is in a cache.
    pub(super) fn add(&mut self, index: Index) {
        if let Some(number) = index.number() {
            self.entries[number].references += 1;
        }
    }

    /// A reference is gone.
    pub(super) fn remove(&mut self, index: Index) {
        if let Some(number) = index.number() {
            debug_assert!(self.entries[number].references > 0, "a reference was counted");
            self.entries[number].references -= 1;
        }
    }

    /// What entries hold, with their counts: for tests.
    #[cfg(test)]
    pub(super) fn held(&self) -> Vec<(usize, u64, u32)> {
        let held = self.entries.iter().enumerate().filter(|(_, entry)| entry.references > 0);
        held.map(|(number, entry)| (number, entry.clock.number(), entry.references)).collect()
    }

    /// An entry that something else names.
    #[cfg(test)]
    pub(super) fn hold(&mut self, number: usize, clock: u64, references: u32) {
        self.entries[number] = Entry { clock: Clock::new(clock), references };
    }
}
