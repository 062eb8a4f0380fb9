//! `warpsan record`, `dump` and `replay`: what is stored is what happened.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::build::{executable, need_compiler};
use crate::support::command::{Ended, run, warpsan};
use crate::support::report::Report;
use crate::support::{cuda_files, examples, fresh_folder, stem};

/// Records a file of kernels.
fn record(file: &Path, trace: &Path, flags: &[&str]) -> Ended {
    need_compiler();
    run(warpsan(["record"]).args(flags).arg(file).arg("-o").arg(trace))
}

fn racy() -> PathBuf {
    examples().join("kernels/reverse_racy.cu")
}

fn lines(ended: &Ended) -> Vec<String> {
    String::from_utf8_lossy(&ended.stdout).lines().map(str::to_owned).collect()
}

fn dump(trace: &Path, flags: &[&str]) -> Vec<String> {
    lines(run(warpsan(["dump"]).arg(trace).args(flags)).expect_code(0))
}

#[test]
fn a_replayed_report_is_the_direct_one() {
    let folder = fresh_folder("replay");
    let form = |output: &Path| {
        ["--format", "json", "--output"].map(str::to_owned).into_iter().chain([path_text(output)])
    };
    for file in cuda_files(&examples().join("kernels")) {
        need_compiler();
        let (direct, recorded, replayed) =
            (folder.join("direct.json"), folder.join("recorded.json"), folder.join("replay.json"));
        let trace = folder.join(format!("{}.trace", stem(&file)));
        let seed = ["--seed", "5"];
        let checked = run(warpsan(["check"]).args(seed).args(form(&direct)).arg(&file));
        let flags: Vec<String> = form(&recorded).collect();
        let flags: Vec<&str> = seed.into_iter().chain(flags.iter().map(String::as_str)).collect();
        record(&file, &trace, &flags).expect_code(checked.code());
        let replay = run(warpsan(["replay"]).arg(&trace).args(form(&replayed)));
        replay.expect_code(checked.code());
        let direct = Report::read(&direct);
        assert_eq!(direct.summary("seed"), 5);
        assert_eq!(Report::read(&recorded).text, direct.text, "{}", file.display());
        assert_eq!(Report::read(&replayed).text, direct.text, "{}", file.display());
    }
    assert!(!Report::read(&folder.join("direct.json")).races().is_empty(), "the last one is racy");
}

#[test]
fn any_detector_reads_a_trace_that_another_one_recorded() {
    let folder = fresh_folder("replay-other");
    let trace = folder.join("racy.trace");
    record(&racy(), &trace, &["--detector", "none"]).expect_code(0);
    run(warpsan(["replay", "--detector", "none"]).arg(&trace)).expect_code(0);
    let replay = run(warpsan(["replay"]).arg(&trace));
    let text = lines(replay.expect_code(1)).join("\n");
    assert!(text.contains("reverse_racy.cu:"), "{text}");
    assert!(text.contains("warpsan record --seed 1"), "{text}");
}

#[test]
fn two_records_of_a_seed_are_the_same_bytes() {
    let folder = fresh_folder("record-twice");
    for file in cuda_files(&examples().join("kernels")) {
        let traces = ["one.trace", "two.trace"].map(|name| folder.join(name));
        for trace in &traces {
            record(&file, trace, &["--seed", "3"]);
        }
        let [one, two] = traces.map(|trace| std::fs::read(trace).expect("a trace"));
        assert!(one.len() > 200 && one == two, "{}", file.display());
    }
}

#[test]
fn each_process_of_a_program_leaves_a_trace() {
    let folder = fresh_folder("process-traces");
    let built = executable(&examples().join("missing_sync.cu"), &folder);
    let traces = folder.join("new/traces");
    let flags = ["run", "--detector", "none", "--seed", "3", "--record-trace"];
    let twice = ["--", "sh", "-c", "\"$0\"; \"$0\""];
    run(warpsan(flags).arg(&traces).args(twice).arg(&built)).expect_code(0);
    let files: Vec<PathBuf> = std::fs::read_dir(&traces)
        .expect("the folder was made")
        .map(|entry| entry.expect("the folder can be listed").path())
        .collect();
    let [one, two] = files.as_slice() else { panic!("{files:?}") };
    assert_eq!(std::fs::read(one).expect("a trace"), std::fs::read(two).expect("a trace"));
    let all = dump(one, &[]);
    assert!(all[0].starts_with("# trace of: warpsan run --seed 3 -- sh -c "), "{}", all[0]);
    assert!(all.iter().any(|line| line.contains("launch 0 begins: ")), "{all:#?}");
    let text = lines(run(warpsan(["replay"]).arg(one)).expect_code(1)).join("\n");
    assert!(text.contains("missing_sync.cu:"), "{text}");
    let inside_a_file = built.join("traces");
    let ended = run(warpsan(["run", "--record-trace"]).arg(&inside_a_file).args(["--", "true"]));
    ended.expect_code(2).expect_stderr(&["cannot write traces"]);
}

#[test]
fn a_dump_has_a_line_for_every_event_and_can_be_narrowed() {
    let folder = fresh_folder("dump");
    let trace = folder.join("racy.trace");
    record(&racy(), &trace, &[]).expect_code(1);
    let all = dump(&trace, &[]);
    assert!(all[0].starts_with("# trace of: warpsan record --seed 1 "), "{}", all[0]);
    assert_eq!(all[1], "# schedule: random:1");
    let events: Vec<&String> = all.iter().filter(|line| !line.starts_with('#')).collect();
    let begins =
        |line: &String| line.starts_with("launch 0 begins: reverse") && line.contains("grid");
    assert!(events.iter().any(|line| begins(line)), "{all:#?}");
    assert!(events.iter().any(|line| line.contains("numbers")), "the allocation's label");
    let store = |line: &&&String| line.contains(" write ") && line.contains("reverse_racy.cu:");
    let stores = events.iter().filter(store).count();
    assert!(stores > 0, "{all:#?}");
    let some = dump(&trace, &["--block", "1", "--launch", "0"]);
    assert!(some.len() > 3 && some.len() < all.len());
    assert!(some[2..].iter().all(|line| line.starts_with("launch 0 block 1 ")), "{some:#?}");
    assert_eq!(dump(&trace, &["--limit", "2"]).iter().filter(|l| !l.starts_with('#')).count(), 2);
    assert_eq!(dump(&trace, &["--launch", "9"]).len(), 2, "only the head");
}

#[test]
fn whoever_stops_reading_a_dump_is_no_error() {
    let folder = fresh_folder("dump-pipe");
    let trace = folder.join("racy.trace");
    record(&racy(), &trace, &[]).expect_code(1);
    let mut child = warpsan(["dump"])
        .arg(&trace)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("warpsan starts");
    drop(child.stdout.take());
    let ended = child.wait_with_output().expect("warpsan ends");
    assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn a_broken_trace_is_reported_and_read_as_far_as_it_goes() {
    let folder = fresh_folder("broken-trace");
    let trace = folder.join("racy.trace");
    record(&racy(), &trace, &[]).expect_code(1);
    let whole = std::fs::read(&trace).expect("the trace");
    let cut = folder.join("cut.trace");
    std::fs::write(&cut, &whole[..whole.len() - 20]).expect("a file can be written");
    let ended = run(warpsan(["dump"]).arg(&cut));
    ended.expect_code(2).expect_stderr(&["cut off at byte"]);
    assert_eq!(lines(&ended), dump(&trace, &[]), "everything but the end mark is there");
    let replay = run(warpsan(["replay"]).arg(&cut));
    let text = lines(replay.expect_code(1)).join("\n");
    assert!(text.contains("cut off at byte"), "{text}");
    let mut damaged = whole.clone();
    let middle = whole.len() / 2;
    damaged[middle] ^= 4;
    std::fs::write(&cut, &damaged).expect("a file can be written");
    run(warpsan(["dump"]).arg(&cut)).expect_code(2).expect_stderr(&["damaged", "byte"]);
    run(warpsan(["dump"]).arg(racy())).expect_code(2).expect_stderr(&["not a trace"]);
    run(warpsan(["replay"]).arg(racy())).expect_code(2).expect_stderr(&["not a trace"]);
    let nowhere = folder.join("nowhere/racy.trace");
    record(&racy(), &nowhere, &[]).expect_code(2).expect_stderr(&["cannot write the trace"]);
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
