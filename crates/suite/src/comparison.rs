//! What several detectors make of a suite, beside each other.

use std::ops::AddAssign;

use serde::Serialize;
use warpsan_detect::{Specification, hb};

use crate::case::Case;
use crate::judge::{Problem, judge};
use crate::report::Answer;

/// The detector whose definition the others are compared with.
static YARDSTICK: &Specification = &hb::SPECIFICATION;

/// How many races were found, missed and made up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Expected, and reported.
    pub found: usize,
    /// Expected, and not reported.
    pub missed: usize,
    /// Reported, and not expected.
    #[serde(rename = "false")]
    pub unexpected: usize,
    /// Programs about which there was no answer.
    pub failed: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.found += other.found;
        self.missed += other.missed;
        self.unexpected += other.unexpected;
        self.failed += other.failed;
    }
}

impl Counts {
    /// Whether all is as it should be.
    pub fn is_right(&self) -> bool {
        self.missed + self.unexpected + self.failed == 0
    }

    /// In a few words.
    pub fn words(&self) -> String {
        let parts = [
            (self.found, "found"),
            (self.missed, "missed"),
            (self.unexpected, "false"),
            (self.failed, "failed"),
        ];
        let counted = parts.iter().filter(|(number, _)| *number > 0);
        let words: Vec<String> = counted.map(|(number, word)| format!("{number} {word}")).collect();
        if words.is_empty() { "clean".to_owned() } else { words.join(", ") }
    }
}

/// What a detector makes of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Its expectations.
    #[serde(flatten)]
    pub counts: Counts,
    /// Whether a run had any report.
    pub reports: bool,
    /// The rules that the program names for this detector.
    pub rules: Vec<String>,
    /// What was not right, with the seeds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
}

impl Outcome {
    /// What these answers, each with its seed, amount to.
    pub fn of(case: &Case, answers: &[(u64, Answer)]) -> Outcome {
        let verdict = judge(&case.program, answers);
        let is_failure = |(_, answer): &(u64, Answer)| matches!(answer, Answer::Failure(_));
        let has_races = |(_, answer): &(u64, Answer)| matches!(answer, Answer::Checked { races, .. } if !races.is_empty());
        let failed = usize::from(answers.is_empty() || answers.iter().any(is_failure));
        let counts = Counts {
            found: verdict.met,
            missed: case.program.expectations.len() - verdict.met,
            unexpected: verdict.unexpected,
            failed,
        };
        let reports = answers.iter().any(has_races);
        Outcome { counts, reports, rules: case.reasons.clone(), problems: verdict.problems }
    }
}

/// A case, and what each detector makes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The program.
    pub program: String,
    /// Its switch; 0 is none.
    pub race: u32,
    /// What the program says of itself.
    pub headline: String,
    /// One for each detector, in the order of [`Comparison::detectors`].
    pub outcomes: Vec<Outcome>,
}

impl Row {
    /// The program and its switch.
    pub fn name(&self) -> String {
        match self.race {
            0 => self.program.clone(),
            race => format!("{}, race {race}", self.program),
        }
    }
}

/// A detector that reports something where the yardstick does not, or the other way round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Disagreement {
    /// The program and its switch.
    pub case: String,
    /// The detector.
    pub detector: String,
    /// Whether it is this detector that reports something.
    pub reports: bool,
    /// The sentence that explains it.
    pub reason: String,
}

/// A suite and several detectors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The suite's folder.
    pub suite: String,
    /// Seeds with which each program was run.
    pub seeds: u64,
    /// The detectors, with their flags.
    pub detectors: Vec<String>,
    /// The cases.
    pub rows: Vec<Row>,
}

impl Comparison {
    /// Sums over all cases, one for each detector.
    pub fn totals(&self) -> Vec<Counts> {
        let mut totals = vec![Counts::default(); self.detectors.len()];
        for row in &self.rows {
            for (total, outcome) in totals.iter_mut().zip(&row.outcomes) {
                *total += outcome.counts;
            }
        }
        totals
    }

    /// Where detectors say something else than the yardstick; nothing if it is not among them. Detectors with flags are
    /// experiments, and not compared.
    pub fn disagreements(&self) -> Vec<Disagreement> {
        let Some(yardstick) = self.detectors.iter().position(|name| name == YARDSTICK.name) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for row in &self.rows {
            let of_yardstick = &row.outcomes[yardstick];
            for (detector, outcome) in self.detectors.iter().zip(&row.outcomes) {
                let is_plain = !detector.contains(' ');
                if is_plain && outcome.reports != of_yardstick.reports {
                    all.push(Disagreement {
                        case: row.name(),
                        detector: detector.clone(),
                        reports: outcome.reports,
                        reason: reason(of_yardstick, outcome, &row.headline),
                    });
                }
            }
        }
        all
    }
}

/// The sentence of the model, the rule of the detector, or what the program says of itself.
fn reason(of_yardstick: &Outcome, outcome: &Outcome, headline: &str) -> String {
    let sentence =
        |rule: &String| rule.strip_prefix(YARDSTICK.name)?.strip_prefix(' ').map(str::to_owned);
    if let Some(sentence) = of_yardstick.rules.iter().find_map(sentence) {
        return format!("the model says {sentence}");
    }
    match outcome.rules.first() {
        Some(rule) => format!("by {rule}"),
        None => headline.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expectation::expectations_of;
    use crate::program::{Program, ReportExpectation};
    use crate::report::{Reported, Side};

    fn case(text: &str, reasons: &[&str]) -> Case {
        let program = Program {
            name: "a.cu".to_owned(),
            path: "a.cu".into(),
            expectations: expectations_of(text, "hb").expect("comments"),
            flags: Vec::new(),
            report: ReportExpectation::default(),
        };
        Case {
            program,
            switch: 0,
            is_its: false,
            is_whole: false,
            reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect(),
            headline: "A program.".to_owned(),
        }
    }

    fn races(lines: &[u64]) -> (u64, Answer) {
        let side = |line| Side { line: Some(line), instruction: String::new() };
        let race = |line: &u64| Reported {
            kind: "scope".to_owned(),
            severity: "error".to_owned(),
            sides: [side(*line), side(*line)],
            is_within_a_warp: false,
            count: 1,
            group: Some(1),
            advice: String::new(),
        };
        let races = lines.iter().map(race).collect();
        (1, Answer::Checked { races, not_covered: Vec::new() })
    }

    fn counts(outcome: &Outcome) -> (usize, usize, usize, usize) {
        let Counts { found, missed, unexpected, failed } = outcome.counts;
        (found, missed, unexpected, failed)
    }

    #[test]
    fn found_missed_and_false_are_counted() {
        let racy = case("x; //~ race: scope (with itself)\ny; //~ race: scope (with itself)", &[]);
        assert_eq!(counts(&Outcome::of(&racy, &[races(&[1, 2])])), (2, 0, 0, 0));
        assert_eq!(counts(&Outcome::of(&racy, &[races(&[1, 7])])), (1, 1, 1, 0));
        assert_eq!(counts(&Outcome::of(&racy, &[(1, Answer::Failure("no".into()))])), (0, 2, 0, 1));
        assert_eq!(counts(&Outcome::of(&racy, &[])), (0, 2, 0, 1));
        let words = Outcome::of(&racy, &[races(&[1, 7])]).counts.words();
        assert_eq!(words, "1 found, 1 missed, 1 false");
        assert_eq!(Outcome::of(&case("", &[]), &[races(&[])]).counts.words(), "clean");
    }

    #[test]
    fn disagreements_have_the_sentence_that_explains_them() {
        let racy = "x; //~ race: scope (with itself)";
        let outcome = |text, reasons: &[&str], lines: &[u64]| {
            Outcome::of(&case(text, reasons), &[races(lines)])
        };
        let row = |outcomes| Row {
            program: "a.cu".to_owned(),
            race: 2,
            headline: "A program.".to_owned(),
            outcomes,
        };
        let comparison = Comparison {
            suite: "s".to_owned(),
            seeds: 1,
            detectors: vec!["scord".to_owned(), "hb".to_owned()],
            rows: vec![
                row(vec![outcome(racy, &["scord IV(c)"], &[1]), outcome("", &["hb \"so\""], &[])]),
                row(vec![outcome(racy, &["scord IV(c)"], &[1]), outcome("", &[], &[])]),
                row(vec![outcome("", &[], &[]), outcome(racy, &[], &[1])]),
                row(vec![outcome(racy, &[], &[1]), outcome(racy, &[], &[1])]),
            ],
        };
        let reasons: Vec<(bool, String)> =
            comparison.disagreements().into_iter().map(|one| (one.reports, one.reason)).collect();
        assert_eq!(
            reasons,
            [
                (true, "the model says \"so\"".to_owned()),
                (true, "by scord IV(c)".to_owned()),
                (false, "A program.".to_owned()),
            ]
        );
        assert_eq!(comparison.totals()[1].found, 2);
    }
}
