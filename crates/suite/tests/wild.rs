//! The programs of `suites/hb/wild`: each racy one has a twin that is the same program after its advice, and no other change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use warpsan_suite::{Program, read_programs};

/// Lines in which twins differ where the advice is not to put something there: a parameter, where it is passed, and its use.
const MOST_CHANGES: usize = 3;

fn programs() -> Vec<(Program, String)> {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/hb/wild");
    let read = |program: Program| {
        let text = std::fs::read_to_string(&program.path).expect("it was read once");
        (program, text)
    };
    read_programs(&folder, "hb").expect("all comments read").into_iter().map(read).collect()
}

/// The lines of a program without what only expectations need.
fn code(text: &str) -> Vec<&str> {
    let is_expectation = |line: &&str| {
        ["// RACY.", "// CLEAN.", "//@ groups:", "//@ advice:"]
            .iter()
            .any(|begin| line.starts_with(begin))
    };
    let without_comment = |line: &'_ str| line.find("//~").unwrap_or(line.len());
    let lines = text.lines().filter(|line| !is_expectation(line));
    lines.map(|line| line[..without_comment(line)].trim()).collect()
}

#[test]
fn every_racy_program_names_its_advice_and_has_a_twin_that_follows_it() {
    let programs = programs();
    let mut twins: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for (program, text) in programs.iter().filter(|(program, _)| !program.is_racy()) {
        let head = text.lines().next().and_then(|line| line.strip_prefix("// CLEAN. "));
        let named = head.and_then(|head| head.split_once(", and its advice: \""));
        let (racy, advice) = named.unwrap_or_else(|| panic!("{} has no such head", program.name));
        let advice = advice.strip_suffix("\".").expect("the advice ends the line");
        assert!(twins.insert((racy, advice), text).is_none(), "{racy} has two twins");
    }
    let racy: Vec<_> = programs.iter().filter(|(program, _)| program.is_racy()).collect();
    assert_eq!((racy.len(), twins.len()), (10, 10));
    for (program, text) in racy {
        assert_eq!(program.report.groups, Some(1), "{}: one cause", program.name);
        let advice = program.report.advice.as_deref().expect("the first advice");
        let twin = twins.get(&(&*program.name, advice));
        let twin = twin.unwrap_or_else(|| panic!("{} has no twin with its advice", program.name));
        assert_follows(advice, &code(text), &code(twin), &program.name);
    }
}

/// The twin has what the advice puts there, and nothing else; other advice changes few lines in their places.
fn assert_follows(advice: &str, racy: &[&str], clean: &[&str], name: &str) {
    assert_ne!(racy, clean, "{name}");
    if let Some(what) = advice.strip_prefix("put ") {
        let call = format!("{};", what.split(' ').next().unwrap_or_default());
        let times = 1 + what.matches("and again").count();
        let added = |lines: &[&str]| lines.iter().filter(|line| **line == call).count();
        assert_eq!(added(clean), added(racy) + times, "{name}: so many are to be put there");
        let without = |lines: &[&str]| -> Vec<String> {
            lines.iter().filter(|line| **line != call).map(|line| (*line).to_owned()).collect()
        };
        assert_eq!(without(racy), without(clean), "{name}");
    } else {
        assert_eq!(racy.len(), clean.len(), "{name}");
        let changes = racy.iter().zip(clean).filter(|(one, other)| one != other).count();
        assert!(changes <= MOST_CHANGES, "{name}: {changes} lines differ");
    }
}
