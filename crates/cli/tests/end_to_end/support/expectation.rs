//! The `//~` comments of a program: which races it has, by kind and both lines.

use std::path::Path;

use warpsan_suite::{Certainty, expectations_of};

/// One race that has to be reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expectation {
    pub(crate) kind: String,
    /// The lines of both accesses, the smaller one first.
    pub(crate) lines: (u64, u64),
    /// Of those that only some schedules show, one is enough on these lines.
    pub(crate) certainty: Certainty,
}

/// What a file expects of the default detector; nothing means that the file has to be clean.
pub(crate) fn of_file(file: &Path) -> Vec<Expectation> {
    of_file_for(file, "hb")
}

/// What a file expects of a detector.
pub(crate) fn of_file_for(file: &Path, detector: &str) -> Vec<Expectation> {
    let text =
        std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let expected = expectations_of(&text, detector)
        .unwrap_or_else(|message| panic!("{}: {message}", file.display()));
    let with_lines = expected.into_iter().map(|one| Expectation {
        kind: one.kind,
        lines: one.lines,
        certainty: one.certainty,
    });
    with_lines.collect()
}

/// A pair of lines does not say which access came first.
pub(crate) fn ordered(one: u64, other: u64) -> (u64, u64) {
    (one.min(other), one.max(other))
}
