//! What software keeps of a byte, and what a byte's history is as a whole (section 4.2.2).

use smallvec::SmallVec;
use warpsan_thread_detect::{Conflict, EarlierAccess, Epoch, VectorClock};

/// Accesses of which one is of each thread at most, the last one last.
pub(super) type Epochs = SmallVec<[Epoch; 2]>;

/// The accesses to a byte that a later one may race with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    /// The last plain write; [`Epoch::NONE`] if there was none.
    pub(super) write: Epoch,
    /// Reads behind it.
    pub(super) reads: Epochs,
    /// Atomic accesses behind it, if there are any. The thesis has none: they are of the synchronisation library, which software does all
    /// checks for.
    atomics: Option<Box<Atomics>>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Atomics {
    reads: Epochs,
    writes: Epochs,
}

/// What a check is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
}

impl Kind {
    pub(super) fn is_write(self) -> bool {
        matches!(self, Kind::Write | Kind::AtomicWrite)
    }

    pub(super) fn is_atomic(self) -> bool {
        matches!(self, Kind::AtomicRead | Kind::AtomicWrite)
    }
}

impl History {
    pub(super) fn is_empty(&self) -> bool {
        self.write.is_none() && self.reads.is_empty() && !self.has_atomics()
    }

    /// A history of one write.
    pub(super) fn of_write(write: Epoch) -> History {
        History { write, ..History::default() }
    }

    pub(super) fn has_atomics(&self) -> bool {
        self.atomics.is_some()
    }

    /// The first access found that an access of this kind is not ordered behind.
    pub(super) fn conflict(&self, kind: Kind, clock: &VectorClock) -> Option<Conflict> {
        let unordered = |list: &[Epoch]| list.iter().copied().find(|one| !clock.covers(*one));
        let of =
            |earlier: Option<Epoch>, access| earlier.map(|earlier| Conflict { earlier, access });
        let write = (!self.write.is_none() && !clock.covers(self.write)).then_some(self.write);
        let mut found = of(write, EarlierAccess::Write);
        if kind.is_write() {
            found = found.or_else(|| of(unordered(&self.reads), EarlierAccess::Read));
        }
        let Some(atomics) = &self.atomics else { return found };
        if matches!(kind, Kind::Write | Kind::Read) {
            found = found.or_else(|| of(unordered(&atomics.writes), EarlierAccess::AtomicWrite));
        }
        if kind == Kind::Write {
            found = found.or_else(|| of(unordered(&atomics.reads), EarlierAccess::AtomicRead));
        }
        found
    }

    /// Checks an access, which then becomes part of it.
    pub(super) fn take(
        &mut self,
        kind: Kind,
        epoch: Epoch,
        clock: &VectorClock,
    ) -> Option<Conflict> {
        let conflict = self.conflict(kind, clock);
        self.add(kind, epoch, clock);
        conflict
    }

    /// An access becomes part of it. Reads that are ordered before one take nothing away from what it shows.
    pub(super) fn add(&mut self, kind: Kind, epoch: Epoch, clock: &VectorClock) {
        let list = match kind {
            Kind::Write => {
                *self = History::of_write(epoch);
                return;
            }
            Kind::Read => &mut self.reads,
            Kind::AtomicRead => &mut self.atomics.get_or_insert_default().reads,
            Kind::AtomicWrite => &mut self.atomics.get_or_insert_default().writes,
        };
        list.retain(|one| !clock.covers(*one));
        list.push(epoch);
    }
}
