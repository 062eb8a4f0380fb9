use serde_json::json;

use super::super::head::Head;
use super::super::program::SourceFile;
use super::*;
use crate::limited::Ended;
use std::time::Duration;
use warpsan_suite::expectations_of;

/// A program that prints `ok`, ends with this code, and consists of these files.
fn program(exit: u8, texts: &[&str]) -> Program {
    let file = |(number, text): (usize, &&str)| SourceFile {
        path: format!("file{number}.cu").into(),
        text: text.to_string(),
        expectations: expectations_of(text, "hb").expect("comments"),
    };
    let files: Vec<SourceFile> = texts.iter().enumerate().map(file).collect();
    let head = Head { exit, ..Head::default() };
    Program { name: "a_b".to_owned(), head, files, stdout: "ok\n".to_owned() }
}

fn run(code: i32, stdout: &str, report: Value) -> Run {
    let (stdout, stderr) = (stdout.to_owned(), "words\nmore\n".to_owned());
    let ended = Ended {
        code: Some(code),
        signal: None,
        hung: false,
        time: Duration::from_secs(1),
        memory: 0,
        stdout,
        stderr,
    };
    Run { ended, report: Ok(report) }
}

fn race(file: &str, lines: (u64, u64)) -> Value {
    let side = |line: u64| json!({"position": {"file": file, "line": line}, "instruction": "st"});
    json!({"kind": "scope", "severity": "error", "count": 1, "first": side(lines.0), "second": side(lines.1)})
}

fn report(races: &[Value], not_covered: &[&str], program: Option<&str>) -> Value {
    let not_covered: Vec<Value> =
        not_covered.iter().map(|what| json!({"what": what, "where": "here"})).collect();
    json!({"races": races, "not_covered": not_covered, "summary": {"program": program}})
}

fn kinds(program: &Program, run: &Run) -> Vec<&'static str> {
    judge(program, run).differences.iter().map(Difference::kind).collect()
}

const RACY: &str = "x; //~ race: scope (with line 3)";

#[test]
fn a_clean_program_prints_and_ends_as_on_the_gpu() {
    let clean = program(0, &[""]);
    let nothing = || report(&[], &[], None);
    assert!(judge(&clean, &run(0, "ok\n", nothing())).is_right());
    assert_eq!(kinds(&clean, &run(0, "no\n", nothing())), ["stdout"]);
    assert_eq!(kinds(&clean, &run(0, "ok", nothing())), ["stdout"]);
    assert_eq!(kinds(&clean, &run(1, "ok\n", nothing())), ["exit"]);
    let failed = report(&[], &[], Some("the program ended with code 1"));
    let judged = judge(&clean, &run(1, "ok\n", failed));
    assert!(judged.differences[0].detail().contains("ends with 1"), "{judged:?}");
    assert!(judged.differences[0].detail().ends_with("it says: words"), "{judged:?}");
    assert!(judged.verdict_is_right() && !judged.output_is_right());
}

#[test]
fn a_failing_code_of_the_program_is_passed_on_and_found_where_it_is_not() {
    let aborts = program(134, &[RACY]);
    let found = |not_covered: &[&str], words: &str| {
        report(&[race("/x/file0.cu", (3, 1))], not_covered, Some(words))
    };
    let signal = "the program was ended by signal 6";
    assert!(judge(&aborts, &run(134, "ok\n", found(&[], signal))).is_right());
    assert_eq!(kinds(&aborts, &run(1, "ok\n", found(&[], signal))), ["exit"]);
    let code = "the program ended with code 6";
    assert_eq!(kinds(&aborts, &run(6, "ok\n", found(&[], code))), ["exit"]);
    // Where nothing is found and something is not covered, warpsan ends with 3 whatever the program says.
    let gap = report(&[], &["w"], Some(signal));
    assert_eq!(kinds(&aborts, &run(3, "ok\n", gap)), ["missed", "not covered"]);
}

#[test]
fn the_launch_that_a_fault_stops_has_to_be_reported() {
    let mut faulty = program(0, &[""]);
    let fault = "the launch was stopped: an illegal address";
    let stopped = || run(3, "ok\n", report(&[], &[fault], None));
    assert_eq!(kinds(&faulty, &stopped()), ["not covered"]);
    faulty.head.is_stopped = true;
    assert!(judge(&faulty, &stopped()).is_right());
    let more = run(3, "ok\n", report(&[], &[fault, "cudaX"], None));
    assert_eq!(kinds(&faulty, &more), ["not covered"]);
    assert_eq!(kinds(&faulty, &run(0, "ok\n", report(&[], &[], None))), ["not covered"]);
}

#[test]
fn races_have_to_be_those_of_the_comments() {
    let racy = program(0, &[RACY]);
    let with = |races: &[Value]| run(1, "ok\n", report(races, &[], None));
    assert!(judge(&racy, &with(&[race("file0.cu", (1, 3))])).is_right());
    let other = with(&[race("file0.cu", (1, 3)), race("file0.cu", (2, 3))]);
    assert_eq!(kinds(&racy, &other), ["unexpected"]);
    assert_eq!(kinds(&racy, &run(0, "ok\n", report(&[], &[], None))), ["missed"]);
    assert!(!judge(&racy, &other).verdict_is_right() && judge(&racy, &other).output_is_right());
}

#[test]
fn comments_of_a_part_name_lines_of_that_part() {
    let racy = program(0, &["", RACY]);
    let with = |file: &str| run(1, "ok\n", report(&[race(file, (1, 3))], &[], None));
    assert!(judge(&racy, &with("file1.cu")).is_right());
    let judged = judge(&racy, &with("file0.cu"));
    assert_eq!(judged.differences.len(), 2, "missed there, and not expected here: {judged:?}");
}

#[test]
fn what_keeps_a_program_from_being_judged_is_the_only_difference() {
    let clean = program(0, &[""]);
    let late = report(&[], &["what the program would have done after 20 seconds"], None);
    assert_eq!(kinds(&clean, &run(3, "", late)), ["time-out"]);
    let mut failed = run(2, "", Value::Null);
    assert_eq!(kinds(&clean, &failed), ["no report"]);
    failed.report = Err(anyhow::anyhow!("there is none"));
    let judged = judge(&clean, &failed);
    assert!(!judged.output_is_right() && !judged.verdict_is_right());
    assert!(judged.differences[0].to_string().starts_with("no report: there is none"));
}
