//! The checked process stays itself: its output, its arguments, its exit code and its death.

use std::process::Command;

use crate::support::build::executable;
use crate::support::command::{Running, run, start, warpsan};
use crate::support::report::Report;
use crate::support::{examples, fresh_folder, program};

#[test]
fn output_arguments_and_exit_code_are_untouched() {
    let folder = fresh_folder("untouched");
    let talker = executable(&program("talker.cu"), &folder);
    let ended = run(warpsan(["run", "--"]).arg(&talker).args(["--seed", "two words"]));
    ended.expect_code(7);
    assert_eq!(ended.stdout, b"\x00\xff\x1b[0m --seed|two words\r\n49 without newline");
    ended.expect_stderr(&["the program's own words\n"]);
}

#[test]
fn the_report_goes_to_the_file_and_nothing_is_added_to_the_programs_output() {
    let folder = fresh_folder("report-file");
    let talker = executable(&program("talker.cu"), &folder);
    let file = folder.join("report.txt");
    let ended = run(warpsan(["run", "--output"]).arg(&file).arg("--").arg(&talker));
    ended.expect_code(7);
    assert_eq!(ended.stdout, b"\x00\xff\x1b[0m\r\n49 without newline");
    let report = std::fs::read_to_string(&file).expect("the report is in the file");
    assert!(report.contains('7'), "the summary says how the program ended:\n{report}");
}

#[test]
fn a_program_that_aborts_ends_as_in_a_shell() {
    let folder = fresh_folder("abort");
    let talker = executable(&program("talker.cu"), &folder);
    run(warpsan(["run", "--"]).arg(&talker).arg("abort")).expect_code(128 + 6);
}

#[test]
fn processes_that_the_program_starts_are_checked_too() {
    let folder = fresh_folder("children");
    let racy = executable(&examples().join("missing_sync.cu"), &folder);
    let clean = executable(&examples().join("vector_add.cu"), &folder);
    let file = folder.join("report.json");
    let flags = ["run", "--format", "json", "--output"];
    let script = ["--", "sh", "-c", "\"$0\" && \"$1\" && \"$0\""];
    run(warpsan(flags).arg(&file).args(script).arg(&racy).arg(&clean)).expect_code(1);
    let report = Report::read(&file);
    assert_eq!(report.summary("processes"), 3, "{}", report.text);
    assert_eq!(report.races().len(), 1, "the same race of two processes is one\n{}", report.text);
}

/// Waits until the program has said its process number, then kills it the hard way.
fn kill_program(running: &mut Running) {
    let number = running.wait_for("process number", |running| {
        let text = String::from_utf8_lossy(&running.stdout()).into_owned();
        text.strip_suffix('\n')?.parse::<u32>().ok()
    });
    // In the mode that stays in a kernel, give the second launch a moment to begin.
    std::thread::sleep(std::time::Duration::from_millis(200));
    let status = Command::new("kill").args(["-9", &number.to_string()]).status();
    assert!(status.expect("kill starts").success(), "the program {number} was there to be killed");
}

fn race_survives_kill(mode: &str) {
    let folder = fresh_folder(&format!("kill-{mode}"));
    let victim = executable(&program("victim.cu"), &folder);
    let file = folder.join("report.json");
    let flags = ["run", "--format", "json", "--output"];
    let mut running = start(warpsan(flags).arg(&file).arg("--").arg(&victim).arg(mode));
    kill_program(&mut running);
    running.end().expect_code(128 + 9);
    let report = Report::read(&file);
    let expected = crate::support::expectation::of_file(&program("victim.cu"));
    let races = report.races();
    assert_eq!(races.len(), expected.len(), "{}", report.text);
    assert_eq!(races[0].lines, expected[0].lines, "{}", report.text);
    assert_eq!((races[0].kind.as_str(), races[0].severity.as_str()), ("missing-sync", "error"));
    assert!(races[0].kernel.contains("rotate"), "{}", report.text);
}

#[test]
fn the_race_is_in_the_report_when_the_program_is_killed_on_the_host() {
    race_survives_kill("host");
}

#[test]
fn the_race_is_in_the_report_when_the_program_is_killed_in_a_kernel() {
    race_survives_kill("kernel");
}
