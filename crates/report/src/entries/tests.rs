use super::*;
use crate::samples::{frame, race, report};
use crate::{AccessOrigin, Verdict};

fn of(kind: RaceKind, severity: Severity, lines: (u32, u32), count: u64) -> Race {
    let mut race = race();
    (race.kind, race.severity, race.count) = (kind, severity, count);
    race.advice = format!("what helps against {kind}");
    for (side, line) in [(&mut race.first, lines.0), (&mut race.second, lines.1)] {
        side.position.as_mut().unwrap().line = line;
    }
    race
}

fn error(kind: RaceKind, count: u64) -> Race {
    of(kind, Severity::Error, (3, 3), count)
}

/// Kind and count of an entry, then those of its note.
type Kinds = Vec<(RaceKind, u64)>;

/// What is left of races that came from several launches, processes or seeds.
fn left<const N: usize>(parts: [&[Race]; N]) -> Vec<Kinds> {
    let mut entries = Vec::new();
    for races in parts {
        // Each process has entries of its own before they are put together.
        let mut own = Vec::new();
        add_to_entries(&mut own, races.iter().cloned());
        add_to_entries(&mut entries, own);
    }
    entries.iter().map(|race| race.kinds().collect()).collect()
}

/// Every order of some races.
fn orders(races: &[Race]) -> Vec<Vec<Race>> {
    let Some((last, others)) = races.split_last() else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for order in orders(others) {
        for at in 0..=order.len() {
            let mut order = order.clone();
            order.insert(at, last.clone());
            all.push(order);
        }
    }
    all
}

#[test]
fn a_pair_of_lines_is_one_entry_under_the_first_kind_of_the_model_and_the_others_are_counted() {
    let races = [
        error(RaceKind::MissingSync, 1),
        error(RaceKind::Scope, 12),
        error(RaceKind::Lock, 4),
        error(RaceKind::Scope, 30),
    ];
    let wanted = [(RaceKind::Lock, 4), (RaceKind::Scope, 42), (RaceKind::MissingSync, 1)];
    for order in orders(&races) {
        assert_eq!(left([&order]), [wanted], "in one process");
        assert_eq!(left([&order[..1], &order[1..3], &order[3..]]), [wanted], "in several");
        let mut entries = Vec::new();
        add_to_entries(&mut entries, order);
        assert_eq!(entries[0].advice, "what helps against lock");
        assert_eq!(entries[0].also_seen[0].advice, "what helps against scope");
        assert_eq!(entries[0].occurrences(), 47);
    }
}

#[test]
fn what_is_worse_is_shown_whatever_its_kind() {
    let info = of(RaceKind::ReadonlyPath, Severity::Info, (3, 4), 5);
    let warning = of(RaceKind::InterKernel, Severity::Warning, (3, 4), 6);
    let error = of(RaceKind::MissingSync, Severity::Error, (4, 3), 7);
    let warning = Race { kind: RaceKind::WarpSync, ..warning };
    for order in orders(&[info.clone(), warning.clone(), error]) {
        let wanted =
            [(RaceKind::MissingSync, 7), (RaceKind::WarpSync, 6), (RaceKind::ReadonlyPath, 5)];
        assert_eq!(left([&order]), [wanted]);
        assert_eq!(report(order).verdict(false), Verdict::Races);
    }
    let harmless = report(vec![info, warning]);
    assert_eq!(harmless.verdict(false), Verdict::Clean);
    assert_eq!(harmless.verdict(true), Verdict::Races);
}

#[test]
fn one_kind_with_two_severities_is_one_entry_with_the_worse() {
    let harmless = of(RaceKind::SameValue, Severity::Info, (3, 3), 2);
    let fragile = of(RaceKind::SameValue, Severity::Warning, (3, 3), 1);
    for order in orders(&[harmless, fragile]) {
        let mut entries = Vec::new();
        add_to_entries(&mut entries, order);
        assert_eq!(
            (entries.len(), entries[0].severity, entries[0].count),
            (1, Severity::Warning, 1)
        );
        let [also] = &entries[0].also_seen[..] else { panic!("{entries:?}") };
        assert_eq!(
            (also.kind, also.severity, also.count),
            (RaceKind::SameValue, Severity::Info, 2)
        );
    }
}

#[test]
fn lines_that_write_the_same_value_and_race_otherwise_are_named_after_the_other() {
    for other in [RaceKind::MissingSync, RaceKind::Divergence, RaceKind::Scope] {
        let same = error(RaceKind::SameValue, 5);
        let other = error(other, 2);
        let one = [(other.kind, 2), (RaceKind::SameValue, 5)];
        assert_eq!(left([&[same.clone(), other.clone()]]), [one]);
        assert_eq!(left([std::slice::from_ref(&other), std::slice::from_ref(&same)]), [one]);
        let twice = [(other.kind, 4), (RaceKind::SameValue, 15)];
        let again = [same.clone(), other.clone(), same.clone()];
        assert_eq!(left([&again, std::slice::from_ref(&same), &[other]]), [twice]);
    }
}

#[test]
fn other_lines_kernels_and_findings_are_other_entries() {
    let one = error(RaceKind::MissingSync, 1);
    let elsewhere = [
        of(RaceKind::MissingSync, Severity::Error, (3, 4), 1),
        error(RaceKind::BarrierDivergence, 1),
        error(RaceKind::OutOfBounds, 1),
        Race { kernel: "other".into(), ..error(RaceKind::MissingSync, 1) },
    ];
    for other in elsewhere {
        assert_eq!(left([&[one.clone(), other.clone()]]).len(), 2, "{other:?}");
    }
}

/// A kernel that two streams launch may race with itself within each launch, too.
#[test]
fn two_launches_of_a_kernel_have_one_entry_with_its_own_and_two_kernels_have_another() {
    let between = |kernels: [&str; 2], named: &str| {
        let mut race = of(RaceKind::InterKernel, Severity::Error, (3, 4), 1);
        race.kernel = named.into();
        race.first.frames = vec![frame(kernels[0], "sum.cu", 3)];
        race.second.frames = vec![frame(kernels[1], "sum.cu", 4)];
        race
    };
    let within = of(RaceKind::MissingSync, Severity::Error, (4, 3), 1);
    let own = between(["sum", "sum"], "sum");
    let one = [(RaceKind::InterKernel, 1), (RaceKind::MissingSync, 1)];
    assert_eq!(left([&[within.clone(), own]]), [one]);
    let others = [between(["sum", "add"], "add"), between(["add", "sum"], "sum")];
    let twice = vec![(RaceKind::InterKernel, 2)];
    assert_eq!(left([&others]), [twice], "whichever of the two kernels came later");
    assert_eq!(left([&[others[0].clone(), within]]).len(), 2);
    let mut copies = [between(["sum", "sum"], "sum"), between(["sum", "sum"], "sum")];
    copies[0].first.origin = AccessOrigin::ApiCall;
    copies[1].second.origin = AccessOrigin::ApiCall;
    assert_eq!(left([&copies]).len(), 1);
}

/// The first one that was seen tells how to see it again.
#[test]
fn of_equals_the_first_stays() {
    let mut races = [error(RaceKind::Scope, 1), error(RaceKind::Scope, 1)];
    races[0].replay.seed = 5;
    races[1].replay.seed = 3;
    let mut entries = Vec::new();
    add_to_entries(&mut entries, races);
    assert_eq!((entries[0].replay.seed, entries[0].count), (5, 2));
}

#[test]
fn counts_never_overflow() {
    let most = error(RaceKind::Scope, u64::MAX);
    let mut entries = Vec::new();
    add_to_entries(&mut entries, [most.clone(), most, error(RaceKind::Lock, u64::MAX)]);
    assert_eq!(entries[0].occurrences(), u64::MAX);
    assert_eq!(entries[0].also_seen[0].count, u64::MAX);
}
