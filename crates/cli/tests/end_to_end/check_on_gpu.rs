//! `warpsan check --engine gpu` in front of the driver that does nothing: it has one kernel, which it runs itself, and none that could
//! be instrumented, so that no launch is checked. That the launches are made as the file says needs no GPU.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::check_flags::kernels;
use crate::forwarder::{REAL_DRIVER, fake_driver};
use crate::support::command::{Ended, run, unique_number, warpsan};
use crate::support::fresh_folder;

const INCREMENT: &str = "increment<<<1, 100>>>(numbers: u32[100] = iota)";

fn driver() -> PathBuf {
    fake_driver(&fresh_folder(&format!("check-gpu-{}", unique_number())))
}

fn command(launches: &[&str], flags: &[&str]) -> Command {
    let mut command = warpsan(["check", "--engine", "gpu"]);
    command.args(flags).arg(kernels(launches)).env(REAL_DRIVER, driver());
    command
}

fn check(launches: &[&str], flags: &[&str]) -> Ended {
    run(&mut command(launches, flags))
}

fn json(ended: &Ended) -> Value {
    serde_json::from_slice(&ended.stdout).expect("JSON")
}

#[test]
fn launches_are_made_as_the_file_says_and_what_was_not_checked_is_reported() {
    let ended = check(&[INCREMENT, INCREMENT], &["--format", "json"]);
    let report = json(ended.expect_code(3));
    assert_eq!(report["summary"]["engine"], "gpu");
    assert_eq!(report["summary"]["launches"], 2);
    assert_eq!(report["not_covered"][0]["where"], "kernel `increment`");
    assert_eq!(report["not_covered"].as_array().map(Vec::len), Some(1), "{report}");
}

#[test]
fn buffers_hold_what_was_asked_for_and_what_the_kernel_makes_of_it() {
    for (values, first) in [("zero", "1 1 1 1"), ("iota", "1 2 3 4"), ("41", "42 42 42 42")] {
        let launch = format!("increment<<<1, 4>>>(numbers: u32[5] = {values})");
        // A detector on the host hears of copies, fills and waits, too.
        for detector in ["iguard", "hb"] {
            let ended = check(&[&launch], &["--print", "numbers", "--detector", detector]);
            let shown = String::from_utf8_lossy(&ended.expect_code(3).stdout).into_owned();
            let expected = format!("numbers: u32[5] after launch 0 of `increment`\n  [0] {first} ");
            assert!(shown.starts_with(&expected), "{shown}");
            assert!(
                !shown.contains("incremented"),
                "what kernels print is not for standard output"
            );
            ended.expect_stderr(&["incremented 4\n"]);
        }
    }
}

#[test]
fn launches_of_the_command_line_take_the_place_of_those_in_the_file() {
    let flags = ["--launch", "increment<<<1, 7>>>(n: u32[7])", "--print", "n", "--print-all"];
    let ended = check(&[INCREMENT], &flags);
    ended.expect_code(3).expect_stderr(&["incremented 7\n"]);
    assert!(!ended.stderr.contains("incremented 100"), "{}", ended.stderr);
}

#[test]
fn launches_that_do_not_fit_the_file_are_refused() {
    for (launch, reason) in [
        ("increase<<<1, 1>>>(n: u32[1])", "there is no such kernel; the file has: increment"),
        ("increment<<<1, 1>>>()", "the kernel takes 1 arguments, 0 are given"),
        ("increment<<<1, 1>>>(n: u32 = 1)", "`n` has 4 bytes, the parameter 8"),
        ("increment<<<99, 1>>>(n: u32[1])", "cuLaunchKernelEx answers"),
    ] {
        let ended = check(&[launch], &[]);
        ended.expect_code(2).expect_stderr(&["kernels.ptx:1: the launch of", reason]);
        assert!(ended.stdout.is_empty(), "there is no report");
    }
}

#[test]
fn a_kernel_that_the_device_stops_is_reported() {
    let mut command = command(&[INCREMENT], &["--format", "json"]);
    let ended = run(command.env("FAKE_FAULT", "1"));
    let report = json(ended.expect_code(3));
    let not_covered = report["not_covered"].to_string();
    assert!(not_covered.contains("cuCtxSynchronize answers"), "{not_covered}");
}

#[test]
fn there_has_to_be_a_device() {
    let ended = run(command(&[INCREMENT], &[]).env("FAKE_DEVICES", "0"));
    ended.expect_code(2).expect_stderr(&["needs a GPU", "cuInit answers"]);
    let ended = run(command(&[INCREMENT], &[]).env(REAL_DRIVER, "/no-driver.so"));
    ended.expect_code(2).expect_stderr(&["needs a GPU", "no-driver.so"]);
    let ended = check(&[INCREMENT], &["--schedule", "round-robin"]);
    ended.expect_code(2).expect_stderr(&["--schedule", "CPU engine"]);
}

#[test]
fn several_files_have_a_report_each() {
    let other = kernels(&["increase<<<1, 1>>>()"]);
    let mut command = command(&[INCREMENT], &["--format", "json"]);
    let ended = run(command.arg(&other));
    let report = json(ended.expect_code(2));
    let text = report.to_string();
    assert!(text.contains("kernel `increment`") && text.contains("no such kernel"), "{text}");
}

#[test]
fn the_engine_of_files_is_the_cpu_unless_the_gpu_is_asked_for() {
    for flags in [&[][..], &["--engine", "auto"], &["--engine", "cpu"]] {
        let mut command = warpsan(["check", "--format", "json"]);
        command.args(flags).arg(kernels(&[INCREMENT])).env(REAL_DRIVER, driver());
        let report = json(run(&mut command).expect_code(0));
        assert_eq!(report["summary"]["engine"], "cpu", "{flags:?}");
    }
}

#[test]
fn what_happens_on_the_gpu_can_be_recorded() {
    let trace = fresh_folder("check-gpu-trace").join("kernels.trace");
    let mut command = warpsan(["record", "--engine", "gpu", "-o"]);
    command.arg(&trace).arg(kernels(&[INCREMENT])).env(REAL_DRIVER, driver());
    run(&mut command).expect_code(3);
    let replayed = run(warpsan(["replay", "--format", "json"]).arg(&trace));
    assert_eq!(json(replayed.expect_code(3))["summary"]["launches"], 1);
}
