//! The tables of PARSNIP: the thesis' figures 4.1 and 4.7 to 4.11 and its table 4.3 for the traces that were given, with what the thesis says
//! beside.

use super::figures::{by_trace, cells, percent};
use crate::table::Table;
use serde::Serialize;
use warpsan_hardware::parsnip::{Comparison, Outcome, thesis};

/// A trace by its name, its runs, and how many pairs of accesses race.
#[derive(Serialize)]
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) comparison: Comparison,
    pub(super) races: u64,
}

/// All tables.
pub(super) fn tables(measured: &[Measured]) -> Vec<Table> {
    vec![
        histories(measured),
        slowdown(measured),
        variants(measured),
        sources(measured),
        costs(measured),
        events(measured),
    ]
}

fn table(
    title: &str,
    head: &[&str],
    measured: &[Measured],
    row: impl Fn(&Measured) -> Vec<String>,
) -> Table {
    by_trace(title, head, measured.iter().map(|one| cells(&one.name, row(one))))
}

fn geometric_mean(measured: &[Measured], of: impl Fn(&Comparison) -> f64) -> f64 {
    let logarithms: f64 = measured.iter().map(|one| of(&one.comparison).ln()).sum();
    (logarithms / measured.len().max(1) as f64).exp()
}

fn histories(measured: &[Measured]) -> Table {
    let head = ["trace", "lines", "1", "2", "3 to 4", "5 to 8", "9 to 16", "more"];
    let mut table = table(
        "Figure 4.1: lines of 64 bytes by their different histories",
        &head,
        measured,
        |one| {
            let lines = &one.comparison.parsnip.histories;
            let all: u64 = lines.iter().sum();
            let part = |range: std::ops::RangeInclusive<usize>| {
                percent(lines[range].iter().sum::<u64>() as f64 / all.max(1) as f64)
            };
            let ranges = [
                0..=1,
                2..=2,
                3..=4,
                5..=8,
                9..=thesis::MOST_HISTORIES,
                thesis::MOST_HISTORIES + 1..=64,
            ];
            std::iter::once(all.to_string()).chain(ranges.map(part)).collect()
        },
    );
    table.notes.push("the most that a line had at a time; the thesis: more than 16 in fewer than 2 % of the lines of two programs".to_string());
    table
}

fn slowdown(measured: &[Measured]) -> Table {
    let head = ["trace", "accesses", "races", "CPI", "with PARSNIP", "and its port", "slowdown"];
    let mut table = table(
        "Figure 4.7: cycles of an instruction without and with detection",
        &head,
        measured,
        |one| {
            let run = &one.comparison.parsnip;
            let with_port = run.cpi()
                + thesis::PORT_LATENCY * run.accesses as f64 / run.instructions.max(1) as f64;
            vec![
                run.accesses.to_string(),
                one.races.to_string(),
                format!("{:.3}", run.plain_cpi()),
                format!("{:.3}", run.cpi()),
                format!("{with_port:.3}"),
                format!("{:.3}", run.slowdown()),
            ]
        },
    );
    let mean = geometric_mean(measured, |one| one.parsnip.slowdown());
    table.notes.push(format!(
        "geometric mean of the slowdown: {mean:.2}; the thesis: {:.1}, at most {:.1}, with 8 threads",
        thesis::MEAN_SLOWDOWN,
        thesis::MOST_SLOWDOWN
    ));
    table
}

fn variants(measured: &[Measured]) -> Table {
    let times =
        |one: &Comparison, run: &Outcome| run.cycles as f64 / one.parsnip.cycles.max(1) as f64;
    let head = ["trace", "no buffers", "no prediction", "lines in L1", "lines in LLC"];
    let title = "Figure 4.9: how many times as long it takes with parts of it disabled";
    let mut table = table(title, &head, measured, |one| {
        let Comparison { without_buffers, without_prediction, in_l1, in_llc, .. } = &one.comparison;
        let runs = [without_buffers, without_prediction, in_l1, in_llc];
        runs.map(|run| format!("{:.3}", times(&one.comparison, run))).to_vec()
    });
    table.notes.push(format!(
        "geometric means: {:.2} and {:.2}; the thesis: {:.1} and {:.1}",
        geometric_mean(measured, |one| times(one, &one.without_buffers)),
        geometric_mean(measured, |one| times(one, &one.without_prediction)),
        thesis::WITHOUT_BUFFERS,
        thesis::WITHOUT_PREDICTION
    ));
    table
}

fn sources(measured: &[Measured]) -> Table {
    let head = ["trace", "references", "own table", "other tables", "buffers", "software"];
    let mut table = table("Figure 4.10: checks by what resolves them", &head, measured, |one| {
        let sources = one.comparison.parsnip.sources;
        let all: u64 = sources.iter().sum();
        sources.map(|checks| percent(checks as f64 / all.max(1) as f64)).to_vec()
    });
    table.notes.push(format!(
        "the thesis: references and the own table {} or more, other tables {} at most, software {} at most",
        percent(thesis::LEAST_LOCAL),
        percent(thesis::MOST_REMOTE),
        percent(thesis::MOST_SOFTWARE)
    ));
    table
}

fn costs(measured: &[Measured]) -> Table {
    let head = [
        "trace",
        "references",
        "missing lines",
        "own table",
        "other tables",
        "software checks",
        "drains",
    ];
    table("Figure 4.11: what the cycles of detection are for", &head, measured, |one| {
        let costs = one.comparison.parsnip.costs;
        let parts = [
            costs.references,
            costs.missing_lines,
            costs.local_tables,
            costs.remote_tables,
            costs.software_checks,
            costs.drains,
        ];
        parts.map(|cycles| percent(cycles as f64 / costs.total().max(1) as f64)).to_vec()
    })
}

fn events(measured: &[Measured]) -> Table {
    let head = [
        "trace",
        "drains",
        "thesis",
        "evictions",
        "thesis",
        "rejections",
        "thesis",
        "software checks",
        "thesis",
    ];
    table("Table 4.3: events in a thousand instructions", &head, measured, |one| {
        let run = &one.comparison.parsnip;
        let events = run.events;
        let said = thesis::program(&one.name).map(|program| program.events);
        let ours = [events.drains, events.evictions, events.rejections, events.software_checks];
        let mut cells = Vec::new();
        for (number, count) in ours.into_iter().enumerate() {
            cells.push(format!("{:.2}", 1000.0 * count as f64 / run.instructions.max(1) as f64));
            cells.push(said.map_or_else(|| "-".to_string(), |said| format!("{:.2}", said[number])));
        }
        cells
    })
}
