use super::*;
use crate::report_log::{Frames, process_reports};
use crate::session::sample_race;
use warpsan_evidence::{LogKeeper, StreamKind};

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
