//! The detector `scord` as a user meets it.

use crate::support::build::need_compiler;
use crate::support::command::{run, warpsan};
use crate::support::of_papers::{
    expect_no_bulk_copies, expect_of_examples, expect_same_from_traces, statistics, suite,
};

#[test]
fn every_example_has_the_races_that_it_expects_of_scord() {
    expect_of_examples("scord");
}

#[test]
fn statistics_have_a_counter_for_each_row_of_the_tables() {
    need_compiler();
    let counted = statistics("scord", &suite("iguard/r1_block_atomics_in_two_blocks.cu"));
    for (row, expected) in [("III(a): ", true), ("IV(d): ", true), ("IV(f): ", false)] {
        let found = counted.iter().find(|(name, _)| name.starts_with(row));
        let (_, value) = found.unwrap_or_else(|| panic!("{row} is not in {counted:?}"));
        assert_eq!(*value > 0, expected, "{row}: {counted:?}");
    }
    let rows = counted.iter().filter(|(name, _)| name.starts_with("I"));
    assert_eq!(rows.count(), 9, "{counted:?}");
}

#[test]
fn a_trace_gives_the_same_report_with_the_same_flags() {
    let programs: [(&str, &[&str]); 4] = [
        ("iguard/r5_two_locks.cu", &[]),
        ("iguard/r2_two_paths.cu", &["--scord-its=on", "--warp-sync=warn"]),
        ("iguard/r4_no_fence.cu", &["--scord-cache=on", "--scord-block-ids=paper"]),
        ("iguard/granularity_of_four_bytes.cu", &["--scord-granularity=16"]),
    ];
    expect_same_from_traces("scord", &programs);
}

#[test]
fn bulk_copies_are_said_to_be_not_covered() {
    expect_no_bulk_copies("scord");
}

#[test]
fn races_name_their_row_and_the_command_that_shows_them_again() {
    need_compiler();
    let file = suite("iguard/r1_block_atomics_in_two_blocks.cu");
    let ended = run(warpsan(["check", "--detector", "scord", "--scord-its=on"]).arg(&file));
    let text = String::from_utf8_lossy(&ended.expect_code(1).stdout);
    let again = "check --detector=scord --scord-its=on --seed 1";
    for part in ["ScoRD, table IV (d), a device-scope race: ", again] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    let wrong = ["check", "--detector", "scord", "--scord-granularity=3"];
    run(warpsan(wrong).arg(&file)).expect_code(2).expect_stderr(&["[1, 2, 4, 8, 16]"]);
}
