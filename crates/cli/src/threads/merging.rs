//! One report of all processes with threads.

use super::reading::ThreadProcess;
use super::symbols::Symbols;
use super::{ThreadDetector, races};
use crate::merging::add_new;
use std::collections::BTreeSet;
use warpsan_report::{NotCovered, Race, Report, ThreadStatistic, ThreadSummary};
use warpsan_thread_report::{LostRecord, Statistic};

/// Adds what processes said about their threads. Nothing changes where none was checked.
pub(crate) fn add_processes(report: &mut Report, processes: &[ThreadProcess], statistics: bool) {
    let mut symbols = Symbols::default();
    for process in processes {
        add_process(report, process, statistics, &mut symbols);
    }
}

fn add_process(
    report: &mut Report,
    process: &ThreadProcess,
    statistics: bool,
    symbols: &mut Symbols,
) {
    add_new(&mut report.not_covered, process.lost.iter().map(not_covered).collect());
    if !process.is_whole {
        add_new(&mut report.not_covered, vec![cut_off()]);
    }
    let summary = report.summary.threads.get_or_insert_with(ThreadSummary::default);
    if let Some(start) = &process.start {
        let detector = ThreadDetector::of_name(&start.detector);
        summary.without_detection = detector.is_some_and(|detector| !detector.finds_races());
        summary.detector.clone_from(&start.detector);
    }
    summary.processes += 1;
    summary.unended_processes += u64::from(process.end.is_none());
    summary.threads += process.threads();
    if let Some(end) = process.end.as_ref().filter(|_| statistics) {
        end.statistics.iter().for_each(|one| add_statistic(&mut summary.statistics, one));
    }
    let races: Vec<Race> = process
        .races
        .iter()
        .map(|record| races::race(record, process.count(record), symbols))
        .collect();
    add_new(&mut summary.without_line_information, without_lines(&races));
    report.add_races(races);
}

/// The files of accesses that have a stack and no line in it.
fn without_lines(races: &[Race]) -> Vec<String> {
    let sides = races.iter().flat_map(|race| [&race.first, &race.second]);
    let innermost = sides.filter(|access| access.position.is_none());
    let files = innermost.filter_map(|access| {
        let place = access.frames.first()?.function.trim_end_matches(')');
        let (file, _) = place.rsplit(" (").next()?.rsplit_once("+0x")?;
        Some(file.to_string())
    });
    files.collect::<BTreeSet<_>>().into_iter().collect()
}

fn not_covered(lost: &LostRecord) -> NotCovered {
    let LostRecord { what, place, advice } = lost.clone();
    NotCovered { what, place, advice }
}

fn cut_off() -> NotCovered {
    NotCovered {
        what: "the end of a process's report about its threads, which is cut off or damaged"
            .to_string(),
        place: "a process of the program".to_string(),
        advice: "see whether the process was killed, and run it again".to_string(),
    }
}

/// Figures of several processes are added up.
fn add_statistic(all: &mut Vec<ThreadStatistic>, more: &Statistic) {
    let found = all.iter_mut().find(|one| one.name == more.name);
    match found {
        Some(one) => {
            one.value = number(one.value.as_f64().unwrap_or_default() + more.value);
        }
        None => all.push(ThreadStatistic { name: more.name.clone(), value: number(more.value) }),
    }
}

/// A whole number as one, and others with as many digits as anybody reads.
fn number(value: f64) -> serde_json::Number {
    let rounded = (value * 1000.0).round() / 1000.0;
    match rounded >= 0.0 && rounded.fract() == 0.0 && rounded < 2f64.powi(53) {
        true => (rounded as u64).into(),
        false => serde_json::Number::from_f64(rounded).unwrap_or_else(|| 0.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::races::tests::record;
    use warpsan_report::{Summary, Verdict};
    use warpsan_thread_report::{End, Start};

    fn process(end: Option<End>) -> ThreadProcess {
        let start = Start {
            process: 7,
            fork_of: None,
            detector: "slimfast".to_string(),
            program: "/bin/app".to_string(),
        };
        ThreadProcess { start: Some(start), end, is_whole: true, ..ThreadProcess::default() }
    }

    fn end(value: f64) -> Option<End> {
        let statistics = vec![Statistic { name: "accesses".to_string(), value }];
        Some(End { threads: 3, statistics })
    }

    fn report(processes: &[ThreadProcess]) -> Report {
        let mut report = Report::new(Summary::default());
        add_processes(&mut report, processes, true);
        report
    }

    #[test]
    fn nothing_is_said_where_no_process_was_checked() {
        assert_eq!(report(&[]), Report::new(Summary::default()));
    }

    #[test]
    fn processes_are_added_up() {
        let report = report(&[process(end(2.0)), process(end(0.5)), process(None)]);
        let summary = report.summary.threads.as_ref().expect("threads");
        assert_eq!((summary.processes, summary.unended_processes, summary.threads), (3, 1, 7));
        assert_eq!(summary.statistics[0].value.to_string(), "2.5");
        assert_eq!((summary.detector.as_str(), summary.without_detection), ("slimfast", false));
        assert_eq!(report.verdict(false), Verdict::Clean);
    }

    #[test]
    fn one_pair_of_lines_is_one_race_whichever_side_came_first() {
        let mut one = process(end(1.0));
        one.races.push(record());
        one.counts.insert(record().number, 5);
        let mut other = process(end(1.0));
        let mut swapped = record();
        std::mem::swap(&mut swapped.first, &mut swapped.second);
        other.races.push(swapped);
        let report = report(&[one, other]);
        assert_eq!(report.races.len(), 1);
        assert_eq!(report.races[0].count, 6);
        assert_eq!(report.verdict(false), Verdict::Races);
    }

    #[test]
    fn what_was_lost_is_not_clean() {
        let mut lossy = process(end(1.0));
        let lost = LostRecord { what: "w".into(), place: "p".into(), advice: "a".into() };
        lossy.lost = vec![lost.clone(), lost];
        assert_eq!(report(&[lossy]).not_covered.len(), 1);
        let cut = ThreadProcess { is_whole: false, ..process(None) };
        assert_eq!(report(&[cut]).verdict(false), Verdict::NotCovered);
    }

    #[test]
    fn figures_are_whole_where_they_can_be() {
        assert_eq!(number(1e6).to_string(), "1000000");
        assert_eq!(number(1.23456).to_string(), "1.235");
        assert_eq!(number(f64::NAN).to_string(), "0");
    }
}
