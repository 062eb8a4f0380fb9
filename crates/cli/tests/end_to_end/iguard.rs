//! The detector `iguard` as a user meets it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::build::need_compiler;
use crate::support::command::{run, warpsan};
use crate::support::report::Report;
use crate::support::{cuda_files, examples, expectation, fresh_folder, stem};

fn suite(program: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites").join(program)
}

/// The statistics of a check, by name.
fn statistics(file: &Path, flags: &[&str]) -> Vec<(String, u64)> {
    let report = fresh_folder("iguard-statistics").join("report.json");
    let check = ["check", "--detector", "iguard", "--stats", "--format", "json", "--output"];
    run(warpsan(check).arg(&report).args(flags).arg(file));
    let report: Value = serde_json::from_str(&Report::read(&report).text).expect("a report");
    let list = report["summary"]["statistics"].as_array().cloned().unwrap_or_default();
    let read = |one: &Value| {
        (one["name"].as_str().expect("a name").to_owned(), one["value"].as_u64().expect("a number"))
    };
    list.iter().map(read).collect()
}

#[test]
fn every_example_has_the_races_that_it_expects_of_iguard() {
    need_compiler();
    let folder = fresh_folder("iguard-examples");
    let mut problems = Vec::new();
    let kernels = cuda_files(&examples().join("kernels"));
    let programs = cuda_files(&examples());
    for (command, file) in
        programs.iter().map(|file| ("run", file)).chain(kernels.iter().map(|file| ("check", file)))
    {
        let report = folder.join(format!("{}.json", stem(file)));
        let flags = [command, "--detector", "iguard", "--format", "json", "--output"];
        let ended = run(warpsan(flags).arg(&report).arg(file));
        let expected = expectation::of_file_for(file, "iguard");
        ended.expect_code(if expected.is_empty() { 0 } else { 1 });
        let differences = Report::read(&report).differences(file, &expected);
        problems.extend(differences.iter().map(|problem| format!("{}: {problem}", stem(file))));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn statistics_have_a_counter_for_each_rule() {
    need_compiler();
    let counted = statistics(&suite("iguard/r4_no_fence.cu"), &[]);
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
    need_compiler();
    let folder = fresh_folder("iguard-replay");
    for (program, flags) in [
        ("iguard/r4_figure_10_grid_barrier.cu", &[][..]),
        ("iguard/p5_some_threads_have_ended.cu", &[]),
        ("iguard/history_of_one.cu", &["--iguard-history=2"]),
        ("iguard/granularity_of_four_bytes.cu", &["--iguard-granularity=1"]),
        ("iguard/coalescing_on.cu", &["--iguard-coalescing=off", "--warp-sync=warn"]),
    ] {
        let trace = folder.join("a.trace");
        let [direct, replayed] = ["direct.json", "replayed.json"].map(|name| folder.join(name));
        let file = suite(program);
        let detector = ["--detector", "iguard", "--format", "json", "--output"];
        let check = run(warpsan(["check"]).args(detector).arg(&direct).args(flags).arg(&file));
        run(warpsan(["record", "--detector", "none"]).arg(&file).arg("-o").arg(&trace));
        let replay = run(warpsan(["replay"]).args(detector).arg(&replayed).args(flags).arg(&trace));
        assert_eq!(check.code(), replay.code(), "{program}");
        let races = |report: &Path| {
            let report: Value = serde_json::from_str(&Report::read(report).text).expect("JSON");
            report["races"].clone()
        };
        assert_eq!(races(&direct), races(&replayed), "{program}");
    }
}

#[test]
fn bulk_copies_are_said_to_be_not_covered() {
    need_compiler();
    let file = suite("hb/idioms/bulk_load.cu");
    let ended = run(warpsan(["check", "--detector", "iguard"]).arg(&file));
    let text = String::from_utf8_lossy(&ended.expect_code(3).stdout);
    assert!(text.contains("iguard does not follow bulk copies"), "{text}");
    run(warpsan(["check"]).arg(&file)).expect_code(0);
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
