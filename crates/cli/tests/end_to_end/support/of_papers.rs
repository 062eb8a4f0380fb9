//! What the tests of detectors that follow a paper have in common.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::build::need_compiler;
use super::command::{run, warpsan};
use super::report::Report;
use super::{cuda_files, examples, expectation, fresh_folder, stem};

/// A program of the suites.
pub(crate) fn suite(program: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites").join(program)
}

/// The statistics of a check, by name.
pub(crate) fn statistics(detector: &str, file: &Path) -> Vec<(String, u64)> {
    let report = fresh_folder(&format!("{detector}-statistics")).join("report.json");
    let check = ["check", "--detector", detector, "--stats", "--format", "json", "--output"];
    run(warpsan(check).arg(&report).arg(file));
    let report: Value = serde_json::from_str(&Report::read(&report).text).expect("a report");
    let list = report["summary"]["statistics"].as_array().cloned().unwrap_or_default();
    let read = |one: &Value| {
        (one["name"].as_str().expect("a name").to_owned(), one["value"].as_u64().expect("a number"))
    };
    list.iter().map(read).collect()
}

/// Every example has the races that it expects of a detector.
pub(crate) fn expect_of_examples(detector: &str) {
    need_compiler();
    let folder = fresh_folder(&format!("{detector}-examples"));
    let mut problems = Vec::new();
    let kernels = cuda_files(&examples().join("kernels"));
    let programs = cuda_files(&examples());
    for (command, file) in
        programs.iter().map(|file| ("run", file)).chain(kernels.iter().map(|file| ("check", file)))
    {
        let report = folder.join(format!("{}.json", stem(file)));
        let flags = [command, "--detector", detector, "--format", "json", "--output"];
        let ended = run(warpsan(flags).arg(&report).arg(file));
        let expected = expectation::of_file_for(file, detector);
        ended.expect_code(if expected.is_empty() { 0 } else { 1 });
        let differences = Report::read(&report).differences(file, &expected);
        problems.extend(differences.iter().map(|problem| format!("{}: {problem}", stem(file))));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// A trace of these programs gives the same report as the program itself, with these flags.
pub(crate) fn expect_same_from_traces(detector: &str, programs: &[(&str, &[&str])]) {
    need_compiler();
    let folder = fresh_folder(&format!("{detector}-replay"));
    for (program, flags) in programs {
        let trace = folder.join("a.trace");
        let [direct, replayed] = ["direct.json", "replayed.json"].map(|name| folder.join(name));
        let file = suite(program);
        let detector = ["--detector", detector, "--format", "json", "--output"];
        let check = run(warpsan(["check"]).args(detector).arg(&direct).args(*flags).arg(&file));
        run(warpsan(["record", "--detector", "none"]).arg(&file).arg("-o").arg(&trace));
        let replay =
            run(warpsan(["replay"]).args(detector).arg(&replayed).args(*flags).arg(&trace));
        assert_eq!(check.code(), replay.code(), "{program}");
        let races = |report: &Path| {
            let report: Value = serde_json::from_str(&Report::read(report).text).expect("JSON");
            report["races"].clone()
        };
        assert_eq!(races(&direct), races(&replayed), "{program}");
    }
}

/// Kernels with bulk copies are said to be not covered.
pub(crate) fn expect_no_bulk_copies(detector: &str) {
    need_compiler();
    let file = suite("hb/idioms/bulk_load.cu");
    let ended = run(warpsan(["check", "--detector", detector]).arg(&file));
    let text = String::from_utf8_lossy(&ended.expect_code(3).stdout);
    assert!(text.contains(&format!("{detector} does not follow bulk copies")), "{text}");
    run(warpsan(["check"]).arg(&file)).expect_code(0);
}
