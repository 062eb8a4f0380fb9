//! The `//~` comments of a program: which races it has, by kind and both lines.

use std::path::Path;

/// One race that has to be reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expectation {
    pub(crate) kind: String,
    /// The lines of both accesses, the smaller one first.
    pub(crate) lines: (u64, u64),
}

/// All expectations of a file; none means that the file has to be clean.
pub(crate) fn of_file(file: &Path) -> Vec<Expectation> {
    let text =
        std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    of_text(&text).unwrap_or_else(|message| panic!("{}:{message}", file.display()))
}

fn of_text(text: &str) -> Result<Vec<Expectation>, String> {
    let mut expectations = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index as u64 + 1;
        for comment in line.split("//~").skip(1) {
            let expectation = parse(comment.trim(), number)
                .ok_or_else(|| format!("{number}: not understood: //~{comment}"))?;
            expectations.push(expectation);
        }
    }
    Ok(expectations)
}

/// Reads `race: KIND (with line N)`.
fn parse(comment: &str, line: u64) -> Option<Expectation> {
    let (kind, rest) = comment.strip_prefix("race: ")?.split_once(" (with line ")?;
    let other: u64 = rest.strip_suffix(')')?.parse().ok()?;
    Some(Expectation { kind: kind.to_owned(), lines: ordered(line, other) })
}

/// A pair of lines does not say which access came first.
pub(crate) fn ordered(one: u64, other: u64) -> (u64, u64) {
    (one.min(other), one.max(other))
}

#[test]
fn expectations_are_read_with_both_lines() {
    let text = "a;\nb;  //~ race: scope (with line 1)\n";
    assert_eq!(of_text(text).unwrap(), [Expectation { kind: "scope".into(), lines: (1, 2) }]);
    assert!(of_text("no comment").unwrap().is_empty());
    assert!(of_text("a; //~ rice: scope (with line 1)").unwrap_err().starts_with("1:"));
}
