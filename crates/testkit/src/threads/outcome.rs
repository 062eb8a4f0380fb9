//! Many runs of one program built in one way, and sums over programs.

use super::judge::{Difference, Judged};

/// What came of all runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Each difference, with the number of runs that have it.
    pub differences: Vec<(Difference, usize)>,
    /// How many runs there were.
    pub runs: usize,
    /// Those that reported races.
    pub racy_runs: usize,
    /// Those of them in which no stack was lost.
    pub racy_runs_with_stacks: usize,
    /// What was said in the first run that was not right.
    pub said: Option<String>,
}

impl Outcome {
    /// A program that could not even be run.
    pub fn not_built(error: &anyhow::Error) -> Self {
        let difference = Difference::NotBuilt(format!("{error:#}"));
        Self { differences: vec![(difference, 1)], ..Self::default() }
    }

    /// Adds a run.
    pub fn add(&mut self, judged: &Judged) {
        self.runs += 1;
        self.racy_runs += usize::from(judged.has_races);
        self.racy_runs_with_stacks += usize::from(judged.has_races && judged.has_stacks());
        for difference in &judged.differences {
            match self.differences.iter_mut().find(|(other, _)| other == difference) {
                Some((_, count)) => *count += 1,
                None => self.differences.push((difference.clone(), 1)),
            }
        }
        if !judged.is_right() && self.said.is_none() {
            self.said = Some(judged.said.clone());
        }
    }

    /// Whether every run is as it should be.
    pub fn is_right(&self) -> bool {
        !self.differences.iter().any(|(difference, _)| difference.is_wrong())
    }
}

/// Sums over programs that were built in one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Programs.
    pub programs: usize,
    /// Those with every run right.
    pub right: usize,
    /// Those with a race that a run missed, or saw as another kind.
    pub missed: usize,
    /// Those with a race too many.
    pub unexpected: usize,
    /// Those that crashed, ended otherwise, or were not built.
    pub ended: usize,
    /// Those that took too long.
    pub late: usize,
    /// Those with something that was not covered.
    pub gaps: usize,
    /// Runs that reported races.
    pub racy_runs: usize,
    /// Those of them in which no stack was lost.
    pub racy_runs_with_stacks: usize,
}

impl Counted {
    /// Adds a program.
    pub fn add(&mut self, outcome: &Outcome) {
        let has = |is_it: fn(&Difference) -> bool| {
            usize::from(outcome.differences.iter().any(|(difference, _)| is_it(difference)))
        };
        self.programs += 1;
        self.right += usize::from(outcome.is_right());
        self.missed += has(|one| matches!(one, Difference::Missed(_) | Difference::Kind(_)));
        self.unexpected += has(|one| matches!(one, Difference::Unexpected(_)));
        self.ended += has(|one| matches!(one, Difference::End(_) | Difference::NotBuilt(_)));
        self.late += has(|one| matches!(one, Difference::TimeOut));
        self.gaps += has(|one| matches!(one, Difference::NotCovered(_)));
        self.racy_runs += outcome.racy_runs;
        self.racy_runs_with_stacks += outcome.racy_runs_with_stacks;
    }

    /// The share of racy runs in which no stack was lost; nothing without racy runs.
    pub fn share_with_stacks(&self) -> Option<f64> {
        (self.racy_runs > 0).then(|| self.racy_runs_with_stacks as f64 / self.racy_runs as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(difference: Option<&Difference>) -> Judged {
        let differences = difference.cloned().into_iter().collect();
        Judged { differences, has_races: true, said: "so".to_owned() }
    }

    #[test]
    fn runs_are_counted_with_what_they_have() {
        let (missed, lost) =
            (Difference::Missed("a".to_owned()), Difference::StackLost("b".to_owned()));
        let mut outcome = Outcome::default();
        for difference in [None, Some(&lost), Some(&missed), Some(&missed)] {
            outcome.add(&judged(difference));
        }
        assert_eq!(outcome.differences, [(lost.clone(), 1), (missed, 2)]);
        assert_eq!((outcome.racy_runs, outcome.racy_runs_with_stacks), (4, 3));
        assert_eq!((outcome.said.as_deref(), outcome.is_right()), (Some("so"), false));
        let mut only_lost = Outcome::default();
        only_lost.add(&judged(Some(&lost)));
        let mut counted = Counted::default();
        assert_eq!(counted.share_with_stacks(), None);
        counted.add(&outcome);
        counted.add(&only_lost);
        counted.add(&Outcome::not_built(&anyhow::anyhow!("no")));
        assert_eq!((counted.programs, counted.right, counted.missed, counted.ended), (3, 1, 1, 1));
        assert_eq!(counted.share_with_stacks(), Some(0.6));
    }
}
