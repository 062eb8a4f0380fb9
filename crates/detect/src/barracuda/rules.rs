//! The rules of figures 5.4 and 5.5 about one location. Knows no events.
//!
//! A rule has premises and an effect. Where the premise about order does not hold, there is a race; the effect is the same,
//! so that the next access is compared with this one.

use super::location::{Epoch, Location, Readers, Reads};

/// The rules, with their names in the thesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    ReadShared,
    ReadExcl,
    ReadInflate,
    WriteExcl,
    WriteShared,
    EndInsn,
    If,
    ElseEndIf,
    Bar,
    InitAtomExcl,
    InitAtomShared,
    AtomExcl,
    AtomShared,
    AcqBlock,
    RelBlock,
    AcqRelBlock,
    AcqGlobal,
    RelGlobal,
    /// The figure leaves it out: an acquire, then a release.
    AcqRelGlobal,
}

impl Rule {
    pub(super) const ALL: [Rule; 19] = [
        Rule::ReadShared,
        Rule::ReadExcl,
        Rule::ReadInflate,
        Rule::WriteExcl,
        Rule::WriteShared,
        Rule::EndInsn,
        Rule::If,
        Rule::ElseEndIf,
        Rule::Bar,
        Rule::InitAtomExcl,
        Rule::InitAtomShared,
        Rule::AtomExcl,
        Rule::AtomShared,
        Rule::AcqBlock,
        Rule::RelBlock,
        Rule::AcqRelBlock,
        Rule::AcqGlobal,
        Rule::RelGlobal,
        Rule::AcqRelGlobal,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Rule::ReadShared => "READSHARED: a read, others were concurrent",
            Rule::ReadExcl => "READEXCL: a read after all others",
            Rule::ReadInflate => "READINFLATE: a read, concurrent with the one before",
            Rule::WriteExcl => "WRITEEXCL: a write",
            Rule::WriteShared => "WRITESHARED: a write after concurrent reads",
            Rule::EndInsn => "ENDINSN: the end of an instruction",
            Rule::If => "IF: lanes go on without others",
            Rule::ElseEndIf => "ELSEENDIF: lanes that waited go on, or meet",
            Rule::Bar => "BAR: a barrier of a block",
            Rule::InitAtomExcl => "INITATOMEXCL: an atomic after a plain write",
            Rule::InitAtomShared => "INITATOMSHRD: the same after concurrent reads",
            Rule::AtomExcl => "ATOMEXCL: an atomic after an atomic",
            Rule::AtomShared => "ATOMSHARED: the same after concurrent reads",
            Rule::AcqBlock => "ACQBLOCK: an acquire at block scope",
            Rule::RelBlock => "RELBLOCK: a release at block scope",
            Rule::AcqRelBlock => "ACQRELBLK: both at block scope",
            Rule::AcqGlobal => "ACQGLOBAL: an acquire at grid scope",
            Rule::RelGlobal => "RELGLOBAL: a release at grid scope",
            Rule::AcqRelGlobal => "ACQRELGLB: both at grid scope",
        }
    }
}

/// Which rule an access follows, and whom it races with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) rule: Rule,
    /// A write that is not before the access.
    pub(super) write: Option<Epoch>,
    /// A read that is not before it.
    pub(super) read: Option<Epoch>,
}

/// `rd(t, x)`. `knows` says whether an epoch is before what the thread does now.
pub(super) fn read(location: &mut Location, now: Epoch, knows: impl Fn(Epoch) -> bool) -> Outcome {
    let write = unordered(location.write, &knows);
    let rule = match &mut location.reads {
        Reads::Shared(readers) => read_shared(readers, now),
        Reads::Exclusive(last) if knows(*last) => read_excl(last, now),
        Reads::Exclusive(last) => {
            let last = *last;
            read_inflate(&mut location.reads, last, now)
        }
    };
    Outcome { rule, write, read: None }
}

fn read_shared(readers: &mut Readers, now: Epoch) -> Rule {
    readers.insert(now.thread, (now.clock, now.site));
    Rule::ReadShared
}

fn read_excl(last: &mut Epoch, now: Epoch) -> Rule {
    *last = now;
    Rule::ReadExcl
}

fn read_inflate(reads: &mut Reads, last: Epoch, now: Epoch) -> Rule {
    let readers = [last, now].map(|read| (read.thread, (read.clock, read.site)));
    *reads = Reads::Shared(Box::new(readers.into()));
    Rule::ReadInflate
}

/// `wr(t, x)`.
pub(super) fn write(location: &mut Location, now: Epoch, knows: impl Fn(Epoch) -> bool) -> Outcome {
    let outcome = match &location.reads {
        Reads::Exclusive(last) => write_excl(location.write, *last, knows),
        Reads::Shared(readers) => write_shared(location.write, readers, knows),
    };
    *location = Location { write: now, is_atomic: false, reads: Reads::Exclusive(Epoch::NONE) };
    outcome
}

fn write_excl(write: Epoch, last: Epoch, knows: impl Fn(Epoch) -> bool) -> Outcome {
    let (write, read) = (unordered(write, &knows), unordered(last, &knows));
    Outcome { rule: Rule::WriteExcl, write, read }
}

fn write_shared(write: Epoch, readers: &Readers, knows: impl Fn(Epoch) -> bool) -> Outcome {
    let (write, read) = (unordered(write, &knows), unordered_among(readers, &knows));
    Outcome { rule: Rule::WriteShared, write, read }
}

/// `atm(t, x)`.
pub(super) fn atomic(
    location: &mut Location,
    now: Epoch,
    knows: impl Fn(Epoch) -> bool,
) -> Outcome {
    let write = location.write;
    let outcome = match (location.is_atomic, &location.reads) {
        (false, Reads::Exclusive(last)) => init_atom_excl(write, *last, knows),
        (false, Reads::Shared(readers)) => init_atom_shared(write, readers, knows),
        (true, Reads::Exclusive(last)) => atom_excl(*last, knows),
        (true, Reads::Shared(readers)) => atom_shared(readers, knows),
    };
    *location = Location { write: now, is_atomic: true, reads: Reads::Exclusive(Epoch::NONE) };
    outcome
}

/// The first atomic after a plain write is compared with it, as a write is.
fn init_atom_excl(write: Epoch, last: Epoch, knows: impl Fn(Epoch) -> bool) -> Outcome {
    Outcome { rule: Rule::InitAtomExcl, ..write_excl(write, last, knows) }
}

fn init_atom_shared(write: Epoch, readers: &Readers, knows: impl Fn(Epoch) -> bool) -> Outcome {
    Outcome { rule: Rule::InitAtomShared, ..write_shared(write, readers, knows) }
}

/// Atomics are not compared with each other.
fn atom_excl(last: Epoch, knows: impl Fn(Epoch) -> bool) -> Outcome {
    Outcome { rule: Rule::AtomExcl, write: None, read: unordered(last, &knows) }
}

fn atom_shared(readers: &Readers, knows: impl Fn(Epoch) -> bool) -> Outcome {
    Outcome { rule: Rule::AtomShared, write: None, read: unordered_among(readers, &knows) }
}

/// The epoch, if it is not known.
fn unordered(epoch: Epoch, knows: &impl Fn(Epoch) -> bool) -> Option<Epoch> {
    (!knows(epoch)).then_some(epoch)
}

/// The first of several reads that is not known.
fn unordered_among(readers: &Readers, knows: &impl Fn(Epoch) -> bool) -> Option<Epoch> {
    let mut reads = readers.iter();
    reads.find_map(|(&thread, &(clock, site))| unordered(Epoch { thread, clock, site }, knows))
}

#[cfg(test)]
mod tests;
