//! One report of several processes, and of several seeds.

use std::collections::BTreeSet;
use warpsan_report::Report;
use warpsan_runtime::{ProcessReport, add_statistics};

/// Adds what a process had to say. Of a race that is known the one that was added first stays, with
/// its seed.
pub(crate) fn add_process(report: &mut Report, process: ProcessReport) {
    let summary = &mut report.summary;
    summary.processes += 1;
    summary.unended_processes += u64::from(!process.ended);
    summary.launches += process.launches;
    summary.unwatched_launches += process.unwatched_launches;
    summary.accesses += process.accesses;
    add_new(&mut summary.kernels, process.kernels);
    add_new(&mut summary.without_line_information, process.without_line_information);
    add_statistics(&mut summary.statistics, process.statistics);
    add_new(&mut report.not_covered, process.not_covered);
    add_new(&mut report.limitations, process.limitations);
    report.add_races(process.races);
}

/// Adds what is not there yet: many processes say the same.
pub(crate) fn add_new<T: Clone + Ord>(all: &mut Vec<T>, more: Vec<T>) {
    let mut known: BTreeSet<T> = all.iter().cloned().collect();
    all.extend(more.into_iter().filter(|one| known.insert(one.clone())));
}
