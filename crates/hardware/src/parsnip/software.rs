//! What software keeps of a byte, and what a byte's history is as a whole (section 4.2.2).

use warpsan_thread_detect::{Conflict, EarlierAccess, Epoch, VectorClock};

/// The accesses to a byte that a later one may race with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    /// The last plain write; [`Epoch::NONE`] if there was none.
    pub(super) write: Epoch,
    /// Reads behind it, one of each thread at most, the last one last.
    pub(super) reads: Vec<Epoch>,
    /// Atomic accesses behind it. The thesis has none: they are of the synchronisation library, which software does all checks for.
    pub(super) atomic_reads: Vec<Epoch>,
    pub(super) atomic_writes: Vec<Epoch>,
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
    pub(super) fn is_atomic(self) -> bool {
        matches!(self, Kind::AtomicRead | Kind::AtomicWrite)
    }
}

impl History {
    pub(super) fn is_empty(&self) -> bool {
        self.write.is_none() && self.reads.is_empty() && !self.has_atomics()
    }

    pub(super) fn has_atomics(&self) -> bool {
        !(self.atomic_reads.is_empty() && self.atomic_writes.is_empty())
    }

    /// The first access found that an access of this kind is not ordered behind.
    pub(super) fn conflict(&self, kind: Kind, clock: &VectorClock) -> Option<Conflict> {
        let unordered = |list: &[Epoch]| list.iter().copied().find(|one| !clock.covers(*one));
        let of =
            |earlier: Option<Epoch>, access| earlier.map(|earlier| Conflict { earlier, access });
        let write = (!self.write.is_none() && !clock.covers(self.write)).then_some(self.write);
        let mut found = of(write, EarlierAccess::Write);
        if matches!(kind, Kind::Write | Kind::AtomicWrite) {
            found = found.or_else(|| of(unordered(&self.reads), EarlierAccess::Read));
        }
        if matches!(kind, Kind::Write | Kind::Read) {
            found =
                found.or_else(|| of(unordered(&self.atomic_writes), EarlierAccess::AtomicWrite));
        }
        if kind == Kind::Write {
            found = found.or_else(|| of(unordered(&self.atomic_reads), EarlierAccess::AtomicRead));
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
                *self = History { write: epoch, ..History::default() };
                return;
            }
            Kind::Read => &mut self.reads,
            Kind::AtomicRead => &mut self.atomic_reads,
            Kind::AtomicWrite => &mut self.atomic_writes,
        };
        list.retain(|one| !clock.covers(*one));
        list.push(epoch);
    }
}
