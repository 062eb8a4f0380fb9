//! Answers compared with expectations: which were met, and what is wrong, with the seeds that show it.

use std::fmt;

use serde::Serialize;

use super::expectation::{Certainty, Expectation};
use super::program::Program;
use super::report::{Answer, Reported};

/// What is wrong with the answers about one program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What it is.
    pub what: String,
    /// The seeds that show it.
    pub seeds: Vec<u64>,
}

/// What the answers about one program amount to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Expectations that were met.
    pub met: usize,
    /// Different reports that nothing expects.
    pub unexpected: usize,
    /// Everything that was not right.
    pub problems: Vec<Problem>,
}

impl Verdict {
    /// Whether there is no problem.
    pub fn is_right(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Sums over all programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// All programs.
    pub programs: usize,
    /// Those that expect a race.
    pub racy: usize,
    /// Expectations of all programs.
    pub expectations: usize,
    /// Those that were met.
    pub met: usize,
    /// Programs with a problem.
    pub wrong: usize,
}

impl Totals {
    /// Counts programs with their verdicts.
    pub fn of<'a>(verdicts: impl IntoIterator<Item = (&'a Program, &'a Verdict)>) -> Self {
        let mut totals = Totals::default();
        for (program, verdict) in verdicts {
            totals.programs += 1;
            totals.racy += usize::from(program.is_racy());
            totals.expectations += program.expectations.len();
            totals.met += verdict.met;
            totals.wrong += usize::from(!verdict.is_right());
        }
        totals
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} programs, {} racy and {} clean: {} of {} expectations met, {} programs wrong",
            self.programs,
            self.racy,
            self.programs - self.racy,
            self.met,
            self.expectations,
            self.wrong,
        )
    }
}

/// Compares the answers, each with its seed, with what the program expects.
pub fn judge(program: &Program, answers: &[(u64, Answer)]) -> Verdict {
    let mut problems = Problems::default();
    let (mut met, mut unexpected) = (0, Vec::new());
    for expectation in &program.expectations {
        let without: Vec<u64> = answers
            .iter()
            .filter(|(_, answer)| !shows(answer, expectation))
            .map(|(seed, _)| *seed)
            .collect();
        let is_met = match expectation.certainty {
            Certainty::EverySchedule => without.is_empty(),
            Certainty::SomeSchedules => without.len() < answers.len(),
        };
        if is_met && !answers.is_empty() {
            met += 1;
        } else {
            without.iter().for_each(|seed| {
                problems.add(format!("missed: {}", describe_expectation(expectation)), *seed);
            });
        }
    }
    for (seed, answer) in answers {
        match answer {
            Answer::Failure(message) => problems.add(message.clone(), *seed),
            Answer::Checked { races, not_covered } => {
                let is_expected = |race: &Reported| {
                    program.expectations.iter().any(|expectation| matches(race, expectation))
                };
                for race in races.iter().filter(|race| !is_expected(race)) {
                    let what = describe_race(race);
                    problems.add(format!("not expected: {what}"), *seed);
                    if !unexpected.contains(&what) {
                        unexpected.push(what);
                    }
                }
                if let Some(what) = problem_with_groups(program, races) {
                    problems.add(what, *seed);
                }
                if let Some(what) = problem_with_advice(program, races) {
                    problems.add(what, *seed);
                }
                for item in not_covered.iter().filter(|_| !may_stop(program)) {
                    problems.add(format!("not covered: {item}"), *seed);
                }
            }
        }
    }
    Verdict { met, unexpected: unexpected.len(), problems: problems.0 }
}

/// What is wrong with the number of causes that a report tells apart.
fn problem_with_groups(program: &Program, races: &[Reported]) -> Option<String> {
    let expected = program.report.groups?;
    let mut groups: Vec<Option<u64>> = races.iter().map(|race| race.group).collect();
    groups.sort_unstable();
    groups.dedup();
    (groups.len() != expected as usize || groups.contains(&None))
        .then(|| format!("{} groups in place of {expected}", groups.len()))
}

/// What is wrong with the advice that stands first in a report.
fn problem_with_advice(program: &Program, races: &[Reported]) -> Option<String> {
    let expected = program.report.advice.as_deref()?;
    let printed = races.first().map_or("nothing", |race| race.advice.as_str());
    (!is_first_advice(expected, printed))
        .then(|| format!("the first advice is `{printed}` in place of `{expected}`"))
}

/// Whether advice begins with this one: it may go on with why, with how, or with what else would do.
fn is_first_advice(first: &str, printed: &str) -> bool {
    let goes_on = [",", ":", ";", " (", " or "];
    printed.strip_prefix(first).is_some_and(|rest| {
        rest.is_empty() || goes_on.iter().any(|separator| rest.starts_with(separator))
    })
}

/// Whether a launch may be stopped, so that a part is not covered: at a barrier that can never complete.
fn may_stop(program: &Program) -> bool {
    program.expectations.iter().any(|expectation| expectation.kind == "barrier-divergence")
}

/// Problems with the seeds of each.
#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn add(&mut self, what: String, seed: u64) {
        match self.0.iter_mut().find(|problem| problem.what == what) {
            Some(problem) if problem.seeds.contains(&seed) => {}
            Some(problem) => problem.seeds.push(seed),
            None => self.0.push(Problem { what, seeds: vec![seed] }),
        }
    }
}

fn shows(answer: &Answer, expectation: &Expectation) -> bool {
    match answer {
        Answer::Checked { races, .. } => races.iter().any(|race| matches(race, expectation)),
        Answer::Failure(_) => false,
    }
}

fn matches(race: &Reported, expectation: &Expectation) -> bool {
    race.lines() == Some(expectation.lines)
        && race.kind == expectation.kind
        && expectation.severity.as_ref().is_none_or(|severity| *severity == race.severity)
}

/// An expectation in words.
pub fn describe_expectation(expectation: &Expectation) -> String {
    let (one, other) = expectation.lines;
    let severity = expectation.severity.as_deref().unwrap_or_default();
    let kind = format!("{} {severity}", expectation.kind);
    format!("{} on lines {one} and {other}", kind.trim_end())
}

/// A reported race in words.
pub fn describe_race(race: &Reported) -> String {
    let [one, other] = &race.sides;
    let line = |line: Option<u64>| line.map_or_else(|| "?".to_owned(), |line| line.to_string());
    format!(
        "{} {} on lines {} ({}) and {} ({})",
        race.kind,
        race.severity,
        line(one.line),
        one.instruction,
        line(other.line),
        other.instruction
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expectation::expectations_of;
    use crate::program::ReportExpectation;
    use crate::report::Side;

    /// A program with these comments, one on each line from the first.
    fn program(comments: &[&str]) -> Program {
        let expectations = expectations_of(&comments.join("\n"), "hb").expect("comments");
        Program {
            name: "a.cu".to_owned(),
            path: "a.cu".into(),
            expectations,
            flags: Vec::new(),
            report: ReportExpectation::default(),
        }
    }

    fn race(kind: &str, severity: &str, lines: (u64, u64)) -> Reported {
        let side = |line| Side { line: Some(line), instruction: String::new() };
        let sides = [side(lines.0), side(lines.1)];
        Reported {
            kind: kind.to_owned(),
            severity: severity.to_owned(),
            sides,
            is_within_a_warp: false,
            count: 1,
            group: Some(1),
            advice: "put a barrier there, or go".to_owned(),
        }
    }

    /// Problems of a run for each of these answers.
    fn problems(program: &Program, answers: &[&[Reported]]) -> Vec<Problem> {
        let answer = |races: &&[Reported]| Answer::Checked {
            races: races.to_vec(),
            not_covered: Vec::new(),
        };
        let answers: Vec<(u64, Answer)> = (1..).zip(answers.iter().map(answer)).collect();
        judge(program, &answers).problems
    }

    #[test]
    fn all_has_to_be_covered_unless_a_barrier_cannot_complete() {
        let stopped = |races: &[Reported]| {
            let not_covered = vec!["the launch was stopped (k)".to_owned()];
            [(1, Answer::Checked { races: races.to_vec(), not_covered })]
        };
        let found = judge(&program(&[""]), &stopped(&[])).problems;
        assert_eq!(found[0].what, "not covered: the launch was stopped (k)");
        let divergent = program(&["//~ race: barrier-divergence (with itself)"]);
        let race = race("barrier-divergence", "error", (1, 1));
        assert!(judge(&divergent, &stopped(&[race])).is_right());
    }

    #[test]
    fn an_expectation_is_met_by_lines_and_kind_and_severity() {
        let racy = program(&["//~ race: scope error (with line 3)"]);
        assert_eq!(problems(&racy, &[&[race("scope", "error", (1, 3))]]), []);
        for wrong in [
            race("missing-sync", "error", (1, 3)),
            race("scope", "warning", (1, 3)),
            race("scope", "error", (1, 2)),
        ] {
            assert_eq!(problems(&racy, &[&[wrong]]).len(), 2, "missed, and one not expected");
        }
        let any_severity = program(&["//~ race: scope (with line 3)"]);
        assert_eq!(problems(&any_severity, &[&[race("scope", "warning", (1, 3))]]), []);
    }

    #[test]
    fn every_seed_has_to_show_it_unless_the_program_says_otherwise() {
        let found: &[Reported] = &[race("scope", "error", (1, 1))];
        let sure = program(&["//~ race: scope (with itself)"]);
        let missed = problems(&sure, &[found, &[], &[]]);
        assert_eq!(missed.len(), 1);
        assert_eq!(missed[0].seeds, [2, 3]);
        let unsure = program(&["//~ race: scope (with itself) in some schedules"]);
        assert_eq!(problems(&unsure, &[&[], found]), []);
        assert_eq!(problems(&unsure, &[&[], &[]]).len(), 1);
        assert!(!judge(&unsure, &[(1, Answer::Failure("timeout".to_owned()))]).is_right());
    }

    #[test]
    fn a_report_has_as_many_groups_as_the_program_says() {
        let mut racy = program(&["//~ race: scope (with itself)", "//~ race: scope (with itself)"]);
        racy.report.groups = Some(1);
        let of_group = |line, group| Reported { group, ..race("scope", "error", (line, line)) };
        let found = |group| problems(&racy, &[&[of_group(1, Some(1)), of_group(2, group)]]);
        assert_eq!(found(Some(1)), []);
        assert_eq!(found(Some(2))[0].what, "2 groups in place of 1");
        assert_eq!(found(None)[0].what, "2 groups in place of 1");
        let none = problems(&racy, &[&[]]);
        assert!(none.iter().any(|problem| problem.what == "0 groups in place of 1"), "{none:?}");
    }

    #[test]
    fn the_first_advice_is_that_of_the_first_group_up_to_its_alternatives() {
        let with_advice = |advice: &str| {
            let mut racy = program(&["//~ race: scope (with itself)"]);
            racy.report.advice = Some(advice.to_owned());
            problems(&racy, &[&[race("scope", "error", (1, 1))]])
        };
        assert_eq!(with_advice("put a barrier there"), []);
        assert_eq!(with_advice("put a barrier there, or go"), []);
        for wrong in ["put a barrier", "go", "put a barrier there, or go away", "put a fence there"]
        {
            let found = with_advice(wrong);
            assert!(found[0].what.starts_with("the first advice is `put a"), "{found:?}");
        }
    }

    #[test]
    fn a_clean_program_has_no_report_of_any_severity() {
        let clean = program(&[""]);
        assert_eq!(problems(&clean, &[&[]]), []);
        let found = problems(&clean, &[&[race("same-value", "info", (4, 5))]]);
        assert!(found[0].what.starts_with("not expected: same-value info on lines 4"), "{found:?}");
        assert!(!judge(&clean, &[(1, Answer::Failure("timeout".to_owned()))]).is_right());
    }

    #[test]
    fn totals_count_programs_and_expectations() {
        let (racy, clean) = (program(&["//~ race: scope (with itself)"]), program(&[""]));
        let right = Verdict { met: 1, unexpected: 0, problems: Vec::new() };
        let problem = Problem { what: "missed".to_owned(), seeds: vec![1] };
        let wrong = Verdict { met: 0, unexpected: 1, problems: vec![problem] };
        let totals = Totals::of([(&racy, &right), (&clean, &wrong)]);
        let expected = Totals { programs: 2, racy: 1, expectations: 1, met: 1, wrong: 1 };
        assert_eq!(totals, expected);
        assert!(totals.to_string().starts_with("2 programs, 1 racy and 1 clean: 1 of 1"));
    }
}
