//! Counts over many runs.

use std::collections::BTreeMap;

use super::judge::{Difference, Judged, STOPPED};

/// Counts of one group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Runs of its programs: one for each way to build them.
    pub runs: usize,
    /// Those that print and end as on a GPU.
    pub output: usize,
    /// Those whose report is the expected one.
    pub verdict: usize,
    /// Those with both.
    pub both: usize,
}

impl Row {
    fn add(&mut self, judged: &Judged) {
        self.runs += 1;
        self.output += usize::from(judged.output_is_right());
        self.verdict += usize::from(judged.verdict_is_right());
        self.both += usize::from(judged.is_right());
    }
}

/// Counts by group, and of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The groups, by name.
    pub groups: BTreeMap<String, Row>,
    /// All groups together.
    pub all: Row,
}

impl Totals {
    /// Counts one run of a program of this group.
    pub fn add(&mut self, group: &str, judged: &Judged) {
        self.groups.entry(group.to_owned()).or_default().add(judged);
        self.all.add(judged);
    }
}

/// What is wrong with these runs, with the number of runs that it is wrong with, the most frequent first. Each gap
/// counts by itself, since each is something to be done; of other differences only the kind counts.
pub fn reasons<'a>(runs: impl IntoIterator<Item = &'a Judged>) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for judged in runs {
        let mut names: Vec<String> = judged.differences.iter().map(reason).collect();
        names.sort();
        names.dedup();
        for name in names {
            *counts.entry(name).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}

fn reason(difference: &Difference) -> String {
    match difference {
        // Places and addresses differ from program to program: they stand in brackets, or after a fault.
        Difference::NotCovered(what) => {
            let what = what.split_once(" (").map_or(what.as_str(), |(what, _)| what);
            let fault = what.strip_prefix(STOPPED).map(|fault| fault.split(": ").next());
            let what = match fault.flatten() {
                Some(fault) => format!("{STOPPED}{fault}"),
                None => what.to_owned(),
            };
            format!("{}: {what}", difference.kind())
        }
        other => other.kind().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted_by_group_and_reasons_by_run() {
        let text = |text: &str| text.to_owned();
        let gap = Difference::NotCovered(text("cudaX (line 3)"));
        let right = Judged::default();
        let unseen = Judged {
            differences: vec![
                gap.clone(),
                gap,
                Difference::Missed(text("r")),
                Difference::Missed(text("s")),
            ],
        };
        let loud = Judged {
            differences: vec![Difference::Stdout(text("o")), Difference::Missed(text("t"))],
        };
        let mut totals = Totals::default();
        totals.add("a", &right);
        totals.add("a", &unseen);
        totals.add("b", &loud);
        assert_eq!(totals.groups["a"], Row { runs: 2, output: 2, verdict: 1, both: 1 });
        assert_eq!(totals.all, Row { runs: 3, output: 2, verdict: 1, both: 1 });
        let counted = reasons([&right, &unseen, &loud]);
        let expected = [("missed", 2), ("not covered: cudaX", 1), ("stdout", 1)];
        assert_eq!(counted, expected.map(|(name, count)| (text(name), count)));
        let fault =
            |text: &str| Judged { differences: vec![Difference::NotCovered(text.to_owned())] };
        let faults =
            ["at 0x1 (k)", "at 0x2 (l)"].map(|at| fault(&format!("{STOPPED}a bad address: {at}")));
        let expected = "not covered: the launch was stopped: a bad address".to_owned();
        assert_eq!(reasons(&faults), [(expected, 2)]);
    }
}
