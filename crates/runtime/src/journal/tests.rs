use super::*;
use crate::report_file::read_folder;
use crate::session::sample_race;

const TIMES: u64 = 10_000_000;

/// However often a race is seen, its report file stays small.
#[test]
fn a_race_that_is_seen_very_often_needs_few_records() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::to_file(ReportFile::create(folder.path()).unwrap());
    let race = sample_race();
    let first = race.count;
    let key = race.key();
    journal.race(race.clone());
    for _ in 0..TIMES {
        journal.seen_again(&key, 1);
    }
    journal.race(race);
    journal.write(Record::End);
    let path = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let bytes = path.metadata().unwrap().len();
    assert!(bytes < 10_000, "{bytes} bytes");
    let reports = read_folder(folder.path()).unwrap();
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
