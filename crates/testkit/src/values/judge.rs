//! One run of a program, and whether it is what the GPU does.

use std::path::Path;
use std::process::Command;

use anyhow::Context;

use super::report::{NOT_COVERED, Report};
use super::{Limits, Program, run_limited};
use crate::limited::Ended;

/// Whether a run was right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It printed what the GPU printed, and nothing was reported.
    Same,
    /// The same, but the detector does not know everything that its kernels use.
    SameNotCovered,
    /// In words.
    Different(String),
}

/// What came of one run.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Whether it was right.
    pub verdict: Verdict,
    /// The time of the whole command.
    pub seconds: f64,
    /// Launches of kernels.
    pub launches: u64,
    /// Accesses of threads to shared and global memory.
    pub accesses: u64,
}

/// Runs an executable under warpsan, with flags for `warpsan run`, and judges what it does.
pub fn judge(
    warpsan: &Path,
    executable: &Path,
    program: &Program,
    flags: &[String],
    limits: Limits,
) -> anyhow::Result<Judged> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let file = folder.path().join("report.json");
    let mut command = Command::new(warpsan);
    command.args(["run", "--format", "json", "--output"]).arg(&file).arg(limits.flag());
    command.args(flags).arg("--").arg(executable);
    let ended = run_limited(&mut command, folder.path(), limits)?;
    let report = Report::read(&file);
    let (launches, accesses) =
        report.as_ref().map_or((0, 0), |report| (report.launches, report.accesses));
    let verdict = verdict(&ended, &report, &program.expected);
    Ok(Judged { verdict, seconds: ended.time.as_secs_f64(), launches, accesses })
}

fn verdict(ended: &Ended, report: &anyhow::Result<Report>, expected: &str) -> Verdict {
    let different = |what: String| Verdict::Different(what);
    let report = match report {
        Ok(report) => report,
        Err(error) => {
            let said = ended.stderr.lines().next().unwrap_or_default();
            return different(format!("{error:#}; warpsan says: {said}"));
        }
    };
    if let Some(race) = report.races.first() {
        return different(format!("a race is reported: {race}"));
    }
    if let Some(what) = report.unknown_gap() {
        return different(format!("not covered: {what}"));
    }
    if let Some(difference) = first_difference(expected, &ended.stdout) {
        return different(difference);
    }
    match (ended.code, report.not_covered.is_empty()) {
        (Some(0), true) => Verdict::Same,
        (Some(NOT_COVERED), false) => Verdict::SameNotCovered,
        (code, _) => {
            let code = code.map_or("a signal".to_owned(), |code| format!("code {code}"));
            different(format!("it ends with {code}"))
        }
    }
}

/// The first line in which the output differs from what the GPU printed.
pub(crate) fn first_difference(expected: &str, found: &str) -> Option<String> {
    let (mut expected, mut found) = (expected.lines(), found.lines());
    let mut number = 0;
    loop {
        number += 1;
        let message = match (expected.next(), found.next()) {
            (None, None) => return None,
            (one, other) if one == other => continue,
            (Some(one), Some(other)) => format!("the GPU prints `{one}`, warpsan `{other}`"),
            (Some(one), None) => format!("the GPU prints `{one}`, warpsan nothing more"),
            (None, Some(other)) => format!("the GPU prints nothing more, warpsan `{other}`"),
        };
        return Some(format!("line {number}: {message}"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::KNOWN_GAPS;
    use super::*;

    fn ended(code: i32, stdout: &str) -> Ended {
        let (stdout, stderr) = (stdout.to_owned(), String::new());
        let time = std::time::Duration::ZERO;
        Ended { code: Some(code), signal: None, hung: false, time, memory: 0, stdout, stderr }
    }

    fn judged(code: i32, stdout: &str, report: Report) -> Verdict {
        verdict(&ended(code, stdout), &Ok(report), "ok a\nok b\n")
    }

    #[test]
    fn every_kind_of_difference_is_named() {
        let clean = Report::default;
        assert_eq!(judged(0, "ok a\nok b\n", clean()), Verdict::Same);
        let differs = |verdict: Verdict, text: &str| match verdict {
            Verdict::Different(message) => assert!(message.contains(text), "{message}"),
            other => panic!("{other:?} instead of `{text}`"),
        };
        differs(
            judged(0, "ok a\nok c\n", clean()),
            "line 2: the GPU prints `ok b`, warpsan `ok c`",
        );
        differs(judged(0, "ok a\n", clean()), "warpsan nothing more");
        differs(judged(0, "ok a\nok b\nok c\n", clean()), "warpsan `ok c`");
        differs(judged(1, "ok a\nok b\n", clean()), "code 1");
        differs(judged(3, "ok a\nok b\n", clean()), "code 3");
        let races = Report { races: vec!["scope".to_owned()], ..clean() };
        differs(judged(0, "ok a\nok b\n", races), "a race is reported: scope");
        let gap = Report { not_covered: vec!["time".to_owned()], ..clean() };
        differs(judged(3, "ok a\nok b\n", gap), "not covered: time");
        let broken = verdict(&ended(2, ""), &Err(anyhow::anyhow!("no report")), "");
        differs(broken, "no report");
    }

    #[test]
    fn a_known_gap_of_the_detector_is_counted_apart() {
        let gap =
            || Report { not_covered: vec![format!("{}x", KNOWN_GAPS[0])], ..Report::default() };
        assert_eq!(judged(3, "ok a\nok b\n", gap()), Verdict::SameNotCovered);
        assert!(matches!(judged(3, "ok a\n", gap()), Verdict::Different(_)));
    }
}
