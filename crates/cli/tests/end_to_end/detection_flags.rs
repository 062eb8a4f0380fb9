//! Flags that say what counts as a race, for `check`, `run` and `replay` alike.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::build::executable;
use crate::support::command::{Ended, run, unique_number, warpsan};
use crate::support::fresh_folder;

/// Lanes that rely on lockstep; volatile accesses of two blocks; stores of one value by two blocks; a hand-over by the bare order of fences;
/// and two launches of one variable.
const PTX: &str = "\
.version 8.0
.target sm_90
.address_size 64
.global .align 4 .u32 total;
.visible .entry lockstep(.param .u64 data)
{
.reg .b64 %rd<5>;
.reg .b32 %r<4>;
ld.param.u64 %rd1, [data];
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd2, %r1, 4;
add.u64 %rd3, %rd1, %rd2;
st.global.u32 [%rd3], %r1;
xor.b32 %r2, %r1, 1;
mul.wide.u32 %rd2, %r2, 4;
add.u64 %rd4, %rd1, %rd2;
ld.global.u32 %r3, [%rd4];
ret;
}
.visible .entry shout(.param .u64 data)
{
.reg .b64 %rd<2>;
.reg .b32 %r<2>;
ld.param.u64 %rd1, [data];
mov.u32 %r1, %ctaid.x;
st.volatile.global.u32 [%rd1], %r1;
ret;
}
.visible .entry agree(.param .u64 data)
{
.reg .b64 %rd<2>;
ld.param.u64 %rd1, [data];
st.global.u32 [%rd1], 1;
ret;
}
.visible .entry fences(.param .u64 data)
{
.reg .pred %p<2>;
.reg .b64 %rd<2>;
.reg .b32 %r<6>;
ld.param.u64 %rd1, [data];
mov.u32 %r1, %ctaid.x;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra second;
st.global.u32 [%rd1], %r1;
fence.sc.gpu;
ret;
second:
mov.u32 %r2, 0;
wait:
add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, 2000;
@%p1 bra wait;
fence.sc.gpu;
ld.global.u32 %r4, [%rd1];
ret;
}
.visible .entry count()
{
.reg .b32 %r<3>;
ld.global.u32 %r1, [total];
add.u32 %r2, %r1, 1;
st.global.u32 [total], %r2;
ret;
}
";

fn kernels(launches: &[&str]) -> PathBuf {
    let path = fresh_folder(&format!("detection-{}", unique_number())).join("kernels.ptx");
    let launches: String =
        launches.iter().map(|launch| format!("//@ launch: {launch}\n")).collect();
    std::fs::write(&path, launches + PTX).expect("a file can be written");
    path
}

fn report(ended: &Ended) -> Value {
    serde_json::from_slice(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:#?}"))
}

/// The exit code, and kind and severity of each race; a replay of a trace that was recorded without the
/// flags gives the same.
#[track_caller]
fn verdict(file: &Path, flags: &[&str]) -> (i32, Vec<(String, String)>) {
    let trace = file.with_extension("trace");
    run(warpsan(["record", "--detector", "none"]).arg(file).arg("-o").arg(&trace)).expect_code(0);
    let checked = run(warpsan(["check", "--format", "json"]).args(flags).arg(file));
    let replayed = run(warpsan(["replay", "--format", "json"]).args(flags).arg(&trace));
    assert_eq!(checked.code(), replayed.code(), "{}", replayed.stderr);
    let (checked_report, replayed_report) = (report(&checked), report(&replayed));
    assert_eq!(checked_report, replayed_report);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let races = checked_report["races"].as_array().expect("races").iter();
    let races = races.map(|race| (text(&race["kind"]), text(&race["severity"]))).collect();
    (checked.code(), races)
}

fn one(kind: &str, severity: &str) -> Vec<(String, String)> {
    vec![(kind.to_owned(), severity.to_owned())]
}

const LOCKSTEP: &str = "lockstep<<<1, 32>>>(data: u32[32])";
const SHOUT: &str = "shout<<<2, 1>>>(data: u32[1])";
const AGREE: &str = "agree<<<2, 1>>>(data: u32[1])";

#[test]
fn what_some_programs_rely_on_is_treated_as_asked() {
    let cases = [
        (LOCKSTEP, "--warp-sync", "warp-sync", "error"),
        (SHOUT, "--volatile", "volatile", "warning"),
        (AGREE, "--same-value", "same-value", "warning"),
    ];
    for (launch, flag, kind, usual) in cases {
        let file = kernels(&[launch]);
        let flag = |how: &str| format!("{flag}={how}");
        assert_eq!(verdict(&file, &[]), (i32::from(usual == "error"), one(kind, usual)));
        assert_eq!(verdict(&file, &[&flag("warn")]), (0, one(kind, "warning")));
        assert_eq!(verdict(&file, &["--strict"]), (1, one(kind, usual)));
        assert_eq!(verdict(&file, &[&flag("error")]), (1, one(kind, "error")));
        assert_eq!(verdict(&file, &[&flag("allow"), "--strict"]), (0, Vec::new()));
    }
}

#[test]
fn the_bare_order_of_fences_counts_if_asked() {
    let file = kernels(&["fences<<<2, 1>>>(data: u32[1])"]);
    // The second block waits long enough to come second under any fair schedule.
    let flags = ["--schedule", "round-robin"];
    let check = |more: &[&str]| {
        let flags = [&["check", "--format", "json"], &flags[..], more].concat();
        run(warpsan(flags).arg(&file)).code()
    };
    assert_eq!(check(&[]), 1);
    assert_eq!(check(&["--fence-sc=pattern"]), 1);
    assert_eq!(check(&["--fence-sc=order"]), 0);
}

#[test]
fn launches_of_different_streams_are_not_ordered() {
    let case = |streams: [&str; 3]| {
        let launches = streams.map(|stream| format!("count<<<1, 1{stream}>>>()"));
        let (code, races) = verdict(&kernels(&launches.each_ref().map(String::as_str)), &[]);
        assert!(races.iter().all(|(kind, _)| kind == "inter-kernel"), "{races:?}");
        code
    };
    let (none, one, two) = ("", ", stream=1", ", stream=2");
    assert_eq!(case([none, none, none]), 0);
    assert_eq!(case([one, one, one]), 0);
    assert_eq!(case([none, two, two]), 0);
    assert_eq!(case([one, none, two]), 0, "the default stream is between them");
    assert_eq!(case([one, two, none]), 1);
    assert_eq!(case([none, one, two]), 1);
    assert_eq!(case([one, two, one]), 1);
}

#[test]
fn statistics_are_shown_where_they_are_asked_for() {
    let file = kernels(&[LOCKSTEP]);
    let statistics = |flags: &[&str]| {
        let ended = run(warpsan(["check", "--format", "json"]).args(flags).arg(&file));
        report(&ended)["summary"]["statistics"].as_array().cloned().unwrap_or_default()
    };
    assert!(statistics(&[]).is_empty());
    let counted = statistics(&["--stats"]);
    let value = |one: &Value| one["value"].as_u64().expect("a number");
    assert!(counted.iter().any(|one| value(one) > 0), "{counted:?}");
    assert!(statistics(&["--stats", "--detector", "none"]).is_empty(), "it counts nothing");
    // Counts add up over seeds; the most that there was at one time does not.
    let explored = statistics(&["--stats", "--explore", "3"]);
    assert_eq!(counted.len(), explored.len());
    assert!(counted.iter().zip(&explored).all(|(one, all)| {
        let is_peak = one["name"].as_str().is_some_and(|name| name.ends_with("(peak)"));
        one["name"] == all["name"] && (is_peak || value(all) >= value(one))
    }));
    let text = run(warpsan(["check", "--stats"]).arg(&file));
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    let name = counted[0]["name"].as_str().expect("a name");
    assert!(text.contains(name), "`{name}` in:\n{text}");
    verdict(&file, &["--stats"]);
}

#[test]
fn flags_reach_the_processes_of_a_program() {
    let folder = fresh_folder("detection-run");
    let source = folder.join("shout.cu");
    let text = "\
#include <cuda_runtime.h>
__global__ void shout(volatile int *data) { *data = blockIdx.x; }
int main() {
  int *data;
  cudaMalloc(&data, sizeof(int));
  shout<<<2, 1>>>(data);
  return cudaDeviceSynchronize();
}
";
    std::fs::write(&source, text).expect("a file can be written");
    let built = executable(&source, &folder);
    let file = folder.join("report.json");
    let check = |flags: &[&str]| {
        let mut command = warpsan(["run", "--stats", "--format", "json", "--output"]);
        // Two processes, whose counts are added.
        let script = ["--", "sh", "-c", "\"$0\" && \"$0\""];
        let ended = run(command.arg(&file).args(flags).args(script).arg(&built));
        let text = std::fs::read_to_string(&file).expect("a report");
        let report: Value = serde_json::from_str(&text).expect("JSON");
        let statistics = report["summary"]["statistics"].as_array().cloned().unwrap_or_default();
        assert!(!statistics.is_empty(), "{text}");
        (ended.code(), report["races"].as_array().map(Vec::len).unwrap_or_default())
    };
    assert_eq!(check(&[]), (0, 1));
    assert_eq!(check(&["--volatile=error"]), (1, 1));
    assert_eq!(check(&["--volatile=allow"]), (0, 0));
}

#[test]
fn wrong_words_are_refused() {
    for flag in ["--warp-sync=sometimes", "--volatile=no", "--same-value=x", "--fence-sc=both"] {
        for command in ["check", "run", "replay", "explore"] {
            let (name, word) = flag.split_once('=').expect("a flag with a word");
            let ended = run(&mut warpsan([command, flag, "x"]));
            ended.expect_code(2).expect_stderr(&[name, word]);
        }
    }
}
