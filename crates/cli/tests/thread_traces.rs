//! `warpsan replay` and `warpsan dump` on traces of threads: files are made here.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use warpsan_thread_detect::Span;
use warpsan_thread_trace::{About, Action, Event, Lock, Site, Trace, TraceThread, encode};

/// Both threads write `y`, and only one of them under the lock; `x` is always under it.
const RACY: &str = "\
main|fork(T1)|start

main|acq(m)|L2
main|w(x)|L3
main|w(y)|L4
main|rel(m)|L5
T1|acq(m)|L6
T1|r(x)|L7
T1|rel(m)|L8
T1|w(y)|L9
main|w(y)|L10
main|join(T1)|L11
";

fn file(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("a file can be written");
    path
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

fn warpsan(arguments: &[&str], file: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsan"));
    command.args(arguments).arg(file).output().expect("warpsan starts")
}

#[track_caller]
fn expect(ended: &Output, code: i32, said: &[&str]) {
    let [out, error] = [&ended.stdout, &ended.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    assert_eq!(ended.status.code(), Some(code), "{out}{error}");
    for part in said {
        assert!(out.contains(part) || error.contains(part), "no `{part}` in:\n{out}{error}");
    }
}

/// A process whose two threads write 4 bytes of a block, each under a lock of its own or both under one.
fn recorded(locks: [u64; 2]) -> Vec<u8> {
    let block = Span { address: 0x5000, size: 40 };
    let field = Span { address: 0x5008, size: 4 };
    let event = |thread, action| Event { thread: TraceThread(thread), site: Site(1), action };
    let mut events = vec![event(0, Action::Allocate(block))];
    for thread in [1, 2] {
        events.push(event(0, Action::Fork(TraceThread(thread))));
    }
    for (thread, lock) in [1, 2].into_iter().zip(locks) {
        events.push(event(thread, Action::Acquire(Lock(lock))));
        events.push(event(thread, Action::Write(field)));
        events.push(event(thread, Action::Release(Lock(lock))));
    }
    let about = About { process: 4711, program: "/opt/bin/app".to_owned() };
    encode(&Trace { events }, &about)
}

#[test]
fn a_text_is_replayed_by_either_detector_and_its_lines_are_the_places() {
    let folder = folder();
    let trace = file(folder.path(), "racy.std", RACY.as_bytes());
    for detector in [&["replay"][..], &["replay", "--detector", "fasttrack"]] {
        let ended = warpsan(detector, &trace);
        let said = ["data race on `y`", "racy.std:10", "racy.std:11", "`T1`", "1 race found"];
        expect(&ended, 1, &said);
    }
    let clean = RACY.replace("T1|w(y)|L9\n", "");
    let trace = file(folder.path(), "clean.std", clean.as_bytes());
    expect(&warpsan(&["replay"], &trace), 0, &["no races found"]);
}

#[test]
fn a_recorded_trace_has_the_verdict_of_its_order() {
    let folder = folder();
    let racy = file(folder.path(), "1.threads", &recorded([0x100, 0x200]));
    let said = ["byte 8", "under the lock 0x100", "thread 1", "thread 2"];
    expect(&warpsan(&["replay"], &racy), 1, &said);
    let ended = warpsan(&["replay", "--detector", "fasttrack", "--stats"], &racy);
    expect(&ended, 1, &["redundancy ratio", "accesses"]);
    let clean = file(folder.path(), "2.threads", &recorded([0x100, 0x100]));
    expect(&warpsan(&["replay"], &clean), 0, &["no races found"]);
    let nobody = warpsan(&["replay", "--detector", "none"], &racy);
    expect(&nobody, 0, &["empty"]);
}

#[test]
fn a_trace_is_printed_event_by_event_and_in_the_std_format() {
    let folder = folder();
    let trace = file(folder.path(), "1.threads", &recorded([0x100, 0x200]));
    let said = ["/opt/bin/app", "starts thread 2", "acquires 0x100", "writes 4 bytes at 0x5008"];
    expect(&warpsan(&["dump"], &trace), 0, &said);
    let short = warpsan(&["dump", "--limit", "2"], &trace);
    assert_eq!(String::from_utf8_lossy(&short.stdout).lines().count(), 3, "a head and two events");
    let text = warpsan(&["dump", "--std"], &trace);
    expect(&text, 0, &["T1|acq(L256)|", "T2|w(V0)|"]);
    let again = file(folder.path(), "again.std", &text.stdout);
    expect(&warpsan(&["replay"], &again), 1, &["data race on `V0`"]);
    let printed = warpsan(&["dump", "--std"], &again);
    assert_eq!(printed.stdout, text.stdout);
}

#[test]
fn what_was_cut_is_not_clean_and_what_was_damaged_is_refused() {
    let folder = folder();
    let whole = recorded([0x100, 0x100]);
    let cut = file(folder.path(), "cut.threads", &whole[..whole.len() - 1]);
    expect(&warpsan(&["replay"], &cut), 3, &["where the trace ends", "record it again"]);
    expect(&warpsan(&["dump", "--std"], &cut), 2, &["record it again"]);
    let mut damaged = whole;
    let last = damaged.len() - 3;
    damaged[last] ^= 1;
    let damaged = file(folder.path(), "damaged.threads", &damaged);
    expect(&warpsan(&["replay"], &damaged), 2, &["damaged.threads", "damaged behind 0 events"]);
}

#[test]
fn wrong_uses_are_named() {
    let folder = folder();
    let trace = file(folder.path(), "1.threads", &recorded([1, 1]));
    let said = ["trace of threads", "iguard", "slimfast, fasttrack or parsnip"];
    expect(&warpsan(&["replay", "--detector", "iguard"], &trace), 2, &said);
    expect(&warpsan(&["dump", "--launch", "1"], &trace), 2, &["no launches"]);
    let other = file(folder.path(), "other.txt", b"no trace at all");
    expect(&warpsan(&["replay", "--detector", "slimfast"], &other), 2, &["no trace of threads"]);
    expect(&warpsan(&["dump", "--std"], &other), 2, &["no trace of threads"]);
    let wrong = file(folder.path(), "wrong.std", b"T1|w(x)|1\nT1|jump(x)|2\n");
    expect(&warpsan(&["replay"], &wrong), 2, &["wrong.std", "line 2", "`jump`"]);
    let binary = file(folder.path(), "binary.std", &[0xff, 0xfe, 0]);
    expect(&warpsan(&["replay"], &binary), 2, &["is text"]);
    let twice = file(folder.path(), "twice.std", b"a|fork(b)|1\na|fork(b)|2\n");
    expect(&warpsan(&["replay"], &twice), 2, &["exists already"]);
}
