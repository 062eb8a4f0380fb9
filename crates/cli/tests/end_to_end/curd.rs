//! The detector `curd` as a user meets it.

use crate::support::build::need_compiler;
use crate::support::command::{run, warpsan};
use crate::support::of_papers::{
    expect_no_bulk_copies, expect_same_from_traces, statistics, suite,
};

#[test]
fn a_trace_gives_the_same_report_with_the_same_flags() {
    let programs: [(&str, &[&str]); 4] = [
        ("bugs/global_blocks_stencil_border.cu", &["--curd-inter-block=eager"]),
        ("bugs/lanes_two_stores_in_turn.cu", &["--warp-sync=error", "--curd-search=1"]),
        ("bugs/shared_reduction_barrier_left_out.cu", &["--curd-thread-regions=64"]),
        ("bugs/lock_no_fences.cu", &[]),
    ];
    expect_same_from_traces("curd", &programs);
}

#[test]
fn statistics_say_which_way_launches_went() {
    need_compiler();
    let counted = |program: &str, name: &str| {
        let counted = statistics("curd", &suite(program));
        let found = counted.iter().find(|(known, _)| known.starts_with(name));
        found.unwrap_or_else(|| panic!("{name} is not in {counted:?}")).1
    };
    let (sets, barracuda) = ("launches checked by sets", "launches checked by Barracuda");
    let barriers = "bugs/shared_reduction.cu";
    assert_eq!((counted(barriers, sets), counted(barriers, barracuda)), (1, 0));
    let atomics = "bugs/atomic_histogram.cu";
    assert_eq!((counted(atomics, sets), counted(atomics, barracuda)), (0, 1));
}

#[test]
fn a_warning_and_a_race_name_the_command_that_shows_them_again() {
    need_compiler();
    let check = ["check", "--detector", "curd", "--curd-inter-block=eager"];
    let ended = run(warpsan(check).arg(suite("bugs/global_blocks_write_read.cu")));
    let text = String::from_utf8_lossy(&ended.expect_code(1).stdout);
    let again = "check --detector=curd --curd-inter-block=eager --seed 1";
    for part in ["CURD, an inter-block race: ", again] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    let lanes = suite("bugs/lanes_two_stores_in_turn.cu");
    run(warpsan(["check", "--detector", "curd"]).arg(&lanes)).expect_code(0);
    run(warpsan(["check", "--detector", "curd", "--strict"]).arg(&lanes)).expect_code(1);
}

#[test]
fn what_sets_have_no_room_for_is_not_called_clean() {
    need_compiler();
    let file = suite("bugs/global_blocks_parts_of_their_own.cu");
    run(warpsan(["check", "--detector", "curd"]).arg(&file)).expect_code(0);
    let small = ["check", "--detector", "curd", "--curd-block-regions=0"];
    let ended = run(warpsan(small).arg(&file));
    let text = String::from_utf8_lossy(&ended.expect_code(3).stdout);
    assert!(text.contains("the sets of the detector curd had no room for"), "{text}");
}

#[test]
fn bulk_copies_are_said_to_be_not_covered() {
    expect_no_bulk_copies("curd");
}
