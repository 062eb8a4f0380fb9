//! What the compilers' own runtimes print about races.

use super::observed::{Place, Said};
use crate::programs::SourceFile;

/// How a report begins.
const REPORT: &str = "WARNING: ThreadSanitizer: ";
/// The kinds that are races; others are about locks, threads and signals.
const RACES: [&str; 3] = ["data race", "heap-use-after-free", "race on"];
/// What stands in the place of a stack that is no longer known.
const LOST: &str = "failed to restore the stack";
/// What a runtime says when it gives up.
const FAILURES: [&str; 5] =
    ["CHECK failed", "FATAL: ", "DEADLYSIGNAL", "nested bug", "unexpected memory mapping"];

/// The races of a log. Kinds are left out: a free that races is a data race there.
pub(crate) fn races_of(log: &str, files: &[SourceFile]) -> Vec<Said> {
    let reports = log.split(REPORT).skip(1);
    let races = reports.filter(|report| RACES.iter().any(|kind| report.starts_with(kind)));
    races.filter_map(|report| race(report, files)).collect()
}

/// The line in which a runtime says that it gave up.
pub(crate) fn failure_in(log: &str) -> Option<&str> {
    log.lines().find(|line| FAILURES.iter().any(|failure| line.contains(failure)))
}

fn race(report: &str, files: &[SourceFile]) -> Option<Said> {
    let report = report.split("\nSUMMARY:").next()?;
    let mut sides = report.split("\n\n").filter(|paragraph| paragraph.lines().any(is_side));
    let mut side = || sides.next().map(|paragraph| place(paragraph, files));
    // The access that the runtime has just seen comes first.
    let (later, earlier) = (side()?, side()?);
    Some(Said { kind: None, earlier, later })
}

/// Whether a line begins a side, as in `Previous atomic write of size 4 at 0x123 by thread T1:`.
fn is_side(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    (line.contains("read of size ") || line.contains("write of size ")) && line.contains(" at 0x")
}

fn place(paragraph: &str, files: &[SourceFile]) -> Place {
    let frames = || paragraph.lines().map(str::trim).filter(|line| line.starts_with('#'));
    let own = frames().find_map(|frame| {
        let line_in = |file: &SourceFile| {
            let (_, rest) = frame.split_once(&format!("{}:", file.path.display()))?;
            rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
        };
        let (file, line) =
            files.iter().map(line_in).enumerate().find(|(_, line)| line.is_some())?;
        Some(Place::Line { file, line: line? })
    });
    match own {
        Some(own) => own,
        None if paragraph.contains(LOST) => Place::Lost,
        None => Place::Elsewhere(frames().next().unwrap_or("no frame").to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "==================
WARNING: ThreadSanitizer: data race (pid=4)
  Write of size 8 at 0x7b0c by thread T2:
    #0 free ../../src/x.cpp:706 (libtsan.so.2+0x47e82)
    #1 freer /s/a.c:13 (x+0x12a4)
    #2 thread_main /s/../support.h:29 (x+0x1238)

  Previous atomic read of size 4 at 0x7b0c by thread T1:
    [failed to restore the stack]

  Thread T2 (tid=3548, running) created by main thread at:
    #0 main /s/a.c:18 (x+0x143c)

SUMMARY: ThreadSanitizer: data race /s/a.c:13 in freer
==================
WARNING: ThreadSanitizer: thread leak (pid=4)
SUMMARY: ThreadSanitizer: thread leak
WARNING: ThreadSanitizer: heap-use-after-free (pid=4)
  Read of size 4 at 0x7b0c by main thread:
    #0 main /s/a.c:20:7 (x+0x1)

  Previous write of size 8 at 0x7b0c by thread T1:
    #0 free x.cpp:7 (y+1)

SUMMARY: ThreadSanitizer: heap-use-after-free
";

    #[test]
    fn sides_are_read_with_the_later_one_first() {
        let file = SourceFile { path: "/s/a.c".into(), text: String::new(), expectations: vec![] };
        let said = races_of(LOG, &[file]);
        let line = |line| Place::Line { file: 0, line };
        assert_eq!(said.len(), 2);
        assert_eq!((&said[0].earlier, &said[0].later), (&Place::Lost, &line(13)));
        let outside = Place::Elsewhere("#0 free x.cpp:7 (y+1)".to_owned());
        assert_eq!((&said[1].earlier, &said[1].later), (&outside, &line(20)));
    }

    #[test]
    fn a_runtime_that_gives_up_is_noticed() {
        assert_eq!(failure_in(LOG), None);
        let log = "x\nFATAL: ThreadSanitizer: CHECK failed: y.cpp:67\n";
        assert_eq!(failure_in(log), Some("FATAL: ThreadSanitizer: CHECK failed: y.cpp:67"));
    }
}
