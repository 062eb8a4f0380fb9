//! The detector `barracuda` as a user meets it.

use crate::support::build::need_compiler;
use crate::support::of_papers::{
    expect_no_bulk_copies, expect_of_examples, expect_same_from_traces, statistics, suite,
};

#[test]
fn every_example_has_the_races_that_it_expects_of_barracuda() {
    expect_of_examples("barracuda");
}

#[test]
fn statistics_have_a_counter_for_each_rule_and_each_format_of_clocks() {
    need_compiler();
    let counted = statistics("barracuda", &suite("bugs/flag_passed_on.cu"));
    let rules = [("RELGLOBAL: ", true), ("ACQGLOBAL: ", true), ("ATOMEXCL: ", false)];
    let formats = [
        ("instructions with clocks in format CONVERGED", true),
        ("instructions with clocks in format SPARSEVC", true),
    ];
    for (name, expected) in rules.into_iter().chain(formats) {
        let found = counted.iter().find(|(counter, _)| counter.starts_with(name));
        let (_, value) = found.unwrap_or_else(|| panic!("{name} is not in {counted:?}"));
        assert_eq!(*value > 0, expected, "{name}: {counted:?}");
    }
    let formats = counted.iter().filter(|(name, _)| name.contains("clocks in format"));
    assert_eq!(formats.count(), 4, "{counted:?}");
}

#[test]
fn a_trace_gives_the_same_report() {
    let programs: [(&str, &[&str]); 3] = [
        ("bugs/lock_no_fences.cu", &[]),
        ("bugs/branch_two_paths_write.cu", &[]),
        ("bugs/grid_barrier.cu", &[]),
    ];
    expect_same_from_traces("barracuda", &programs);
}

#[test]
fn bulk_copies_are_said_to_be_not_covered() {
    expect_no_bulk_copies("barracuda");
}
