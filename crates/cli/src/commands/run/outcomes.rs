//! How one run of a program ended, or several.

use crate::exit;
use crate::merging::add_new;
use crate::process::{PrivateFolder, RunOutcome, UncheckedObject};
use crate::threads::ThreadProcess;
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use warpsan_report::{NotCovered, Verdict};
use warpsan_runtime::ProcessReport;

/// What came of all runs.
#[derive(Debug, Default)]
pub(super) struct Outcomes {
    /// How many runs there were.
    pub(super) count: u64,
    /// What their processes reported.
    pub(super) reports: Vec<ProcessReport>,
    /// What they said about their threads.
    pub(super) threads: Vec<ThreadProcess>,
    pub(super) unchecked: Vec<UncheckedObject>,
    /// What is missing in the evidence.
    pub(super) gaps: Vec<NotCovered>,
    pub(super) left_running: bool,
    /// One of them was ended because its time was over.
    pub(super) timed_out: bool,
    /// What was found is still there while these are.
    folders: Vec<PrivateFolder>,
    /// How the first ended that failed by itself.
    failure: Option<ExitStatus>,
    /// How the last ended.
    last: ExitStatus,
}

impl Outcomes {
    /// One more run.
    pub(super) fn add(&mut self, outcome: RunOutcome) {
        self.count += 1;
        self.reports.extend(outcome.reports);
        self.threads.extend(outcome.threads);
        self.unchecked.extend(outcome.unchecked);
        add_new(&mut self.gaps, outcome.gaps);
        self.left_running |= outcome.left_running;
        self.timed_out |= outcome.timed_out;
        self.folders.extend(outcome.folder);
        self.last = outcome.status;
        if !outcome.timed_out && !outcome.status.success() && self.failure.is_none() {
            self.failure = Some(outcome.status);
        }
    }

    /// The functions of the driver that processes missed.
    pub(super) fn unsupported_driver_functions(&self) -> BTreeSet<NotCovered> {
        let of_process = |process: &ProcessReport| process.unsupported_driver_functions.clone();
        self.reports.iter().flat_map(of_process).collect()
    }

    /// Somebody wants an end of it, and not only of the last run.
    pub(super) fn were_interrupted(&self) -> bool {
        matches!(self.last.signal(), Some(libc::SIGINT | libc::SIGTERM | libc::SIGHUP))
            && self.failure.is_some()
    }

    /// How a run ended, where that is worth saying.
    pub(super) fn in_words(&self) -> Option<String> {
        let words = exit::in_words(self.failure.unwrap_or(self.last))?;
        match self.count {
            1 => Some(words),
            _ => Some(format!("{words} in one of {} runs", self.count)),
        }
    }

    /// The code that warpsan ends with.
    pub(super) fn exit_code(&self, verdict: Verdict) -> u8 {
        let timed_out = self.timed_out && self.failure.is_none();
        exit::of_run(verdict, self.failure.unwrap_or(self.last), timed_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(all: &[(i32, bool)]) -> Outcomes {
        let mut outcomes = Outcomes::default();
        for &(status, timed_out) in all {
            outcomes.add(RunOutcome {
                status: ExitStatus::from_raw(status),
                timed_out,
                reports: Vec::new(),
                threads: Vec::new(),
                unchecked: Vec::new(),
                gaps: Vec::new(),
                left_running: false,
                folder: None,
            });
        }
        outcomes
    }

    #[test]
    fn the_first_failure_of_the_programs_own_counts() {
        let some = outcomes(&[(0, false), (9, true), (7 << 8, false), (3 << 8, false)]);
        assert_eq!(some.exit_code(Verdict::Clean), 7);
        assert_eq!(some.in_words().unwrap(), "the program ended with code 7 in one of 4 runs");
        assert!(some.timed_out);
        let some = outcomes(&[(9, true), (0, false)]);
        assert_eq!(some.exit_code(Verdict::Races), 1, "it was us who ended it");
        assert_eq!(
            outcomes(&[(7 << 8, false)]).in_words().unwrap(),
            "the program ended with code 7"
        );
    }

    #[test]
    fn an_interrupt_is_for_all_runs() {
        assert!(outcomes(&[(0, false), (libc::SIGINT, false)]).were_interrupted());
        assert!(!outcomes(&[(libc::SIGTERM, true)]).were_interrupted(), "its time was over");
        assert!(!outcomes(&[(libc::SIGSEGV, false)]).were_interrupted());
    }
}
