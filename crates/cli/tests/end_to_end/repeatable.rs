//! The same seed gives the same report, byte for byte.

use std::path::Path;

use crate::support::build::executable;
use crate::support::command::{run, warpsan};
use crate::support::report::Report;
use crate::support::{examples, fresh_folder};

const RUNS: usize = 20;

/// The report of one run with this seed.
fn report(program: &Path, folder: &Path, seed: &str) -> Report {
    let file = folder.join("report.json");
    let _ = std::fs::remove_file(&file);
    let flags = ["run", "--seed", seed, "--format", "json", "--output"];
    run(warpsan(flags).arg(&file).arg("--").arg(program)).expect_code(1);
    Report::read(&file)
}

fn same_report_each_time(example: &str) {
    let folder = fresh_folder(&format!("repeatable-{example}"));
    let program = executable(&examples().join(example), &folder);
    let first = report(&program, &folder, "7");
    assert!(!first.races().is_empty(), "{}", first.text);
    for number in 1..RUNS {
        let next = report(&program, &folder, "7");
        assert_eq!(next.text, first.text, "run {number} differs from the first");
    }
}

#[test]
fn shared_memory_race_twenty_times() {
    same_report_each_time("missing_sync.cu");
}

#[test]
fn global_memory_race_twenty_times() {
    same_report_each_time("histogram_racy.cu");
}

#[test]
fn the_race_is_found_with_every_seed() {
    let folder = fresh_folder("seeds");
    let program = executable(&examples().join("stencil_in_place.cu"), &folder);
    let expected = crate::support::expectation::of_file(&examples().join("stencil_in_place.cu"));
    for seed in 0..10 {
        let differences = report(&program, &folder, &seed.to_string())
            .differences(Path::new("stencil_in_place.cu"), &expected);
        assert!(differences.is_empty(), "seed {seed}: {differences:#?}");
    }
}
