//! The detector `iguard` as a user meets it.

use crate::support::build::need_compiler;
use crate::support::command::{run, warpsan};
use crate::support::of_papers::{
    expect_no_bulk_copies, expect_of_examples, expect_same_from_traces, statistics, suite,
};

#[test]
fn every_example_has_the_races_that_it_expects_of_iguard() {
    expect_of_examples("iguard");
}

#[test]
fn statistics_have_a_counter_for_each_rule() {
    need_compiler();
    let counted = statistics("iguard", &suite("iguard/r4_no_fence.cu"));
    for (rule, expected) in [("P1", true), ("P6", true), ("R4", true), ("P5", false), ("R5", false)]
    {
        let found = counted.iter().find(|(name, _)| name.starts_with(rule));
        let (_, value) = found.unwrap_or_else(|| panic!("{rule} is not in {counted:?}"));
        assert_eq!(*value > 0, expected, "{rule}: {counted:?}");
    }
    let rules = counted.iter().filter(|(name, _)| name.as_bytes().get(2) == Some(&b':'));
    assert_eq!(rules.count(), 11, "{counted:?}");
}

#[test]
fn a_trace_gives_the_same_report_with_the_same_flags() {
    let programs: [(&str, &[&str]); 5] = [
        ("iguard/r4_figure_10_grid_barrier.cu", &[]),
        ("iguard/p5_some_threads_have_ended.cu", &[]),
        ("iguard/history_of_one.cu", &["--iguard-history=2"]),
        ("iguard/granularity_of_four_bytes.cu", &["--iguard-granularity=1"]),
        ("iguard/coalescing_on.cu", &["--iguard-coalescing=off", "--warp-sync=warn"]),
    ];
    expect_same_from_traces("iguard", &programs);
}

#[test]
fn bulk_copies_are_said_to_be_not_covered() {
    expect_no_bulk_copies("iguard");
}

#[test]
fn races_name_their_rule_and_the_command_that_shows_them_again() {
    need_compiler();
    let file = suite("iguard/history_of_two.cu");
    let flags = ["check", "--detector", "iguard", "--iguard-history=2"];
    let ended = run(warpsan(flags).arg(&file));
    let text = String::from_utf8_lossy(&ended.expect_code(1).stdout);
    for part in ["R4: ", "check --detector=iguard --iguard-history=2 --seed 1"] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    let wrong = ["check", "--detector", "iguard", "--iguard-granularity=3"];
    run(warpsan(wrong).arg(&file)).expect_code(2).expect_stderr(&["[1, 2, 4, 8, 16]"]);
}
