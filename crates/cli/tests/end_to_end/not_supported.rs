//! What warpsan cannot check is named with its place, and the program is never called clean.

use crate::support::build::executable;
use crate::support::command::{Ended, run, warpsan};
use crate::support::report::Report;
use crate::support::{fresh_folder, program};

/// Runs a program with the arguments; gives its end and its report.
fn run_with_report(name: &str, arguments: &[&str]) -> (Ended, Report) {
    let folder = fresh_folder(&format!("not-supported-{name}-{}", arguments.concat()));
    let built = executable(&program(name), &folder);
    let file = folder.join("report.json");
    let flags = ["run", "--format", "json", "--output"];
    let ended = run(warpsan(flags).arg(&file).arg("--").arg(&built).args(arguments));
    (ended, Report::read(&file))
}

/// The number of the line with this text.
fn line_with(name: &str, text: &str) -> usize {
    let source = std::fs::read_to_string(program(name)).expect("the program is readable");
    source.lines().position(|line| line.contains(text)).expect("the text is in the program") + 1
}

#[test]
fn an_instruction_is_named_with_kernel_and_line() {
    let (ended, report) = run_with_report("texture.cu", &[]);
    ended.expect_code(3);
    assert!(report.races().is_empty(), "{}", report.text);
    let line = format!("texture.cu:{}", line_with("texture.cu", "tex1Dfetch"));
    let named = report
        .not_covered()
        .iter()
        .any(|(what, at)| what.contains("tex") && at.contains("fetch") && at.contains(&line));
    assert!(named, "instruction, kernel and {line}:\n{}", report.text);
}

#[test]
fn the_text_report_says_it_too_and_does_not_say_clean() {
    let folder = fresh_folder("not-supported-text");
    let built = executable(&program("texture.cu"), &folder);
    let ended = run(warpsan(["run", "--"]).arg(&built));
    let line = format!("texture.cu:{}", line_with("texture.cu", "tex1Dfetch"));
    ended.expect_code(3).expect_stderr(&["tex", "fetch", &line]);
    assert!(!ended.stderr.contains("clean"), "{}", ended.stderr);
}

#[test]
fn a_race_beside_it_is_still_found() {
    let (ended, report) = run_with_report("texture.cu", &["race"]);
    ended.expect_code(1);
    assert_eq!(report.races().len(), 1, "{}", report.text);
    assert!(!report.not_covered().is_empty(), "{}", report.text);
}

#[test]
fn a_function_of_cuda_is_named() {
    let (ended, report) = run_with_report("graph.cu", &[]);
    ended.expect_code(3);
    let named = report.not_covered().iter().any(|(what, _)| what.contains("cudaGraphInstantiate"));
    assert!(named, "{}", report.text);
}
