//! The tables of suites.

use crate::table::Table;
use warpsan_suite::{Comparison, Disagreement};

/// For a terminal: the table, what was wrong, and where detectors differ.
pub(super) fn text(comparison: &Comparison) -> String {
    let mut text = table(comparison).text();
    for row in &comparison.rows {
        for (detector, outcome) in comparison.detectors.iter().zip(&row.outcomes) {
            for problem in &outcome.problems {
                let seeds: Vec<String> = problem.seeds.iter().map(u64::to_string).collect();
                let (name, what, seeds) = (row.name(), &problem.what, seeds.join(" "));
                text.push_str(&format!("WRONG {name} with {detector}: {what} (seeds {seeds})\n"));
            }
        }
    }
    let disagreements = comparison.disagreements();
    if !disagreements.is_empty() {
        text.push_str("\nWhere a detector and hb say something else:\n");
        text.extend(disagreements.iter().map(|one| format!("  {}\n", sentence(one))));
    }
    text
}

/// A document.
pub(super) fn markdown(comparisons: &[Comparison]) -> String {
    let mut text = "# What detectors say\n\nMade by `warpsan suite --format markdown`; a change of a detector or of a program needs it to be made \
                    again. *Found* was expected and reported, *missed* expected and not reported, *false* reported and not expected; what is \
                    *clean* had to be, and was. Expectations are comments of the programs, with the rule that decides each.\n"
        .to_owned();
    for comparison in comparisons {
        text.push_str(&format!("\n## {}\n\n", comparison.suite));
        text.push_str(&table(comparison).markdown());
        let disagreements = comparison.disagreements();
        if !disagreements.is_empty() {
            text.push_str("\nWhere a detector and `hb` say something else:\n\n");
            text.extend(disagreements.iter().map(|one| format!("- {}\n", sentence(one))));
        }
    }
    text
}

fn sentence(one: &Disagreement) -> String {
    let Disagreement { case, detector, reports, reason } = one;
    let who = match reports {
        true => format!("{detector} reports, hb does not"),
        false => format!("hb reports, {detector} does not"),
    };
    format!("{case}: {who}: {reason}")
}

fn table(comparison: &Comparison) -> Table {
    let runs = match comparison.seeds {
        1 => "one seed".to_owned(),
        seeds => format!("{seeds} seeds"),
    };
    let mut head = vec!["program".to_owned()];
    head.extend(comparison.detectors.iter().cloned());
    let mut rows: Vec<Vec<String>> = comparison
        .rows
        .iter()
        .map(|row| {
            let outcomes = row.outcomes.iter().map(|outcome| outcome.counts.words());
            std::iter::once(row.name()).chain(outcomes).collect()
        })
        .collect();
    let totals = comparison.totals().into_iter().map(|total| {
        format!("{} found, {} missed, {} false", total.found, total.missed, total.unexpected)
    });
    rows.push(std::iter::once("total".to_owned()).chain(totals).collect());
    Table { title: format!("{} with {runs}", comparison.suite), head, rows, notes: Vec::new() }
}
