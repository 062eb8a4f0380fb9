//! The rules of figures 5.4 and 5.5 about one location. Knows no events.
//!
//! A rule has premises and an effect. Where the premise about order does not hold, there is a race; the effect is the same,
//! so that the next access is compared with this one.

use super::epoch::Epoch;
use super::location::{Location, Reads};
use super::readers::Readers;

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

/// `rd(t, x)` of the lanes of an instruction that read one location, one after the other; `now` is that of the first lane.
/// `knows` says whether an epoch is before what a lane does now, which is the same for all of them. The rule is that of the
/// first lane.
pub(super) fn read(
    location: &mut Location,
    now: Epoch,
    lanes: u32,
    knows: impl Fn(Epoch) -> bool,
) -> Outcome {
    let write = unordered(location.write, &knows);
    let rule = match &mut location.reads {
        Reads::Shared(readers) => read_shared(readers, now, lanes),
        Reads::Exclusive(last) if knows(*last) => read_excl(&mut location.reads, now, lanes),
        Reads::Exclusive(last) => {
            let last = *last;
            read_inflate(&mut location.reads, last, now, lanes)
        }
    };
    Outcome { rule, write, read: None }
}

fn read_shared(readers: &mut Readers, now: Epoch, lanes: u32) -> Rule {
    readers.add(now, lanes);
    Rule::ReadShared
}

/// The second lane is concurrent with the first.
fn read_excl(reads: &mut Reads, now: Epoch, lanes: u32) -> Rule {
    *reads = match lanes.count_ones() {
        1 => Reads::Exclusive(now),
        _ => Reads::Shared(Readers::new(now, lanes)),
    };
    Rule::ReadExcl
}

fn read_inflate(reads: &mut Reads, last: Epoch, now: Epoch, lanes: u32) -> Rule {
    let mut readers = Readers::new(last, 1 << last.thread.lane);
    readers.add(now, lanes);
    *reads = Reads::Shared(readers);
    Rule::ReadInflate
}

/// The rules that several lanes follow which read one location, by that of the first, and how often.
pub(super) fn rules_of_reads(first: Rule, lanes: u32) -> [(Rule, u64); 3] {
    let others = u64::from(lanes.count_ones().saturating_sub(1));
    let inflating = if first == Rule::ReadExcl { others.min(1) } else { 0 };
    [(first, 1), (Rule::ReadInflate, inflating), (Rule::ReadShared, others - inflating)]
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
    let (write, read) = (unordered(write, &knows), readers.unknown(&knows));
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
    Outcome { rule: Rule::AtomShared, write: None, read: readers.unknown(&knows) }
}

/// The epoch, if it is not known.
fn unordered(epoch: Epoch, knows: &impl Fn(Epoch) -> bool) -> Option<Epoch> {
    (!knows(epoch)).then_some(epoch)
}

#[cfg(test)]
mod tests;
