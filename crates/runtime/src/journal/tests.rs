use super::*;
use crate::report_log::{Frames, process_reports};
use crate::session::sample_race;
use warpsan_evidence::{LogKeeper, StreamKind};
use warpsan_report::{RaceKind, Severity};

const TIMES: u64 = 10_000_000;

/// However often a race is seen, its report stays small.
#[test]
fn a_race_that_is_seen_very_often_needs_few_records() {
    let keeper: &'static LogKeeper = Box::leak(Box::new(LogKeeper::in_memory().unwrap()));
    let mut journal = Journal::to_log(Frames::new(keeper.log().stream(StreamKind::Session)));
    let race = sample_race();
    let first = race.count;
    let key = race.key();
    journal.race(race.clone());
    for _ in 0..TIMES {
        journal.seen_again(&key, 1);
    }
    journal.race(race);
    journal.write(Record::End);
    let evidence = keeper.evidence();
    let bytes = evidence.streams[0].1.len();
    assert!(bytes < 10_000, "{bytes} bytes");
    let reports = process_reports(&evidence);
    assert_eq!(reports[0].races.len(), 1);
    assert_eq!(reports[0].races[0].count, TIMES + 2 * first);
}

/// What is not written yet is in the report of a session in memory.
#[test]
fn no_count_is_lost() {
    let mut journal = Journal::to_memory();
    let race = sample_race();
    let (first, key) = (race.count, race.key());
    journal.race(race);
    for times in 1..=5 {
        journal.seen_again(&key, times);
    }
    assert_eq!(journal.into_report().races[0].count, first + 15);
}

/// A pair of lines is one entry of a process, and what it was seen as is counted kind by kind.
#[test]
fn a_pair_of_lines_that_is_seen_as_several_kinds_is_one_race_of_the_process() {
    let keeper: &'static LogKeeper = Box::leak(Box::new(LogKeeper::in_memory().unwrap()));
    let log = Journal::to_log(Frames::new(keeper.log().stream(StreamKind::Session)));
    let seen_as = |kind, severity| Race { kind, severity, count: 1, ..sample_race() };
    let sync = seen_as(RaceKind::MissingSync, Severity::Error);
    let scope = seen_as(RaceKind::Scope, Severity::Error);
    let same = seen_as(RaceKind::SameValue, Severity::Info);
    let write_down = |journal: &mut Journal| {
        for race in [&same, &sync, &scope, &same] {
            journal.race(race.clone());
        }
        journal.seen_again(&sync.key(), 4);
        journal.seen_again(&scope.key(), 7);
    };
    let check = |races: &[Race]| {
        let [race] = races else { panic!("{races:?}") };
        let kinds: Vec<_> = race.kinds().collect();
        let wanted = [(RaceKind::Scope, 8), (RaceKind::MissingSync, 5), (RaceKind::SameValue, 2)];
        assert_eq!((race.severity, kinds), (Severity::Error, wanted.to_vec()));
    };
    for mut journal in [log, Journal::to_memory()] {
        write_down(&mut journal);
        match journal.destination {
            Destination::Memory(_) => check(&journal.into_report().races),
            Destination::Log(_) => {
                journal.write(Record::End);
                check(&process_reports(&keeper.evidence())[0].races);
            }
        }
    }
}
