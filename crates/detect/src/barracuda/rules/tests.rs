//! Each rule of the thesis on one location, for every state that the location can be in.

use super::super::clock::Thread;
use super::*;

fn epoch(lane: u8, clock: u32) -> Epoch {
    Epoch { thread: Thread { block: 0, warp: 0, lane }, clock, site: u32::from(lane) }
}

/// Thread 9 does something now, and knows each other thread up to the clock that is its number.
const NOW: u8 = 9;

fn now() -> Epoch {
    epoch(NOW, 20)
}

fn knows(epoch: Epoch) -> bool {
    epoch.clock <= if epoch.thread.lane == NOW { 20 } else { u32::from(epoch.thread.lane) }
}

fn shared(reads: &[Epoch]) -> Reads {
    let mut readers = Readers::new(reads[0], 1 << reads[0].thread.lane);
    reads.iter().for_each(|read| readers.add(*read, 1 << read.thread.lane));
    Reads::Shared(readers)
}

/// One lane reads.
fn read(location: &mut Location, now: Epoch, knows: impl Fn(Epoch) -> bool) -> Outcome {
    super::read(location, now, 1 << now.thread.lane, knows)
}

/// Ordered and not.
const BEFORE: [(u8, u32); 2] = [(3, 3), (4, 1)];
const CONCURRENT: [(u8, u32); 2] = [(5, 6), (6, 9)];

fn before() -> Vec<Epoch> {
    BEFORE.map(|(lane, clock)| epoch(lane, clock)).to_vec()
}

fn concurrent() -> Vec<Epoch> {
    CONCURRENT.map(|(lane, clock)| epoch(lane, clock)).to_vec()
}

fn location(write: Epoch, is_atomic: bool, reads: Reads) -> Location {
    Location { write, is_atomic, reads }
}

#[test]
fn the_first_access_of_each_kind_races_with_nobody() {
    let outcome = |rule| Outcome { rule, write: None, read: None };
    assert_eq!(read(&mut Location::default(), now(), knows), outcome(Rule::ReadExcl));
    assert_eq!(write(&mut Location::default(), now(), knows), outcome(Rule::WriteExcl));
    assert_eq!(atomic(&mut Location::default(), now(), knows), outcome(Rule::InitAtomExcl));
}

#[test]
fn read_excl_replaces_a_read_that_is_before() {
    let mut there = location(before()[0], false, Reads::Exclusive(before()[1]));
    assert_eq!(
        read(&mut there, now(), knows),
        Outcome { rule: Rule::ReadExcl, write: None, read: None }
    );
    assert_eq!(there, location(before()[0], false, Reads::Exclusive(now())));
    let mut there = location(concurrent()[0], true, Reads::Exclusive(before()[1]));
    let race = Outcome { rule: Rule::ReadExcl, write: Some(concurrent()[0]), read: None };
    assert_eq!(read(&mut there, now(), knows), race, "also with an atomic");
}

#[test]
fn read_inflate_keeps_both_concurrent_reads() {
    let mut there = location(before()[0], false, Reads::Exclusive(concurrent()[1]));
    let outcome = read(&mut there, now(), knows);
    assert_eq!(outcome, Outcome { rule: Rule::ReadInflate, write: None, read: None });
    assert_eq!(there.reads, shared(&[concurrent()[1], now()]));
    let mut there = location(concurrent()[0], false, Reads::Exclusive(concurrent()[1]));
    assert_eq!(read(&mut there, now(), knows).write, Some(concurrent()[0]));
}

#[test]
fn read_shared_adds_a_read_or_replaces_the_own_one() {
    let mut there = location(before()[0], false, shared(&[concurrent()[0], epoch(NOW, 2)]));
    let outcome = read(&mut there, now(), knows);
    assert_eq!(outcome, Outcome { rule: Rule::ReadShared, write: None, read: None });
    assert_eq!(there.reads, shared(&[concurrent()[0], now()]));
    let mut there = location(concurrent()[1], false, shared(&concurrent()));
    assert_eq!(read(&mut there, now(), knows).write, Some(concurrent()[1]));
    assert_eq!(there.reads, shared(&[concurrent()[0], concurrent()[1], now()]));
}

#[test]
fn lanes_that_read_together_are_concurrent_with_each_other() {
    let lanes = 1 << NOW | 1 << 12 | 1 << 30;
    let epochs = [NOW, 12, 30].map(|lane| Epoch { site: now().site, ..epoch(lane, 20) });
    let [first, second, third] = epochs;
    let reads = |reads: Reads| {
        let mut there = location(before()[0], false, reads);
        let rule = super::read(&mut there, now(), lanes, knows).rule;
        (there.reads, rules_of_reads(rule, lanes).map(|(_, times)| times))
    };
    let all = shared(&[first, second, third]);
    assert_eq!(reads(Reads::Exclusive(before()[1])), (all, [1, 1, 1]));
    let with_another = shared(&[concurrent()[0], first, second, third]);
    assert_eq!(reads(Reads::Exclusive(concurrent()[0])), (with_another.clone(), [1, 0, 2]));
    assert_eq!(reads(shared(&concurrent()[..1])), (with_another, [1, 0, 2]));
}

/// All combinations of a last write and last reads, ordered or not, for an operation that writes.
fn expect_of_writes(
    operation: impl Fn(&mut Location) -> Outcome,
    was_atomic: bool,
    (exclusive, several): (Rule, Rule),
    compares_with_write: bool,
    is_atomic: bool,
) {
    for last in [before()[0], concurrent()[0]] {
        let reads = [
            (exclusive, Reads::Exclusive(before()[1]), None),
            (exclusive, Reads::Exclusive(concurrent()[1]), Some(concurrent()[1])),
            (several, shared(&before()), None),
            (several, shared(&[before()[0], concurrent()[1]]), Some(concurrent()[1])),
        ];
        for (rule, reads, read) in reads {
            let mut there = location(last, was_atomic, reads);
            let write = (compares_with_write && !knows(last)).then_some(last);
            assert_eq!(operation(&mut there), Outcome { rule, write, read });
            assert_eq!(there, location(now(), is_atomic, Reads::Exclusive(Epoch::NONE)));
        }
    }
}

#[test]
fn write_excl_and_write_shared_are_compared_with_the_write_and_all_reads() {
    for was_atomic in [false, true] {
        let rules = (Rule::WriteExcl, Rule::WriteShared);
        expect_of_writes(|there| write(there, now(), knows), was_atomic, rules, true, false);
    }
}

#[test]
fn init_atom_is_compared_with_a_plain_write() {
    let rules = (Rule::InitAtomExcl, Rule::InitAtomShared);
    expect_of_writes(|there| atomic(there, now(), knows), false, rules, true, true);
}

#[test]
fn atom_is_not_compared_with_an_atomic_write() {
    let rules = (Rule::AtomExcl, Rule::AtomShared);
    expect_of_writes(|there| atomic(there, now(), knows), true, rules, false, true);
}

#[test]
fn every_rule_has_a_name_and_a_number() {
    for (number, rule) in Rule::ALL.iter().enumerate() {
        assert_eq!(*rule as usize, number);
        let same = |other: &&Rule| other.name() == rule.name();
        assert_eq!(Rule::ALL.iter().filter(same).count(), 1, "{}", rule.name());
    }
}
