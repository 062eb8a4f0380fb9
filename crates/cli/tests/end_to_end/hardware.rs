//! `warpsan hardware`: from a recorded program to the tables of the timing model.

use std::path::{Path, PathBuf};

use crate::support::build::need_compiler;
use crate::support::command::{run, warpsan};
use crate::support::{examples, fresh_folder};

/// A folder with the trace of a whole program.
fn recorded(folder: &Path) -> PathBuf {
    need_compiler();
    let traces = folder.join("histogram");
    let source = examples().join("histogram.cu");
    let mut command = warpsan(["run", "--detector", "none", "--record-trace"]);
    run(command.arg(&traces).arg("--").arg(source)).expect_code(0);
    traces
}

fn output(traces: &Path, flags: &[&str]) -> String {
    let ended = run(warpsan(["hardware"]).args(flags).arg(traces));
    String::from_utf8_lossy(&ended.expect_code(0).stdout).into_owned()
}

#[test]
fn a_program_gets_the_tables_of_all_figures() {
    let traces = recorded(&fresh_folder("hardware"));
    let text = output(&traces, &[]);
    for part in ["Figure 8", "Figure 9", "Figure 10", "Figure 11", "\nhistogram ", "35.0 %"] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    assert_eq!(output(&traces, &["--jobs", "3"]), text, "the same however many run at a time");
    let markdown = output(&traces, &["--format", "markdown"]);
    assert!(markdown.contains("| histogram | "), "{markdown}");
}

#[test]
fn programs_get_everything_as_json() {
    let traces = recorded(&fresh_folder("hardware-json"));
    let json: serde_json::Value =
        serde_json::from_str(&output(&traces, &["--format", "json"])).expect("valid JSON");
    let one = &json["traces"][0];
    assert_eq!(one["name"], "histogram");
    let number = |value: &serde_json::Value| value.as_u64().expect("a number");
    let cycles = |run: &str| number(&one[run]["cycles"]);
    assert!(cycles("none") > 0 && cycles("scord") > 0 && cycles("base") > 0, "{one}");
    assert_eq!(number(&one["none"]["dram"]["metadata_reads"]), 0);
    assert!(number(&one["base"]["dram"]["metadata_reads"]) > 0);
    assert_eq!(json["configuration"]["multiprocessors"], 15);
}

#[test]
fn what_is_no_trace_is_an_error() {
    let folder = fresh_folder("hardware-wrong");
    let source = examples().join("histogram.cu");
    let ended = run(warpsan(["hardware"]).arg(source));
    ended.expect_code(2).expect_stderr(&["histogram.cu", "not a trace"]);
    run(warpsan(["hardware"]).arg(&folder)).expect_code(2).expect_stderr(&["--record-trace"]);
}

#[test]
fn threads_run_on_a_multicore_with_parsnip() {
    let folder = fresh_folder("hardware-parsnip");
    let trace = folder.join("two.std");
    let text = "T0|w(x)|1\nT0|fork(T1)|2\nT0|w(x)|3\nT1|r(x)|4\nT0|w(y)|5\nT0|r(y)|6\n";
    std::fs::write(&trace, text).expect("a trace");
    let text = output(&trace, &["--model", "parsnip"]);
    for part in
        ["Figure 4.1", "Figure 4.7", "Figure 4.9", "Figure 4.10", "Figure 4.11", "Table 4.3"]
    {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&output(&trace, &["--model", "parsnip", "--format", "json"]))
            .expect("valid JSON");
    let one = &json["traces"][0];
    assert_eq!((&one["name"], &one["races"]), (&"two".into(), &1.into()));
    assert_eq!(one["comparison"]["parsnip"]["accesses"], 5);
    assert_eq!(json["settings"]["table_entries"], 15);
    let counted = output(&trace, &["--model", "parsnip", "--instructions", "2.5", "--turns", "4"]);
    assert!(counted.contains("Figure 4.7"), "{counted}");
    let ended = run(warpsan(["hardware", "--turns", "4"]).arg(&trace));
    ended.expect_code(2).expect_stderr(&["--model parsnip"]);
    let ended = run(warpsan(["hardware", "--model", "parsnip", "--instructions", "0"]).arg(&trace));
    ended.expect_code(2).expect_stderr(&["from 1 to 1000"]);
    std::fs::write(folder.join("instructions-per-access"), "many").expect("a file");
    let ended = run(warpsan(["hardware", "--model", "parsnip"]).arg(&trace));
    ended.expect_code(2).expect_stderr(&["instructions-per-access"]);
    let ended = run(warpsan(["hardware"]).arg(&trace));
    ended.expect_code(2).expect_stderr(&["two.std"]);
    let source = examples().join("histogram.cu");
    let ended = run(warpsan(["hardware", "--model", "parsnip"]).arg(source));
    ended.expect_code(2).expect_stderr(&["not a trace of threads"]);
}

/// The races of a report, each by its places.
fn races(trace: &std::path::Path, detector: &str) -> Vec<serde_json::Value> {
    let ended = run(warpsan(["replay", "--format", "json", "--detector", detector]).arg(trace));
    let report: serde_json::Value =
        serde_json::from_slice(&ended.expect_code(1).stdout).expect("valid JSON");
    report["races"].as_array().expect("a list of races").clone()
}

#[test]
fn parsnip_reports_what_fasttrack_does() {
    let folder = fresh_folder("replay-parsnip");
    let trace = folder.join("three.std");
    let text = "T0|w(x)|1\nT0|w(y)|2\nT0|fork(T1)|3\nT0|fork(T2)|4\nT1|r(x)|5\nT2|acq(l)|6\nT2|r(x)|7\nT2|rel(l)|8\n\
                T1|acq(l)|9\nT1|w(x)|10\nT1|rel(l)|11\nT0|w(y)|12\nT2|w(y)|13\nT0|join(T1)|14\nT0|r(x)|15\n";
    std::fs::write(&trace, text).expect("a trace");
    let of_parsnip = races(&trace, "parsnip");
    assert_eq!(of_parsnip, races(&trace, "fasttrack"));
    assert_eq!(of_parsnip.len(), 1, "two writes to y");
    let ended = run(&mut warpsan(["run", "--detector", "parsnip", "--", "true"]));
    ended.expect_code(2).expect_stderr(&["parsnip"]);
}
