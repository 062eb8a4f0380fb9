//! What of a JSON report is looked at.

use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::Value;

/// The exit code of warpsan where something was not covered.
pub(crate) const NOT_COVERED: i32 = 3;

/// How notes begin on what changes no value and is only not looked at by detectors yet: kernels with
/// asynchronous copies and mbarriers, and launches that may begin before the one before has ended. Other
/// gaps are failures.
pub(crate) const KNOWN_GAPS: [&str; 2] = [
    "the detector hb does not cover the whole kernel yet: ",
    "races between a launch with programmatic stream serialization and the one before",
];

/// The longest part of a kernel's name that is shown.
const MOST_CHARACTERS: usize = 80;

/// A report, in the parts that matter here.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Report {
    /// Each race in one line.
    pub(crate) races: Vec<String>,
    /// What was not covered.
    pub(crate) not_covered: Vec<String>,
    pub(crate) launches: u64,
    pub(crate) accesses: u64,
}

impl Report {
    pub(crate) fn read(file: &Path) -> anyhow::Result<Self> {
        let text = fs::read_to_string(file).context("no report")?;
        Self::parse(&text)
    }

    /// Something that was not covered and should have been.
    pub(crate) fn unknown_gap(&self) -> Option<&str> {
        let is_known = |what: &&String| KNOWN_GAPS.iter().any(|known| what.starts_with(known));
        self.not_covered.iter().find(|what| !is_known(what)).map(String::as_str)
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let report: Value = serde_json::from_str(text).context("the report")?;
        let list = |key: &str| {
            report[key].as_array().with_context(|| format!("the report has no list `{key}`"))
        };
        let number = |key: &str| report["summary"][key].as_u64().unwrap_or(0);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(Report {
            races: list("races")?.iter().map(race).collect(),
            not_covered: list("not_covered")?.iter().map(|item| text(&item["what"])).collect(),
            launches: number("launches"),
            accesses: number("accesses"),
        })
    }
}

fn race(race: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let line = |access: &Value| access["position"]["line"].as_u64().unwrap_or(0);
    format!(
        "{} {} in {} between lines {} and {}",
        text(&race["severity"]),
        text(&race["kind"]),
        shortened(&text(&race["kernel"])),
        line(&race["first"]),
        line(&race["second"])
    )
}

/// The names of template instances can fill a screen.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::Report;

    #[test]
    fn the_parts_are_found() {
        let text = r#"{"races": [{"kind": "scope", "kernel": "k", "severity": "error",
            "first": {"position": {"line": 3}}, "second": {}}],
            "not_covered": [{"what": "w"}], "summary": {"launches": 2, "accesses": 9}}"#;
        let report = Report::parse(text).unwrap();
        assert_eq!(report.races, ["error scope in k between lines 3 and 0"]);
        assert_eq!(report.not_covered, ["w"]);
        assert_eq!((report.launches, report.accesses), (2, 9));
        assert_eq!(super::shortened(&"é".repeat(90)), "é".repeat(80) + "…");
        assert!(Report::parse("{}").unwrap_err().to_string().contains("races"));
    }
}
