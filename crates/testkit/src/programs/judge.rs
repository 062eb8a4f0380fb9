//! A run compared with the record and the expectations of its program.

use std::fmt;

use serde_json::Value;

use super::program::Program;
use super::run::Run;
use super::sides::matches;
use crate::values::first_difference;
use warpsan_suite::{Answer, Reported, describe_expectation, describe_race};

/// How the note begins that warpsan makes when it has ended a program.
pub(crate) const TIME_OUT: &str = "what the program would have done after";

/// The exit codes of warpsan's own verdicts.
const RACES: u8 = 1;
const NOT_COVERED: u8 = 3;

/// How the note begins that a launch was stopped by a fault.
pub(crate) const STOPPED: &str = "the launch was stopped: ";

/// One thing that is wrong with a run, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// There is no program to run.
    NotBuilt(String),
    /// warpsan itself failed.
    NoReport(String),
    /// It did not end in its time.
    TimeOut(String),
    /// Its standard output differs.
    Stdout(String),
    /// Its exit code, or that of warpsan, differs.
    Exit(String),
    /// A race was not found.
    Missed(String),
    /// A race that is none was reported.
    Unexpected(String),
    /// Something was not looked at.
    NotCovered(String),
    /// Another run of the same program had another report.
    Changed(String),
}

impl Difference {
    /// The kind of it, in a word or two.
    pub fn kind(&self) -> &'static str {
        match self {
            Difference::NotBuilt(_) => "not built",
            Difference::NoReport(_) => "no report",
            Difference::TimeOut(_) => "time-out",
            Difference::Stdout(_) => "stdout",
            Difference::Exit(_) => "exit",
            Difference::Missed(_) => "missed",
            Difference::Unexpected(_) => "unexpected",
            Difference::NotCovered(_) => "not covered",
            Difference::Changed(_) => "changed",
        }
    }

    /// What exactly it is.
    pub fn detail(&self) -> &str {
        match self {
            Difference::NotBuilt(text)
            | Difference::NoReport(text)
            | Difference::TimeOut(text)
            | Difference::Stdout(text)
            | Difference::Exit(text)
            | Difference::Missed(text)
            | Difference::Unexpected(text)
            | Difference::NotCovered(text)
            | Difference::Changed(text) => text,
        }
    }

    fn concerns_output(&self) -> bool {
        !matches!(
            self,
            Difference::Missed(_)
                | Difference::Unexpected(_)
                | Difference::NotCovered(_)
                | Difference::Changed(_)
        )
    }

    fn concerns_verdict(&self) -> bool {
        !matches!(self, Difference::Stdout(_) | Difference::Exit(_))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind(), self.detail())
    }
}

/// All that is wrong with a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Nothing, if the run is right.
    pub differences: Vec<Difference>,
}

impl Judged {
    /// A program that could not even be run.
    pub fn not_built(error: &anyhow::Error) -> Self {
        Self { differences: vec![Difference::NotBuilt(format!("{error:#}"))] }
    }

    /// Adds what is wrong with a further run of the same program: it has to be the same in every byte.
    pub fn compare(&mut self, number: usize, first: &Run, other: &Run) {
        let reports =
            [first, other].map(|run| run.report.as_ref().map_or(Value::Null, Value::clone));
        let codes = [first, other].map(|run| run.ended.code);
        if codes[0] != codes[1] {
            let text =
                format!("run {number} ended with {:?}, the first with {:?}", codes[1], codes[0]);
            self.differences.push(Difference::Changed(text));
        } else if reports[0] != reports[1] {
            let [first, other] = reports.map(|report| format!("{report:#}"));
            let difference = first_difference(&first, &other).unwrap_or_default();
            let text = format!("run {number}: {difference}");
            self.differences.push(Difference::Changed(text));
        }
    }

    /// Whether it printed and ended as it did on a GPU.
    pub fn output_is_right(&self) -> bool {
        !self.differences.iter().any(Difference::concerns_output)
    }

    /// Whether the report has the races that the program names, and no others.
    pub fn verdict_is_right(&self) -> bool {
        !self.differences.iter().any(Difference::concerns_verdict)
    }

    /// Whether both are right.
    pub fn is_right(&self) -> bool {
        self.differences.is_empty()
    }
}

/// Compares a run with what the program did on a GPU and with what it says of its races.
pub fn judge(program: &Program, run: &Run) -> Judged {
    let said = || run.ended.stderr.lines().next().unwrap_or("nothing").to_owned();
    let fail = |difference| Judged { differences: vec![difference] };
    let report = match &run.report {
        Ok(report) => report,
        Err(error) => {
            return fail(Difference::NoReport(format!("{error:#}; it says: {}", said())));
        }
    };
    let answers: anyhow::Result<Vec<ReportOnFile>> =
        program.files.iter().map(|file| report_on(report, &file.path)).collect();
    let answers = match answers {
        Ok(answers) => answers,
        Err(error) => return fail(Difference::NoReport(format!("{error:#}"))),
    };
    let not_covered = &answers[0].not_covered;
    if not_covered.iter().any(|what| what.starts_with(TIME_OUT)) {
        return fail(Difference::TimeOut(format!("after {:.0} seconds", run.seconds())));
    }
    let mut differences = Vec::new();
    differences
        .extend(stdout_difference(&program.stdout, &run.ended.stdout).map(Difference::Stdout));
    let exit = exit_difference(program.head.exit, run.ended.code, report, &answers[0]);
    differences.extend(exit.map(|exit| Difference::Exit(format!("{exit}; it says: {}", said()))));
    differences.extend(race_differences(program, &answers));
    differences.extend(gaps(program, not_covered));
    Judged { differences }
}

/// What should have been covered. The rest of a launch that a fault stops cannot be, and the report has to say so.
fn gaps(program: &Program, not_covered: &[String]) -> Vec<Difference> {
    let is_due = |what: &&String| program.head.is_stopped && what.starts_with(STOPPED);
    let gap = |what: &String| Difference::NotCovered(what.clone());
    let mut gaps: Vec<Difference> =
        not_covered.iter().filter(|what| !is_due(what)).map(gap).collect();
    if program.head.is_stopped && !not_covered.iter().any(|what| is_due(&what)) {
        gaps.push(Difference::NotCovered("no word of the launch that was stopped".to_owned()));
    }
    gaps
}

/// A report, with the lines of one of a program's files.
struct ReportOnFile {
    races: Vec<Reported>,
    not_covered: Vec<String>,
}

fn report_on(report: &Value, file: &std::path::Path) -> anyhow::Result<ReportOnFile> {
    match Answer::of_report(report, file) {
        Answer::Checked { races, not_covered } => Ok(ReportOnFile { races, not_covered }),
        Answer::Failure(message) => anyhow::bail!(message),
    }
}

fn stdout_difference(expected: &str, found: &str) -> Option<String> {
    let in_lines = first_difference(expected, found);
    in_lines.or_else(|| (expected != found).then(|| "the ends of lines differ".to_owned()))
}

/// What is wrong with the program's own exit code, or with what warpsan made of it.
fn exit_difference(
    expected: u8,
    code: Option<i32>,
    report: &Value,
    found: &ReportOnFile,
) -> Option<String> {
    let own = own_code(report);
    if own != expected {
        return Some(format!("the program ends with {own}, on the GPU with {expected}"));
    }
    let has_errors = found.races.iter().any(|race| race.severity == "error");
    let due = match (own, has_errors, found.not_covered.is_empty()) {
        (_, false, false) => NOT_COVERED,
        (0, true, _) => RACES,
        (own, _, _) => own,
    };
    if code == Some(i32::from(due)) {
        return None;
    }
    let code = code.map_or_else(|| "a signal".to_owned(), |code| code.to_string());
    Some(format!("warpsan ends with {code} where {due} is due"))
}

/// The exit code of the program itself: the report says so if it is not 0.
fn own_code(report: &Value) -> u8 {
    let words = report["summary"]["program"].as_str().unwrap_or_default();
    let number = |prefix: &str| -> Option<u8> { words.strip_prefix(prefix)?.trim().parse().ok() };
    let signal =
        number("the program was ended by signal ").map(|signal| 128_u8.wrapping_add(signal));
    number("the program ended with code ").or(signal).unwrap_or(0)
}

fn race_differences(program: &Program, answers: &[ReportOnFile]) -> Vec<Difference> {
    let mut differences = Vec::new();
    let count = answers[0].races.len();
    let mut is_expected = vec![false; count];
    for expected in program.expectations() {
        let text = &program.files[expected.file].text;
        let mut is_met = false;
        for (race, is_expected) in answers[expected.file].races.iter().zip(&mut is_expected) {
            if matches(race, expected.expectation, text) {
                is_met = true;
                *is_expected = true;
            }
        }
        if !is_met {
            differences.push(Difference::Missed(describe_expectation(expected.expectation)));
        }
    }
    for index in (0..count).filter(|index| !is_expected[*index]) {
        // The file with the most lines of the race says the most about it.
        let known = |race: &&Reported| race.sides.iter().filter(|side| side.line.is_some()).count();
        let race = answers.iter().filter_map(|found| found.races.get(index)).max_by_key(known);
        differences.extend(race.map(|race| Difference::Unexpected(describe_race(race))));
    }
    differences
}

#[cfg(test)]
mod tests;
