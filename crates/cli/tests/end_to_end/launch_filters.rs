//! Launches that the user did not ask for run, are not checked, and are not passed over in silence.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::LazyLock;

use crate::support::build::executable;
use crate::support::command::{Ended, run, warpsan};
use crate::support::report::Report;
use crate::support::{fresh_folder, program};

/// One program serves all tests here; it is compiled once. It launches `rotate` and `collect<int>` in turn, three
/// times each, and both have races.
static PROGRAM: LazyLock<PathBuf> =
    LazyLock::new(|| executable(&program("filtered.cu"), &fresh_folder("launch-filters")));

fn run_with_report(name: &str, flags: &[&str]) -> (Ended, Report) {
    let file = fresh_folder(&format!("launch-filters-{name}")).join("report.json");
    let mut command = warpsan(["run", "--format", "json", "--output"]);
    let ended = run(command.arg(&file).args(flags).arg("--").arg(&*PROGRAM));
    assert_eq!(ended.stdout, b"ran\n", "what is not checked runs all the same");
    (ended, Report::read(&file))
}

fn kernels_with_races(report: &Report) -> BTreeSet<String> {
    report.races().into_iter().map(|race| race.kernel).collect()
}

#[test]
fn names_choose_the_kernels() {
    for (name, flags, kernel) in [
        ("wanted", &["--kernel", "rotate"][..], "rotate"),
        ("glob", &["--kernel", "coll*"], "collect<int>"),
        ("excluded", &["--kernel-exclude", "rotate"], "collect<int>"),
        ("both", &["--kernel", "*", "--kernel-exclude", "collect<???>"], "rotate"),
    ] {
        let (ended, report) = run_with_report(name, flags);
        ended.expect_code(1);
        assert_eq!(kernels_with_races(&report), BTreeSet::from([kernel.to_string()]), "{name}");
        assert_eq!(report.summary("launches"), 3);
        assert_eq!(report.summary("unwatched_launches"), 3);
        assert!(report.not_covered().is_empty(), "it was asked for: {}", report.text);
    }
}

#[test]
fn numbers_choose_among_the_launches_that_the_names_leave() {
    let flags = ["--launch-skip", "1", "--launch-count", "1"];
    let (_, report) = run_with_report("one", &flags);
    assert_eq!(kernels_with_races(&report), BTreeSet::from(["collect<int>".to_string()]));
    assert_eq!(report.summary("unwatched_launches"), 5);
    let (_, report) = run_with_report("skipped", &[&["--kernel", "rotate"], &flags[..]].concat());
    assert_eq!(kernels_with_races(&report), BTreeSet::from(["rotate".to_string()]));
    assert_eq!((report.summary("launches"), report.summary("accesses")), (&1.into(), &256.into()));
}

#[test]
fn the_text_says_what_was_not_checked_and_how_to_see_a_race_again() {
    let ended = run(warpsan(["run", "--kernel", "rot*", "--"]).arg(&*PROGRAM));
    ended.expect_code(1).expect_stderr(&[
        "in what was to be checked",
        "3 launches ran without being checked",
        "warpsan run --kernel 'rot*' --seed 1 --",
    ]);
    assert!(!ended.stderr.contains("everything was checked"), "{}", ended.stderr);
}

#[test]
fn what_was_asked_for_is_no_reason_for_code_3_and_nothing_left_is_one() {
    let clean = executable(&program("talker.cu"), &fresh_folder("launch-filters-clean"));
    let code = |flags: &[&str]| run(warpsan(["run"]).args(flags).arg("--").arg(&clean)).code();
    assert_eq!(code(&["--kernel", "square"]), 7, "the program's own code");
    let ended = run(warpsan(["run", "--kernel", "sqare", "--"]).arg(&*PROGRAM));
    ended.expect_code(3).expect_stderr(&["none is one that the flags ask for", "--kernel sqare"]);
}

#[test]
fn a_launch_that_is_not_checked_still_orders_others() {
    let ordered = executable(&program("ordered.cu"), &fresh_folder("launch-filters-order"));
    for (mode, code) in [("default-stream", 0), ("event", 0), ("nothing", 1)] {
        for flags in [&[][..], &["--kernel-exclude", "between"]] {
            let ended = run(warpsan(["run"]).args(flags).arg("--").arg(&ordered).arg(mode));
            assert_eq!(ended.code(), code, "{mode} {flags:?}: {}", ended.stderr);
        }
    }
}
