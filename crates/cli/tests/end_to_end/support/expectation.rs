//! The `//~` comments of a program: which races it has, by kind and both lines.

use std::path::Path;

/// One race that has to be reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expectation {
    pub(crate) kind: String,
    /// The lines of both accesses, the smaller one first.
    pub(crate) lines: (u64, u64),
}

/// What a file expects of the default detector; nothing means that the file has to be clean.
pub(crate) fn of_file(file: &Path) -> Vec<Expectation> {
    of_file_for(file, "hb")
}

/// What a file expects of a detector.
pub(crate) fn of_file_for(file: &Path, detector: &str) -> Vec<Expectation> {
    let text =
        std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    of_text(&text, detector).unwrap_or_else(|message| panic!("{}:{message}", file.display()))
}

fn of_text(text: &str, detector: &str) -> Result<Vec<Expectation>, String> {
    let mut expectations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index as u64 + 1;
        for comment in line.split("//~").skip(1) {
            let (is_meant, expectation) = parse(comment.trim(), number, detector)
                .ok_or_else(|| format!("{number}: not understood: //~{comment}"))?;
            expectations.extend(is_meant.then_some(expectation));
        }
    }
    Ok(expectations)
}

/// Reads `race: KIND (with line N)`, perhaps behind a list of detectors: `[hb, iguard]`. Says whether the detector is
/// one of them.
fn parse(comment: &str, line: u64, detector: &str) -> Option<(bool, Expectation)> {
    let (is_meant, comment) = match comment.strip_prefix('[') {
        None => (true, comment),
        Some(list) => {
            let (names, rest) = list.split_once(']')?;
            (names.split(',').any(|name| name.trim() == detector), rest.trim_start())
        }
    };
    let (kind, rest) = comment.strip_prefix("race: ")?.split_once(" (with line ")?;
    let other: u64 = rest.strip_suffix(')')?.parse().ok()?;
    Some((is_meant, Expectation { kind: kind.to_owned(), lines: ordered(line, other) }))
}

/// A pair of lines does not say which access came first.
pub(crate) fn ordered(one: u64, other: u64) -> (u64, u64) {
    (one.min(other), one.max(other))
}

#[test]
fn expectations_are_read_with_both_lines() {
    let text = "a;\nb;  //~ race: scope (with line 1)\n";
    let expected = [Expectation { kind: "scope".into(), lines: (1, 2) }];
    assert_eq!(of_text(text, "hb").unwrap(), expected);
    assert!(of_text("no comment", "hb").unwrap().is_empty());
    assert!(of_text("a; //~ rice: scope (with line 1)", "hb").unwrap_err().starts_with("1:"));
    let of_some = text.replace("race", "[hb, ld] race");
    assert_eq!(of_text(&of_some, "hb").unwrap(), expected);
    assert!(of_text(&of_some, "iguard").unwrap().is_empty());
}
