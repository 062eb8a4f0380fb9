use super::*;
use crate::Severity;
use crate::samples::race;

fn of(kind: RaceKind, severity: Severity, lines: (u32, u32), count: u64) -> Race {
    let mut race = race();
    (race.kind, race.severity, race.count) = (kind, severity, count);
    for (side, line) in [(&mut race.first, lines.0), (&mut race.second, lines.1)] {
        side.position.as_mut().unwrap().line = line;
    }
    race
}

/// What is left of races that came from several processes, or seeds: kind, first line and count.
fn left<const N: usize>(processes: [&[Race]; N]) -> Vec<(RaceKind, u32, u64)> {
    let mut report = Report::new(Summary::default());
    for races in processes {
        report.add_races(races.iter().cloned());
    }
    report.sort();
    let once = report.races.clone();
    report.sort();
    assert_eq!(report.races, once, "what is in order stays as it is");
    let summary = |race: &Race| (race.kind, race.first.position.as_ref().unwrap().line, race.count);
    report.races.iter().map(summary).collect()
}

#[test]
fn lines_that_write_the_same_value_and_race_otherwise_are_one_report() {
    let same = of(RaceKind::SameValue, Severity::Error, (3, 3), 5);
    let other = of(RaceKind::MissingSync, Severity::Error, (3, 3), 2);
    let one = [(RaceKind::MissingSync, 3, 7)];
    assert_eq!(left([&[same.clone(), other.clone()]]), one);
    assert_eq!(left([&[other.clone(), same.clone()]]), one);
    assert_eq!(left([std::slice::from_ref(&same), std::slice::from_ref(&other)]), one);
    assert_eq!(
        left([
            &[same.clone(), other.clone()],
            std::slice::from_ref(&same),
            &[other.clone(), same.clone()]
        ]),
        [(RaceKind::MissingSync, 3, 19)]
    );
}

#[test]
fn whichever_side_came_first_it_is_the_same_pair() {
    let same = of(RaceKind::SameValue, Severity::Info, (3, 4), 1);
    let other = of(RaceKind::Scope, Severity::Error, (4, 3), 1);
    assert_eq!(left([&[same, other]]), [(RaceKind::Scope, 4, 2)]);
}

#[test]
fn of_several_other_races_the_worst_takes_the_count() {
    let same = of(RaceKind::SameValue, Severity::Error, (3, 3), 10);
    let others = [
        of(RaceKind::WarpSync, Severity::Warning, (3, 3), 1),
        of(RaceKind::Scope, Severity::Error, (3, 3), 2),
        of(RaceKind::MissingSync, Severity::Error, (3, 3), 3),
    ];
    let wanted =
        [(RaceKind::MissingSync, 3, 13), (RaceKind::Scope, 3, 2), (RaceKind::WarpSync, 3, 1)];
    for turn in 0..4 {
        let mut races = others.to_vec();
        races.insert(turn, same.clone());
        races.rotate_left(turn);
        assert_eq!(left([&races]), wanted);
    }
}

#[test]
fn nothing_hides_what_is_worse_or_elsewhere() {
    let same = of(RaceKind::SameValue, Severity::Error, (3, 3), 1);
    let harmless = of(RaceKind::SameValue, Severity::Info, (3, 3), 1);
    assert_eq!(left([&[same.clone(), harmless]]).len(), 2);
    let elsewhere = [
        of(RaceKind::WarpSync, Severity::Warning, (3, 3), 1),
        of(RaceKind::MissingSync, Severity::Error, (3, 4), 1),
        of(RaceKind::BarrierDivergence, Severity::Error, (3, 3), 1),
        Race { kernel: "other".into(), ..of(RaceKind::MissingSync, Severity::Error, (3, 3), 1) },
    ];
    for other in elsewhere {
        assert_eq!(left([&[same.clone(), other.clone()]]).len(), 2, "{other:?}");
    }
}
