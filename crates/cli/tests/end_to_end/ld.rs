//! The detector `ld` and safe execution as a user meets them.

use crate::support::build::need_compiler;
use crate::support::command::{run, warpsan};
use crate::support::of_papers::{statistics, suite};
use std::collections::BTreeSet;

#[test]
fn the_suite_of_its_paper_gets_its_verdicts() {
    need_compiler();
    let folder = suite("ld");
    let ended = run(warpsan(["suite", "--detector", "ld", "--seeds", "2"]).arg(&folder));
    let text = String::from_utf8_lossy(&ended.expect_code(0).stdout);
    assert!(text.contains("29 found, 0 missed, 0 false"), "{text}");
}

#[test]
fn a_race_has_its_region_its_lines_and_the_command_that_shows_it_again() {
    need_compiler();
    let file = suite("bugs/shared_reduction_barrier_left_out.cu");
    let check = ["check", "--detector", "ld", "--ld-copies=2", "--ld-after-race=go-on"];
    let ended = run(warpsan(check).arg(&file));
    let text = String::from_utf8_lossy(&ended.expect_code(1).stdout);
    let again = "check --detector=ld --ld-copies=2 --ld-after-race=go-on --seed 1";
    for part in ["LD, a read-write race of warps of a block", "in the region from", again] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
}

#[test]
fn copies_take_no_more_than_they_may() {
    need_compiler();
    let counted = statistics("ld", &suite("bugs/shared_reduction.cu"));
    let value = |name: &str| {
        let found = counted.iter().find(|(known, _)| known.starts_with(name));
        found.unwrap_or_else(|| panic!("{name} is not in {counted:?}")).1
    };
    let (copies, targets) = (value("private copies"), value("bytes of target variables"));
    assert!(copies > 1 && targets > 0);
    assert_eq!(value("bytes of copies"), copies * targets);
    let held = value("bytes that copies held");
    assert!(held > 0 && held <= copies * targets);
}

#[test]
fn atomics_are_not_covered_and_a_trace_has_no_values() {
    need_compiler();
    let ended = run(warpsan(["check", "--detector", "ld"]).arg(suite("bugs/atomic_histogram.cu")));
    let text = String::from_utf8_lossy(&ended.expect_code(3).stdout);
    assert!(text.contains("does not check: it has atomics"), "{text}");
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("kernels.trace");
    let file = suite("bugs/shared_reduction.cu");
    run(warpsan(["record", "--quiet", "-o"]).arg(&trace).arg(file)).expect_code(0);
    let ended = run(warpsan(["replay", "--detector", "ld"]).arg(&trace));
    let text = String::from_utf8_lossy(&ended.expect_code(3).stdout);
    assert!(text.contains("executes kernels again"), "{text}");
}

#[test]
fn racy_programs_run_safely() {
    need_compiler();
    let program = suite("ld/em.cu");
    let safely = |promise: &str, seed: u64, more: &[&str]| {
        let seed = seed.to_string();
        let mut command = warpsan(["run", "--quiet", "--seed", &seed, "--safe", promise]);
        let words = ["--race", "1", "--checksum"];
        let ended = run(command.args(more).arg("--").arg(&program).args(words));
        String::from_utf8_lossy(&ended.expect_code(0).stdout).into_owned()
    };
    let outputs: BTreeSet<String> =
        (1..=4).map(|seed| safely("deterministic", seed, &[])).collect();
    assert_eq!(outputs.len(), 1, "{outputs:?}");
    // What was executed has no race, though the program has.
    safely("race-free", 1, &["--detector", "hb"]);
    let ended = run(warpsan(["run", "--quiet", "--"]).arg(&program).args(["--race", "1"]));
    ended.expect_code(1);
    let both = run(warpsan(["run", "--safe", "race-free", "--detector", "ld", "--"]).arg(&program));
    let text = &both.expect_code(2).stderr;
    assert!(text.contains("leave out --safe or --detector"), "{text}");
}
