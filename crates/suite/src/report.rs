//! The JSON of `warpsan check`, as far as expectations speak of it.

use std::path::Path;

use serde_json::Value;

/// What came of checking one program once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It was checked.
    Checked {
        /// What was found.
        races: Vec<Reported>,
        /// What was left out.
        not_covered: Vec<String>,
    },
    /// It could not be checked.
    Failure(String),
}

/// A race of a report, under one of the kinds that it was seen as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The name of the kind.
    pub kind: String,
    /// The name of the severity.
    pub severity: String,
    /// Both sides, the smaller line first.
    pub sides: [Side; 2],
    /// Both sides are of one warp of one block.
    pub is_within_a_warp: bool,
    /// How often it was seen.
    pub count: u64,
    /// The number of its group, where the report has groups.
    pub group: Option<u64>,
    /// What would order the two.
    pub advice: String,
}

/// One side of a reported race.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Side {
    /// The line in the program itself: a helper from a header counts as the line that calls it. None if no
    /// line of the program is known.
    pub line: Option<u64>,
    /// The PTX instruction, for people.
    pub instruction: String,
}

impl Reported {
    /// The two lines, if both are in the program.
    pub fn lines(&self) -> Option<(u64, u64)> {
        Some((self.sides[0].line?, self.sides[1].line?))
    }
}

impl Answer {
    /// The answer that a report in JSON gives about a program.
    pub fn of_report(report: &Value, program: &Path) -> Answer {
        let list = |key: &str| report[key].as_array();
        let (Some(races), Some(not_covered)) = (list("races"), list("not_covered")) else {
            return Answer::Failure(
                "the report has no list of races or of what is not covered".to_owned(),
            );
        };
        // A pair of lines is one entry, and comments speak of each kind that it is seen as. That two lines which race
        // otherwise write the same value now and then is no news.
        let is_news = |seen: &&Value| seen["kind"] != "same-value";
        let read = |race: &Value| -> Vec<Reported> {
            let mut sides = [side(&race["first"], program), side(&race["second"], program)];
            sides.sort();
            let others = race["also_seen"].as_array().map_or(&[][..], Vec::as_slice);
            let kinds = std::iter::once(race).chain(others.iter().filter(is_news));
            let seen_as = |seen: &Value| Reported {
                kind: text(&seen["kind"]),
                severity: text(&seen["severity"]),
                sides: sides.clone(),
                is_within_a_warp: ["block", "warp"]
                    .iter()
                    .all(|part| race["first"][part] == race["second"][part]),
                count: seen["count"].as_u64().unwrap_or_default(),
                group: race["group"].as_u64(),
                advice: text(&seen["advice"]),
            };
            kinds.map(seen_as).collect()
        };
        let left_out = |item: &Value| format!("{} ({})", text(&item["what"]), text(&item["where"]));
        Answer::Checked {
            races: races.iter().flat_map(read).collect(),
            not_covered: not_covered.iter().map(left_out).collect(),
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn side(access: &Value, program: &Path) -> Side {
    let line_here = |position: &Value| {
        let file = position["file"].as_str()?;
        let is_here = Path::new(file).file_name() == program.file_name();
        is_here.then(|| position["line"].as_u64()).flatten()
    };
    let frames = access["frames"].as_array().map_or(&[][..], Vec::as_slice);
    let positions =
        std::iter::once(&access["position"]).chain(frames.iter().map(|frame| &frame["position"]));
    Side {
        line: positions.into_iter().find_map(line_here),
        instruction: text(&access["instruction"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn access(file: &str, line: u64, frames: Value) -> Value {
        json!({"position": {"file": file, "line": line}, "frames": frames, "instruction": "st"})
    }

    #[test]
    fn a_helper_counts_as_the_line_that_calls_it() {
        let caller = json!([{"position": {"file": "h.h", "line": 9}},
                            {"position": {"file": "/x/a.cu", "line": 4}}]);
        let race = json!({"kind": "scope", "severity": "error", "count": 3,
                          "group": 2, "advice": "so",
                          "first": access("/x/a.cu", 7, json!([])),
                          "second": access("/x/h.h", 9, caller)});
        let report = json!({"races": [race], "not_covered": []});
        let Answer::Checked { races, .. } = Answer::of_report(&report, Path::new("a.cu")) else {
            panic!("it was checked");
        };
        assert_eq!(races[0].lines(), Some((4, 7)));
        assert_eq!((races[0].kind.as_str(), races[0].count), ("scope", 3));
        assert_eq!((races[0].group, races[0].advice.as_str()), (Some(2), "so"));
    }

    #[test]
    fn an_entry_that_was_seen_as_several_kinds_meets_what_is_expected_of_each() {
        let also = json!([{"kind": "volatile", "severity": "warning", "count": 2, "advice": ""},
                          {"kind": "same-value", "severity": "info", "count": 5, "advice": ""}]);
        let race = json!({"kind": "scope", "severity": "error", "count": 3, "also_seen": also,
                          "first": access("a.cu", 7, json!([])),
                          "second": access("a.cu", 4, json!([]))});
        let report = json!({"races": [race], "library": [], "not_covered": []});
        let Answer::Checked { races, .. } = Answer::of_report(&report, Path::new("a.cu")) else {
            panic!("it was checked");
        };
        let kinds = races.iter().map(|race| (&*race.kind, &*race.severity, race.count));
        assert!(kinds.eq([("scope", "error", 3), ("volatile", "warning", 2)]));
        assert!(races.iter().all(|race| race.lines() == Some((4, 7))));
    }

    #[test]
    fn what_was_not_covered_is_kept() {
        let report = json!({"races": [], "not_covered": [{"what": "w", "where": "h"}]});
        let answer = Answer::of_report(&report, Path::new("a.cu"));
        let not_covered = vec!["w (h)".to_owned()];
        assert_eq!(answer, Answer::Checked { races: Vec::new(), not_covered });
        assert!(matches!(Answer::of_report(&json!(3), Path::new("a.cu")), Answer::Failure(_)));
    }
}
