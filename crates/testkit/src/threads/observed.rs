//! What a run of a program said, whoever watched it.

use std::path::Path;

use serde_json::Value;

use crate::limited::Ended;
use crate::programs::SourceFile;

/// Where one side of a race is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// On a line of the program: in the innermost call that is in one of its files.
    Line {
        /// The place of the file in [`super::Program::files`].
        file: usize,
        /// Its line.
        line: u64,
    },
    /// Something is known of it, but no line of the program.
    Elsewhere(String),
    /// Its stack is no longer known.
    Lost,
}

/// A race that was reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The name of the kind; nothing where kinds are not those of the comments.
    pub kind: Option<String>,
    /// The side that came first.
    pub earlier: Place,
    /// The other.
    pub later: Place,
}

/// How a run ended, and what was said of its races.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// The exit code of whoever watched, unless a signal ended it.
    pub code: Option<i32>,
    /// The program was ended because it took too long.
    pub is_late: bool,
    /// What went wrong with the program or with who watched it, in words.
    pub failure: Option<String>,
    /// The races.
    pub races: Vec<Said>,
    /// What was not looked at.
    pub not_covered: Vec<String>,
}

impl Observed {
    /// What is known without a report.
    pub(crate) fn of_end(ended: &Ended) -> Observed {
        let failure = ended
            .signal
            .filter(|_| !ended.hung)
            .map(|signal| format!("it was ended by signal {signal}: {}", ended.last_words()));
        Observed { code: ended.code, is_late: ended.hung, failure, ..Observed::default() }
    }

    /// Adds what was observed of the same run elsewhere: a code that says more than the others counts.
    pub(crate) fn add(&mut self, other: Observed) {
        self.code = self.code.max(other.code);
        self.is_late |= other.is_late;
        self.failure = self.failure.take().or(other.failure);
        self.races.extend(other.races);
        self.not_covered.extend(other.not_covered);
    }

    /// Adds what a report in JSON says.
    pub(crate) fn read_report(&mut self, report: &Value, files: &[SourceFile], late: &str) {
        let list = |key: &str| report[key].as_array();
        let (Some(races), Some(not_covered)) = (list("races"), list("not_covered")) else {
            self.failure = Some("the report has no list of races or of gaps".to_owned());
            return;
        };
        if let Some(words) = report["summary"]["program"].as_str() {
            self.failure = Some(words.to_owned());
        }
        self.races = races.iter().map(|race| said(race, files)).collect();
        let what = |item: &Value| item["what"].as_str().unwrap_or_default().to_owned();
        self.not_covered = not_covered.iter().map(what).collect();
        self.is_late |= self.not_covered.iter().any(|what| what.starts_with(late));
    }
}

fn said(race: &Value, files: &[SourceFile]) -> Said {
    Said {
        kind: race["kind"].as_str().map(str::to_owned),
        earlier: place(&race["first"], files),
        later: place(&race["second"], files),
    }
}

fn place(access: &Value, files: &[SourceFile]) -> Place {
    let frames = access["frames"].as_array().map_or(&[][..], Vec::as_slice);
    let positions =
        std::iter::once(&access["position"]).chain(frames.iter().map(|frame| &frame["position"]));
    let known: Vec<(&str, u64)> = positions
        .filter_map(|position| Some((position["file"].as_str()?, position["line"].as_u64()?)))
        .collect();
    let own = known.iter().find_map(|(name, line)| {
        let is_it = |file: &SourceFile| Path::new(name).file_name() == file.path.file_name();
        Some(Place::Line { file: files.iter().position(is_it)?, line: *line })
    });
    match (own, known.first()) {
        (Some(own), _) => own,
        (None, Some((name, line))) => Place::Elsewhere(format!("{name}:{line}")),
        (None, None) if !frames.is_empty() => Place::Elsewhere("code without lines".to_owned()),
        (None, None) => Place::Lost,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn files() -> Vec<SourceFile> {
        let file = |path: &str| SourceFile {
            path: path.into(),
            text: String::new(),
            expectations: Vec::new(),
        };
        vec![file("/s/a.c"), file("/s/parts/p.c")]
    }

    fn read(report: &Value) -> Observed {
        let mut observed = Observed { code: Some(1), ..Observed::default() };
        observed.read_report(report, &files(), "what comes after");
        observed
    }

    #[test]
    fn a_side_is_where_the_innermost_call_of_the_program_is() {
        let position = |file: &str, line: u64| json!({"file": file, "line": line});
        let frames = json!([{"position": position("/usr/vector", 3)}, {"position": position("/s/parts/p.c", 6)},
                            {"position": position("/s/a.c", 9)}]);
        let race = |first: Value, second: Value| json!({"kind": "data-race", "first": first, "second": second});
        let report = json!({"not_covered": [], "summary": {"program": null}, "races": [
            race(json!({"position": position("/usr/vector", 3), "frames": frames}),
                 json!({"position": position("/s/a.c", 4), "frames": []})),
            race(json!({"position": null, "frames": []}),
                 json!({"position": position("/usr/list", 5), "frames": []})),
            race(json!({"position": null, "frames": [{"position": null}]}), json!({}))]});
        let observed = read(&report);
        let own = |file, line| Place::Line { file, line };
        let else_where = |text: &str| Place::Elsewhere(text.to_owned());
        let places: Vec<_> =
            observed.races.into_iter().map(|race| (race.earlier, race.later)).collect();
        assert_eq!(
            places,
            [
                (own(1, 6), own(0, 4)),
                (Place::Lost, else_where("/usr/list:5")),
                (else_where("code without lines"), Place::Lost),
            ]
        );
    }

    #[test]
    fn gaps_ends_and_reports_that_are_none_are_read() {
        let gap = json!([{"what": "what comes after 3 s"}, {"what": "half of it"}]);
        let words = json!({"program": "the program ended with code 2"});
        let observed = read(&json!({"races": [], "not_covered": gap, "summary": words}));
        assert!(observed.is_late && observed.not_covered.len() == 2);
        assert_eq!(observed.failure.as_deref(), Some("the program ended with code 2"));
        assert!(read(&json!([])).failure.is_some());
    }
}
