//! A run compared with what its program expects.

use std::fmt;

use warpsan_suite::{Expectation, describe_expectation};

use super::observed::{Observed, Place, Said};
use super::program::Program;

/// One thing that is wrong with a run, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// There is no program to run.
    NotBuilt(String),
    /// It did not end in its time.
    TimeOut,
    /// It crashed, or ended with another exit code than it should.
    End(String),
    /// A race was not found.
    Missed(String),
    /// A race was found under another kind.
    Kind(String),
    /// A race that is none was reported.
    Unexpected(String),
    /// Something was not looked at.
    NotCovered(String),
    /// A race was found, but where one side is was not known any more. Nothing is wrong, but little is said.
    StackLost(String),
}

impl Difference {
    /// The kind of it, in a word or two.
    pub fn kind(&self) -> &'static str {
        match self {
            Difference::NotBuilt(_) => "not built",
            Difference::TimeOut => "time-out",
            Difference::End(_) => "end",
            Difference::Missed(_) => "missed",
            Difference::Kind(_) => "kind",
            Difference::Unexpected(_) => "unexpected",
            Difference::NotCovered(_) => "not covered",
            Difference::StackLost(_) => "stack lost",
        }
    }

    /// Whether it makes the run a wrong one.
    pub fn is_wrong(&self) -> bool {
        !matches!(self, Difference::StackLost(_))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())?;
        match self {
            Difference::TimeOut => Ok(()),
            Difference::NotBuilt(text)
            | Difference::End(text)
            | Difference::Missed(text)
            | Difference::Kind(text)
            | Difference::Unexpected(text)
            | Difference::NotCovered(text)
            | Difference::StackLost(text) => write!(f, ": {text}"),
        }
    }
}

/// What a run amounts to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// What is wrong, or lost.
    pub differences: Vec<Difference>,
    /// Whether races were reported.
    pub has_races: bool,
    /// What was said, in words.
    pub said: String,
}

impl Judged {
    /// Whether the run is as it should be.
    pub fn is_right(&self) -> bool {
        !self.differences.iter().any(Difference::is_wrong)
    }

    /// Whether all races have both stacks.
    pub fn has_stacks(&self) -> bool {
        !self.differences.iter().any(|difference| matches!(difference, Difference::StackLost(_)))
    }
}

/// How a race and an expectation belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    /// Lines and kind are the same.
    Whole,
    /// One line is the same, and the other is not known any more.
    Lost,
    /// The lines are the same, and the kind is another.
    OtherKind,
}

/// Compares a run with what its program expects. Where `code_tells`, the exit code has to be the one that warpsan gives to
/// what it said; runtimes within a program know nothing of its children, and warn of more than races.
pub fn judge(program: &Program, observed: &Observed, code_tells: bool) -> Judged {
    let mut differences = Vec::new();
    if observed.is_late {
        differences.push(Difference::TimeOut);
    } else {
        differences.extend(end_difference(observed, code_tells));
        differences.extend(observed.not_covered.iter().cloned().map(Difference::NotCovered));
    }
    for (file, expectation) in program.expectations() {
        let best = observed.races.iter().filter_map(|race| matches(race, file, expectation)).min();
        let words = describe_expectation(expectation);
        match best {
            Some(Match::Whole) => {}
            Some(Match::Lost) => differences.push(Difference::StackLost(words)),
            Some(Match::OtherKind) => differences.push(Difference::Kind(words)),
            None => differences.push(Difference::Missed(words)),
        }
    }
    let is_expected = |race: &&Said| {
        program.expectations().any(|(file, expectation)| matches(race, file, expectation).is_some())
    };
    let unexpected = observed.races.iter().filter(|race| !is_expected(race));
    differences.extend(unexpected.map(|race| Difference::Unexpected(describe(race))));
    let said: Vec<String> = observed.races.iter().map(describe).collect();
    let said = if said.is_empty() { "no race".to_owned() } else { said.join("; ") };
    Judged { differences, has_races: !observed.races.is_empty(), said }
}

fn end_difference(observed: &Observed, code_tells: bool) -> Option<Difference> {
    if let Some(failure) = &observed.failure {
        return Some(Difference::End(failure.clone()));
    }
    let due = match (observed.races.is_empty(), observed.not_covered.is_empty()) {
        (false, _) => RACES,
        (true, false) => NOT_COVERED,
        (true, true) => 0,
    };
    let code = observed.code.map_or_else(|| "a signal".to_owned(), |code| code.to_string());
    (code_tells && observed.code != Some(due))
        .then(|| Difference::End(format!("it ended with {code} where {due} is due")))
}

/// The exit codes of warpsan's own verdicts.
const RACES: i32 = 1;
const NOT_COVERED: i32 = 3;

fn matches(race: &Said, file: usize, expectation: &Expectation) -> Option<Match> {
    let (one, other) = expectation.lines;
    let is = |place: &Place, line: u64| *place == Place::Line { file, line };
    let (earlier, later) = (&race.earlier, &race.later);
    let are = |earlier_line, later_line| is(earlier, earlier_line) && is(later, later_line);
    let is_kind = race.kind.as_ref().is_none_or(|kind| *kind == expectation.kind);
    let is_lost = *earlier == Place::Lost && (is(later, one) || is(later, other));
    match (are(one, other) || are(other, one), is_lost, is_kind) {
        (true, _, true) => Some(Match::Whole),
        (true, _, false) => Some(Match::OtherKind),
        (false, true, true) => Some(Match::Lost),
        (false, _, _) => None,
    }
}

fn describe(race: &Said) -> String {
    let words = |place: &Place| match place {
        Place::Line { file: 0, line } => format!("line {line}"),
        Place::Line { line, .. } => format!("line {line} of a plug-in"),
        Place::Elsewhere(text) => text.clone(),
        Place::Lost => "a lost stack".to_owned(),
    };
    let kind = race.kind.as_deref().unwrap_or("race");
    format!("{kind} between {} and {}", words(&race.earlier), words(&race.later))
}

#[cfg(test)]
mod tests;
