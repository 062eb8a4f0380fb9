//! `--jobs`, and several files at once: results depend on neither.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::build::{executable, need_compiler};
use crate::support::command::{run, unique_number, warpsan};
use crate::support::{cuda_files, examples, fresh_folder, program};

fn kernels() -> Vec<PathBuf> {
    let mut files = cuda_files(&examples().join("kernels"));
    files.push(program("kernels.cu"));
    files
}

#[test]
fn reports_and_traces_do_not_depend_on_the_number_of_cores() {
    need_compiler();
    let folder = fresh_folder("jobs-traces");
    let trace = folder.join("a.trace");
    for file in kernels() {
        for schedule in ["random", "round-robin", "pct:3"] {
            let results = ["1", "2", "7"].map(|jobs| {
                let flags = ["--seed", "4", "--schedule", schedule, "--jobs", jobs];
                let checked = run(warpsan(["check", "--format", "json"]).args(flags).arg(&file));
                run(warpsan(["record"]).args(flags).arg(&file).arg("-o").arg(&trace));
                (
                    checked.code(),
                    checked.stdout,
                    checked.stderr,
                    std::fs::read(&trace).expect("a trace"),
                )
            });
            assert!(results[0].3.len() > 200);
            assert!(
                results[0] == results[1] && results[1] == results[2],
                "{} {schedule}",
                file.display()
            );
        }
    }
}

#[test]
fn the_report_of_a_program_does_not_depend_on_the_number_of_cores() {
    let folder = fresh_folder("jobs-run");
    let built = executable(&examples().join("histogram_racy.cu"), &folder);
    let results = ["1", "5"].map(|jobs| {
        let file = folder.join("report.json");
        let flags = ["run", "--jobs", jobs, "--format", "json", "--output"];
        run(warpsan(flags).arg(&file).arg("--").arg(&built)).expect_code(1);
        std::fs::read(&file).expect("a report")
    });
    assert_eq!(results[0], results[1]);
}

#[test]
fn several_files_are_reported_in_the_order_of_the_command_line() {
    need_compiler();
    let mut files = kernels();
    files.reverse();
    let results = ["1", "2", "16"].map(|jobs| {
        let flags = ["check", "--print", "all", "--jobs", jobs];
        let ended = run(warpsan(flags).args(&files));
        ended.expect_code(1);
        (String::from_utf8_lossy(&ended.stdout).into_owned(), ended.stderr)
    });
    assert!(results[0] == results[1] && results[1] == results[2]);
    let (text, printed) = &results[0];
    let places: Vec<usize> = files
        .iter()
        .map(|file| text.find(&format!("== {}\n", file.display())).expect("the file's name"))
        .collect();
    assert!(places.is_sorted(), "{text}");
    assert_eq!(text.matches("error[missing-sync]").count(), 1, "{text}");
    assert_eq!(printed.matches("block 1 thread 1 of ").count(), 1, "{printed}");
}

#[test]
fn several_reports_as_json_are_one_list() {
    need_compiler();
    let files = kernels();
    let file = fresh_folder("several-json").join("report.json");
    run(warpsan(["check", "--format", "json", "--output"]).arg(&file).args(&files)).expect_code(1);
    let text = std::fs::read_to_string(&file).expect("a report");
    let list: Vec<Value> = serde_json::from_str(&text).expect("a list");
    assert_eq!(list.len(), files.len());
    for (one, file) in list.iter().zip(&files) {
        assert_eq!(one["file"].as_str(), file.to_str());
        let alone = run(warpsan(["check", "--format", "json"]).arg(file));
        let alone: Value = serde_json::from_slice(&alone.stdout).expect("a report");
        assert_eq!(one["report"], alone, "{}", file.display());
    }
}

#[test]
fn a_file_that_cannot_be_checked_does_not_keep_the_others() {
    need_compiler();
    let folder = fresh_folder(&format!("several-bad-{}", unique_number()));
    let broken = folder.join("broken.ptx");
    std::fs::write(&broken, "//@ launch: k<<<1, 1>>>()\nnonsense\n").expect("a file");
    let silent = folder.join("silent.cu");
    std::fs::write(&silent, "__global__ void k() {}\n").expect("a file");
    let racy = examples().join("kernels/reverse_racy.cu");
    let ended = run(warpsan(["check"]).args([&broken, &silent, &racy]));
    ended.expect_code(2).expect_stderr(&["broken.ptx", "silent.cu does not say how"]);
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(text.contains("error[missing-sync]"), "{text}");
    let ended = run(warpsan(["check", "--format", "json"]).args([&silent, &racy]));
    let list: Vec<Value> = serde_json::from_slice(&ended.expect_code(2).stdout).expect("a list");
    assert!(list[0]["error"].as_str().is_some_and(|error| error.contains("does not say how")));
    assert_eq!(list[1]["report"]["races"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_is_for_one_file_is_refused_with_several() {
    let files = [examples().join("kernels/reverse.cu"), examples().join("kernels/reduce.cu")];
    let trace = fresh_folder("several-trace").join("a.trace");
    let trace = trace.to_string_lossy();
    for (command, flags, says) in [
        ("check", &["--launch", "reverse<<<1, 1>>>()"][..], "--launch is for one file"),
        ("check", &["--record-schedule", "x"], "stored schedules are of one file"),
        ("record", &["-o", &trace], "a trace is of one file"),
    ] {
        let ended = run(warpsan([command]).args(flags).args(&files));
        ended.expect_code(2).expect_stderr(&[says, "2 are given"]);
    }
}
