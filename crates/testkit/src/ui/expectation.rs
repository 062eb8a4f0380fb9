//! The `//~` comments of a program.

const IN_SOME_SCHEDULES: &str = "in some schedules";

/// How sure it is that a run shows the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// Every schedule shows it.
    EverySchedule,
    /// Which accesses conflict is up to the schedule: one of the seeds has to show it.
    SomeSchedules,
}

/// One race that has to be reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// The name of the kind, as in reports.
    pub kind: String,
    /// The severity, where the program names it.
    pub severity: Option<String>,
    /// The lines of both sides, the smaller one first.
    pub lines: (u64, u64),
    /// Whether it shows in each run.
    pub certainty: Certainty,
}

/// The expectations of a program for a detector, or the line and text of the first comment that does not read.
pub fn expectations_of(text: &str, detector: &str) -> Result<Vec<Expectation>, String> {
    let mut expectations = Vec::new();
    for (line, number) in text.lines().zip(1_u64..) {
        for comment in line.split("//~").skip(1) {
            let not_understood = || {
                format!(
                    "line {number}: `//~{comment}` is not understood; expected something like \
                     `//~ race: missing-sync (with line 12)`"
                )
            };
            expectations
                .extend(parse(comment.trim(), number, detector).ok_or_else(not_understood)?);
        }
    }
    Ok(expectations)
}

/// Reads `[DETECTORS] race: KIND SEVERITY (with line N) in some schedules`, in which only the kind and the
/// other line have to be there, or `[DETECTORS] clean`.
fn parse(comment: &str, line: u64, detector: &str) -> Option<Option<Expectation>> {
    let (is_meant, rest) = match comment.strip_prefix('[') {
        None => (true, comment),
        Some(list) => {
            let (detectors, rest) = list.split_once(']')?;
            (detectors.split(',').any(|name| name.trim() == detector), rest.trim_start())
        }
    };
    if rest == "clean" {
        return Some(None);
    }
    let (what, rest) = rest.strip_prefix("race: ")?.split_once(" (with ")?;
    let (other, rest) = rest.split_once(')')?;
    let other = match other.strip_prefix("line ") {
        Some(number) => number.parse().ok()?,
        None if other == "itself" => line,
        None => return None,
    };
    let certainty = match rest.trim() {
        "" => Certainty::EverySchedule,
        IN_SOME_SCHEDULES => Certainty::SomeSchedules,
        _ => return None,
    };
    let (kind, severity) = match what.split_once(' ') {
        None => (what, None),
        Some((kind, severity @ ("error" | "warning" | "info"))) => (kind, Some(severity)),
        Some(_) => return None,
    };
    let is_name =
        |kind: &str| !kind.is_empty() && kind.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    if !is_name(kind) {
        return None;
    }
    Some(is_meant.then(|| Expectation {
        kind: kind.to_owned(),
        severity: severity.map(str::to_owned),
        lines: (line.min(other), line.max(other)),
        certainty,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(comment: &str) -> Expectation {
        let mut all = expectations_of(&format!("\nx; {comment}"), "hb").expect("the comment reads");
        assert_eq!(all.len(), 1, "{comment}");
        all.remove(0)
    }

    #[test]
    fn every_part_of_an_expectation_is_read() {
        let plain = only("//~ race: scope (with line 1)");
        assert_eq!((plain.kind.as_str(), plain.lines), ("scope", (1, 2)));
        assert_eq!((plain.severity, plain.certainty), (None, Certainty::EverySchedule));
        assert_eq!(only("//~ race: same-value (with itself)").lines, (2, 2));
        let whole = only("//~ [hb, ld] race: warp-sync warning (with line 9) in some schedules");
        assert_eq!((whole.severity.as_deref(), whole.lines), (Some("warning"), (2, 9)));
        assert_eq!(whole.certainty, Certainty::SomeSchedules);
    }

    #[test]
    fn a_line_can_have_several_and_other_detectors_have_their_own() {
        let two = "x; //~ race: scope (with line 7)  //~ race: lock (with line 8)";
        assert_eq!(expectations_of(two, "hb").expect("both read").len(), 2);
        let others = "x; //~ [iguard] race: lock (with line 9)  //~ [hb] clean\n//~ clean";
        assert_eq!(expectations_of(others, "hb"), Ok(Vec::new()));
        assert_eq!(expectations_of(others, "iguard").expect("it reads").len(), 1);
        let wrong = "x; //~ [iguard] race: lock";
        assert!(expectations_of(wrong, "hb").is_err(), "what others expect has to read, too");
    }

    #[test]
    fn what_does_not_read_is_named_with_its_line() {
        for wrong in [
            "//~ rice: scope (with line 1)",
            "//~ race: scope",
            "//~ race: scope (with line one)",
            "//~ race: scope (with 1)",
            "//~ race: scope bad (with line 1)",
            "//~ race: scope (with line 1) sometimes",
            "//~ race: Scope (with line 1)",
            "//~ [hb race: scope (with line 1)",
        ] {
            let message = expectations_of(&format!("\n{wrong}"), "hb").expect_err(wrong);
            assert!(message.starts_with("line 2: "), "{message}");
        }
    }
}
