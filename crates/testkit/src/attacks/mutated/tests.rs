use super::case::FILE;
use super::*;

/// A case that runs a shell in place of warpsan.
fn shell(script: &str, damaged: bool) -> Case {
    Case {
        number: 3,
        what: "a script".to_owned(),
        contents: b"contents".to_vec(),
        file_name: "file",
        arguments: vec!["-c".to_owned(), script.to_owned()],
        damaged,
        proof: None,
        other_codes: &[7],
    }
}

fn wrong(case: &Case) -> Option<Wrong> {
    // The memory of this process counts, too, until the shell has taken its place.
    wrong_with(case, 1 << 30)
}

fn wrong_with(case: &Case, memory: u64) -> Option<Wrong> {
    let limits = Limits { time: Duration::from_millis(500), memory };
    let ended = case.run(Path::new("/bin/sh"), limits).expect("a shell");
    judge(case, &ended, limits)
}

#[test]
fn ends_are_judged() {
    assert_eq!(wrong(&shell("exit 0", false)), None);
    assert_eq!(wrong(&shell("exit 7", true)), None);
    assert_eq!(wrong(&shell("exit 0", true)), Some(Wrong::CalledClean));
    assert_eq!(wrong(&shell("exit 101", false)), Some(Wrong::Aborted("code 101".to_owned())));
    assert_eq!(wrong(&shell("kill -6 $$", false)), Some(Wrong::Aborted("signal 6".to_owned())));
    assert_eq!(wrong(&shell("sleep 60", false)), Some(Wrong::Hung));
    let panic = shell("echo thread panicked at here >&2; exit 2", false);
    assert_eq!(wrong(&panic), Some(Wrong::Aborted("a panic, code 2".to_owned())));
    assert_eq!(wrong(&shell(&format!("test \"$(cat {FILE})\" = contents"), false)), None);
    let proof = |script| Case { proof: Some("it ran"), ..shell(script, false) };
    assert_eq!(wrong(&proof("echo it ran")), None);
    assert_eq!(wrong(&proof("echo nothing")), Some(Wrong::CalledClean));
}

#[test]
fn memory_of_children_counts() {
    // The shell has doubled a text until it has 128 MiB.
    let script =
        "a=xxxxxxxxxxxxxxxx; n=0; while [ $n -lt 23 ]; do a=$a$a; n=$((n+1)); done; sleep 1";
    let found = wrong_with(&shell(&format!("({script}); exit 0"), false), 64 << 20);
    assert!(matches!(found, Some(Wrong::TookTooMuch(bytes)) if bytes > 64 << 20), "{found:?}");
}

#[test]
fn failures_are_listed_with_their_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let command = folder.path().join("warpsan");
    // Another process writes it: a child that another test starts meanwhile would have the file open for writing, and it could not be run.
    let write = "printf '#!/bin/sh\\nexit 42\\n' > \"$0\" && chmod 700 \"$0\"";
    let written = std::process::Command::new("sh").args(["-c", write]).arg(&command).status();
    assert!(written.expect("a shell").success());
    let limits = Limits { time: Duration::from_secs(20), memory: 1 << 30 };
    let keep = Some(folder.path());
    let plan = Plan { warpsan: &command, seed: 9, numbers: 0..1, limits, jobs: 1, keep };
    let mut outcome = Outcome::default();
    outcome.take(&shell("", false), &plan);
    assert_eq!((outcome.cases, outcome.codes), (1, [0, 0, 0, 0, 1]));
    let [failure] = &outcome.failures[..] else { panic!("{outcome:?}") };
    assert_eq!(failure.wrong.to_string(), "aborted by code 42");
    let kept = failure.kept.as_ref().expect("a file");
    assert_eq!(std::fs::read(kept).expect("the file"), b"contents");
}

#[test]
fn a_trace_is_put_together_as_it_was() {
    use warpsan_event::trace::{TraceHeader, TraceReader, TraceWriter};
    let mut writer = TraceWriter::new(Vec::new(), &TraceHeader::default()).expect("a trace");
    writer.remark("one");
    writer.remark("two");
    let bytes = writer.finish().expect("its end");
    let mut file = trace_file::TraceFile::of(&bytes).expect("its parts");
    assert_eq!(file.bytes(), bytes);
    // What is changed is read, with a right checksum.
    let at = file.frames[0].iter().position(|byte| *byte == b'o').expect("the first remark");
    file.frames[0][at] = b'O';
    let changed = file.bytes();
    let mut reader = TraceReader::new(&changed[..]).expect("a trace");
    let step = reader.read(&mut warpsan_event::EventBuffer::new()).expect("a remark");
    assert_eq!(step, warpsan_event::trace::TraceStep::Remark("One".to_owned()));
}
