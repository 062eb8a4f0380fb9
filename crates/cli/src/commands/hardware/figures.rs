//! The tables: the paper's figures 8 to 11 for the traces that were given, with what the paper says beside.

use crate::table::Table;
use warpsan_hardware::{Comparison, Outcome, Shares, overhead, paper};

/// A trace by its name, and its runs.
pub(super) struct Measured {
    pub(super) name: String,
    pub(super) comparison: Comparison,
}

/// All tables, in the order of the figures.
pub(super) fn tables(measured: &[Measured]) -> Vec<Table> {
    vec![
        sizes(measured),
        cycles(measured),
        dram(measured),
        sources(measured),
        memory(measured),
        rates(measured),
    ]
}

fn table(title: &str, head: &[&str], measured: &[Measured], row: Row) -> Table {
    by_trace(title, head, measured.iter().map(|one| cells(&one.name, row(one))))
}

/// A table with a row for each trace, which its name begins.
pub(super) fn by_trace(
    title: &str,
    head: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> Table {
    Table {
        title: title.to_string(),
        head: head.iter().map(ToString::to_string).collect(),
        rows: rows.collect(),
        notes: Vec::new(),
    }
}

/// The cells of a trace, behind its name.
type Row = fn(&Measured) -> Vec<String>;

pub(super) fn cells(name: &str, rest: Vec<String>) -> Vec<String> {
    let mut cells = vec![name.to_string()];
    cells.extend(rest);
    cells
}

pub(super) fn percent(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}

fn mean(measured: &[Measured], of: impl Fn(&Comparison) -> f64) -> f64 {
    measured.iter().map(|one| of(&one.comparison)).sum::<f64>() / measured.len().max(1) as f64
}

fn sizes(measured: &[Measured]) -> Table {
    let head = ["trace", "launches", "blocks", "warps", "operations", "accesses", "lines", "KiB"];
    let mut table = table("Input: what the traces hold", &head, measured, |one| {
        let size = one.comparison.size;
        let kib = size.bytes / 1024;
        [size.launches, size.blocks, size.warps, size.operations, size.accesses, size.lines, kib]
            .map(|number| number.to_string())
            .to_vec()
    });
    table.notes.push(
        "operations: instructions of warps in the trace; accesses: those of global memory; lines: of 128 bytes, after coalescing"
            .to_string(),
    );
    table
}

fn cycles(measured: &[Measured]) -> Table {
    let head = ["trace", "none", "base", "ScoRD", "base overhead", "ScoRD overhead", "paper"];
    let mut table = table("Figure 8: cycles without and with detection", &head, measured, |one| {
        let Comparison { none, base, scord, .. } = &one.comparison;
        let mut row = [none, base, scord].map(|outcome| outcome.cycles.to_string()).to_vec();
        row.push(percent(one.comparison.base_overhead()));
        row.push(percent(one.comparison.overhead()));
        let said = paper::application(&one.name).and_then(|application| application.overhead);
        row.push(said.map_or_else(|| "-".to_string(), percent));
        row
    });
    let empty = || String::new();
    table.rows.push(vec![
        "mean".to_string(),
        empty(),
        empty(),
        empty(),
        percent(mean(measured, Comparison::base_overhead)),
        percent(mean(measured, Comparison::overhead)),
        percent(paper::MEAN_OVERHEAD),
    ]);
    table.notes.push(
        "base: metadata for every word; ScoRD: metadata is cached. The paper's mean is of its seven applications."
            .to_string(),
    );
    let remarks = measured.iter().filter_map(|one| {
        let application = paper::application(&one.name)?;
        Some(format!("the paper of {}: {}", application.short_name, application.remark))
    });
    table.notes.extend(remarks);
    table
}

fn dram(measured: &[Measured]) -> Table {
    let head = [
        "trace",
        "none",
        "base: data",
        "base: metadata",
        "base: total",
        "ScoRD: data",
        "ScoRD: metadata",
        "ScoRD: total",
    ];
    table(
        "Figure 9: accesses of DRAM, and how many times those without detection",
        &head,
        measured,
        |one| {
            let Comparison { none, base, scord, .. } = &one.comparison;
            let total = none.dram.total();
            let times = |number: u64| format!("{:.3}", number as f64 / total.max(1) as f64);
            let mut row = vec![total.to_string()];
            for outcome in [base, scord] {
                let dram = outcome.dram;
                row.extend([dram.data(), dram.metadata(), dram.total()].map(times));
            }
            row
        },
    )
}

fn shares_row(shares: Shares) -> Vec<String> {
    [shares.lhd, shares.noc, shares.md].map(percent).to_vec()
}

fn sources(measured: &[Measured]) -> Table {
    let head =
        ["trace", "LHD", "NOC", "MD", "without LHD", "without NOC", "without MD", "all of it"];
    let title = "Figure 10: what contributes to ScoRD's overhead, and the overhead without each";
    let mut table = table(title, &head, measured, |one| {
        let compared = &one.comparison;
        let mut row = shares_row(compared.shares());
        let Comparison { without_lhd, without_noc, without_md, scord, .. } = compared;
        let overheads = [without_lhd, without_noc, without_md, scord]
            .map(|outcome| percent(overhead(&compared.none, outcome)));
        row.extend(overheads);
        row
    });
    let shares = |part: fn(Shares) -> f64| mean(measured, |compared| part(compared.shares()));
    let (lhd, noc, md) =
        (shares(|shares| shares.lhd), shares(|shares| shares.noc), shares(|shares| shares.md));
    for (name, shares) in [("mean", Shares { lhd, noc, md }), ("paper", paper::MEAN_SHARES)] {
        let mut row = cells(name, shares_row(shares));
        row.resize(head.len(), String::new());
        table.rows.push(row);
    }
    table.notes.push(
        "LHD: hits in the L1 that wait for the detector; NOC: the interconnect; MD: metadata. What gains nothing when it is switched off counts as 0."
            .to_string(),
    );
    table
}

fn memory(measured: &[Measured]) -> Table {
    let head = ["trace", "low", "default", "high"];
    let mut table = table("Figure 11: ScoRD's overhead by memory", &head, measured, |one| {
        let each = one.comparison.sensitivity.iter();
        each.map(|runs| percent(overhead(&runs.none, &runs.scord))).collect()
    });
    let means = (0..3).map(|memory| {
        percent(mean(measured, |compared| {
            let runs = &compared.sensitivity[memory];
            overhead(&runs.none, &runs.scord)
        }))
    });
    table.rows.push(cells("mean", means.collect()));
    table.notes.push(
        "low: half of the L2 and of the channels; high: twice as much. Each is compared with no detection on the same memory."
            .to_string(),
    );
    table
}

fn rates(measured: &[Measured]) -> Table {
    let head = [
        "trace",
        "L1 hits",
        "L2 hits",
        "metadata hits in L2",
        "requests",
        "packets of hits",
        "packets of fences",
        "stalls: requests",
        "stalls: hit buffer",
        "packets held at the detector",
    ];
    table("Inside: ScoRD's run", &head, measured, |one| {
        let Outcome { l1, l2_data, l2_metadata, packets, stalls, .. } = one.comparison.scord;
        let mut row = [l1, l2_data, l2_metadata].map(|cache| percent(cache.hit_rate())).to_vec();
        let numbers = [
            packets.requests,
            packets.of_hits,
            packets.of_fences,
            stalls.requests,
            stalls.hit_buffer,
            stalls.packets_at_detector,
        ];
        row.extend(numbers.map(|number| number.to_string()));
        row
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_hardware::{Memory, Sensitivity, Size};

    fn measured(name: &str, scord: u64) -> Measured {
        let taking = |cycles| Outcome { cycles, ..Outcome::default() };
        let of = |memory| Sensitivity { memory, none: taking(100), scord: taking(scord) };
        let comparison = Comparison {
            size: Size::default(),
            none: taking(100),
            base: taking(2 * scord),
            scord: taking(scord),
            without_lhd: taking(scord),
            without_noc: taking(scord),
            without_md: taking(100),
            sensitivity: [of(Memory::Low), of(Memory::Default), of(Memory::High)],
        };
        Measured { name: name.to_string(), comparison }
    }

    #[test]
    fn the_papers_numbers_stand_beside_those_of_its_applications() {
        let table = cycles(&[measured("convolution_1d", 150), measured("other", 110)]);
        let last = |row: usize| table.rows[row].last().unwrap().as_str();
        assert_eq!([0, 1, 2].map(last), ["88.0 %", "-", "35.0 %"]);
        assert_eq!(table.rows[2][4..6], ["160.0 %", "30.0 %"]);
        assert!(table.notes.iter().any(|note| note.contains("1DC")));
    }

    #[test]
    fn every_row_has_as_many_cells_as_the_head() {
        for table in tables(&[measured("a", 150), measured("b", 110)]) {
            for row in &table.rows {
                assert_eq!(row.len(), table.head.len(), "{}", table.title);
            }
        }
    }

    #[test]
    fn shares_stand_above_their_mean_and_the_papers() {
        let table = sources(&[measured("a", 150)]);
        assert_eq!(table.rows[0][1..4], ["0.0 %", "0.0 %", "100.0 %"]);
        assert_eq!(table.rows[2][0..4], ["paper", "16.5 %", "36.2 %", "47.3 %"]);
    }
}
