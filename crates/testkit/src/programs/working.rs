//! The list of programs that are right today, and have to stay so.

use std::path::Path;

use anyhow::Context;

/// The file of the list, in the folder of the suite.
const FILE: &str = "expected_to_work.txt";

/// The mark of programs that every test run has time for.
const QUICK: &str = "quick";

/// A program of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Working {
    /// Its name.
    pub name: String,
    /// Whether it is built and run by the tests of the workspace.
    pub is_quick: bool,
}

/// The list of the suite in this folder.
pub fn read_working(suite: &Path) -> anyhow::Result<Vec<Working>> {
    let path = suite.join(FILE);
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).with_context(|| path.display().to_string())
}

/// One name a line, with the word `quick` after it or not; `#` begins a comment.
fn parse(text: &str) -> anyhow::Result<Vec<Working>> {
    let mut list: Vec<Working> = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let words: Vec<&str> =
            line.split('#').next().unwrap_or_default().split_whitespace().collect();
        let (name, is_quick) = match words[..] {
            [] => continue,
            [name] => (name.to_owned(), false),
            [name, QUICK] => (name.to_owned(), true),
            _ => anyhow::bail!("line {number} is not a name, or a name and `{QUICK}`"),
        };
        if list.iter().any(|other| other.name == name) {
            anyhow::bail!("line {number} has a name for the second time");
        }
        list.push(Working { name, is_quick });
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_names_and_marks() {
        let list = parse("# Why.\n\na_b quick  # fast\nc_d\n").expect("a list");
        let names: Vec<_> = list.iter().map(|one| (one.name.as_str(), one.is_quick)).collect();
        assert_eq!(names, [("a_b", true), ("c_d", false)]);
        assert!(parse("a_b slow").expect_err("no such mark").to_string().contains("line 1"));
        assert!(parse("a_b\na_b quick").expect_err("twice").to_string().contains("line 2"));
    }
}
