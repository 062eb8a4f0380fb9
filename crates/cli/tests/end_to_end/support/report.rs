//! The JSON report, read as far as the tests need it.

use std::path::Path;

use serde_json::Value;
use warpsan_suite::Certainty;

use super::expectation::{Expectation, ordered};

/// A report file, with its text for comparisons byte by byte.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) text: String,
    value: Value,
}

/// One race of a report.
#[derive(Debug)]
pub(crate) struct Race {
    pub(crate) kind: String,
    pub(crate) severity: String,
    pub(crate) kernel: String,
    pub(crate) files: [String; 2],
    pub(crate) lines: (u64, u64),
}

impl Report {
    #[track_caller]
    pub(crate) fn read(file: &Path) -> Self {
        let text = std::fs::read_to_string(file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let value: Value = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}\n{text}", file.display()));
        assert_eq!(value["schema"], 3, "{text}");
        Report { text, value }
    }

    /// The races, under each kind that they were seen as. That two lines which race otherwise write the same value now and
    /// then is no news.
    pub(crate) fn races(&self) -> Vec<Race> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let line = |access: &Value| access["position"]["line"].as_u64().unwrap_or_default();
        let others = |race: &Value| race["also_seen"].as_array().cloned().unwrap_or_default();
        let of = |race: &Value, seen: &Value| Race {
            kind: text(&seen["kind"]),
            severity: text(&seen["severity"]),
            kernel: text(&race["kernel"]),
            files: ["first", "second"].map(|access| text(&race[access]["position"]["file"])),
            lines: ordered(line(&race["first"]), line(&race["second"])),
        };
        let races = self.list("races").iter();
        races
            .flat_map(|race| {
                let also = others(race);
                std::iter::once(of(race, race))
                    .chain(
                        also.iter()
                            .filter(|seen| seen["kind"] != "same-value")
                            .map(|seen| of(race, seen)),
                    )
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// What was not checked, as pairs of what and where.
    pub(crate) fn not_covered(&self) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        self.list("not_covered")
            .iter()
            .map(|item| (text(&item["what"]), text(&item["where"])))
            .collect()
    }

    /// One field of the summary.
    pub(crate) fn summary(&self, key: &str) -> &Value {
        &self.value["summary"][key]
    }

    /// How this report differs from what the file expects; nothing where it does not.
    pub(crate) fn differences(&self, file: &Path, expected: &[Expectation]) -> Vec<String> {
        let races = self.races();
        let name = file.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let here = |race: &Race| race.files.iter().all(|file| Path::new(file).ends_with(&name));
        let mut differences = Vec::new();
        let is_found = |expectation: &Expectation| {
            races.iter().any(|race| {
                here(race) && race.lines == expectation.lines && race.kind == expectation.kind
            })
        };
        for expectation in expected {
            let is_met = match expectation.certainty {
                Certainty::EverySchedule => is_found(expectation),
                Certainty::SomeSchedules => {
                    expected.iter().filter(|other| other.lines == expectation.lines).any(is_found)
                }
            };
            if !is_met {
                differences.push(format!("missed {expectation:?}"));
            }
        }
        for race in &races {
            let known =
                here(race) && expected.iter().any(|expectation| race.lines == expectation.lines);
            if !known {
                differences.push(format!("not expected {race:?}"));
            }
        }
        differences.extend(self.not_covered().iter().map(|item| format!("not covered {item:?}")));
        differences
    }

    fn list(&self, key: &str) -> &[Value] {
        self.value[key].as_array().unwrap_or_else(|| panic!("no list `{key}` in:\n{}", self.text))
    }
}

/// A report with one race on lines 3 and 5 of `a.cu`.
#[cfg(test)]
fn sample(kind: &str, not_covered: &str) -> Report {
    let side = |line: u64| format!(r#"{{"position": {{"file": "x/a.cu", "line": {line}}}}}"#);
    let race = format!(r#"{{"kind": "{kind}", "first": {}, "second": {}}}"#, side(5), side(3));
    let text = format!(r#"{{"races": [{race}], "not_covered": [{not_covered}]}}"#);
    Report { value: serde_json::from_str(&text).expect("the sample is JSON"), text }
}

#[test]
fn a_report_is_compared_with_all_of_an_expectation() {
    let one =
        |kind: &str, lines, certainty| Expectation { kind: kind.to_owned(), lines, certainty };
    let expected = |kind: &str, lines| [one(kind, lines, Certainty::EverySchedule)];
    let differences = |report: &Report, file: &str, expected: &[Expectation]| {
        report.differences(Path::new(file), expected).len()
    };
    let report = sample("scope", "");
    assert_eq!(differences(&report, "a.cu", &expected("scope", (3, 5))), 0);
    assert_eq!(differences(&report, "a.cu", &expected("lock", (3, 5))), 1, "another kind");
    assert_eq!(differences(&report, "a.cu", &expected("scope", (3, 6))), 2, "missed, and one more");
    assert_eq!(differences(&report, "b.cu", &expected("scope", (3, 5))), 2, "another file");
    assert_eq!(differences(&report, "a.cu", &[]), 1, "a clean file");
    let either = |kinds: [&str; 2]| kinds.map(|kind| one(kind, (3, 5), Certainty::SomeSchedules));
    assert_eq!(differences(&report, "a.cu", &either(["lock", "scope"])), 0, "one of two");
    assert_eq!(differences(&report, "a.cu", &either(["lock", "async"])), 2, "none of two");
    let report = sample("scope", r#"{"what": "w", "where": "h"}"#);
    assert_eq!(differences(&report, "a.cu", &expected("scope", (3, 5))), 1, "not all was checked");
}
