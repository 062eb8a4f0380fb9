//! The `//~` comments of a program: which races each detector has to report, on which lines, and by which rule.

use crate::error::CommentError;
use warpsan_detect::DetectorId;

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
    /// The switches of the program with which it shows; with any, and with none, where the comment names none.
    pub switches: Vec<u32>,
    /// The rule that decides, as the comment names it.
    pub rule: Option<String>,
}

impl Expectation {
    /// Whether it is there when this switch of the program is on; 0 is none of them.
    pub fn is_with(&self, switch: u32) -> bool {
        self.switches.is_empty() || self.switches.contains(&switch)
    }
}

/// A comment `//~`.
struct Comment {
    /// It speaks of the detector that was asked for.
    is_meant: bool,
    switches: Vec<u32>,
    rule: Option<String>,
    /// Nothing if it says that there is no race.
    race: Option<Expectation>,
}

/// The expectations of a program for a detector, or the line and text of the first comment that does not read.
pub fn expectations_of(text: &str, detector: &str) -> Result<Vec<Expectation>, CommentError> {
    let comments = comments_of(text, detector)?.into_iter();
    Ok(comments.filter(|comment| comment.is_meant).filter_map(|comment| comment.race).collect())
}

/// The rules that comments name for what a detector says of a program when this switch is on; 0 is none of them.
pub fn reasons_of(text: &str, detector: &str, switch: u32) -> Result<Vec<String>, CommentError> {
    let comments = comments_of(text, detector)?.into_iter();
    let is_of_case = |comment: &Comment| {
        comment.is_meant && (comment.switches.is_empty() || comment.switches.contains(&switch))
    };
    Ok(comments.filter(is_of_case).filter_map(|comment| comment.rule).collect())
}

fn comments_of(text: &str, detector: &str) -> Result<Vec<Comment>, CommentError> {
    let mut comments = Vec::new();
    for (line, number) in text.lines().zip(1_u64..) {
        for comment in line.split("//~").skip(1) {
            let not_understood =
                || CommentError::Expectation { line: number, comment: comment.to_owned() };
            let (line, comment) = line_of(comment.trim(), number).ok_or_else(not_understood)?;
            comments.push(parse(comment, line, detector).ok_or_else(not_understood)?);
        }
    }
    Ok(comments)
}

/// Takes `line N:` off the beginning of a comment. One without it is on the line that it speaks of.
fn line_of(comment: &str, own: u64) -> Option<(u64, &str)> {
    let Some(rest) = comment.strip_prefix("line ") else { return Some((own, comment)) };
    let (line, rest) = rest.split_once(':')?;
    Some((line.parse().ok()?, rest.trim_start()))
}

/// Reads `[race N, …] [DETECTORS] race: KIND SEVERITY (with line N) in some schedules by RULE`, in which only the kind
/// and the other line have to be there, or `[race N, …] [DETECTORS] clean by RULE`.
fn parse(comment: &str, line: u64, detector: &str) -> Option<Comment> {
    let (switches, comment) = switches_of(comment)?;
    let (is_meant, rest) = match comment.strip_prefix('[') {
        None => (true, comment),
        Some(list) => {
            let (detectors, rest) = list.split_once(']')?;
            (detectors.split(',').any(|name| name.trim() == detector), rest.trim_start())
        }
    };
    if let Some(rest) = rest.strip_prefix("clean") {
        return Some(Comment { is_meant, switches, rule: rule_of(rest)?, race: None });
    }
    let (what, rest) = rest.strip_prefix("race: ")?.split_once(" (with ")?;
    let (other, rest) = rest.split_once(')')?;
    let other = match other.strip_prefix("line ") {
        Some(number) => number.parse().ok()?,
        None if other == "itself" => line,
        None => return None,
    };
    let (certainty, rest) = match rest.trim_start().strip_prefix(IN_SOME_SCHEDULES) {
        Some(rest) => (Certainty::SomeSchedules, rest),
        None => (Certainty::EverySchedule, rest),
    };
    let rule = rule_of(rest)?;
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
    let race = Expectation {
        kind: kind.to_owned(),
        severity: severity.map(str::to_owned),
        lines: (line.min(other), line.max(other)),
        certainty,
        switches: switches.clone(),
        rule: rule.clone(),
    };
    Some(Comment { is_meant, switches, rule, race: Some(race) })
}

/// Takes `[race N, …]` off the beginning of a comment.
fn switches_of(comment: &str) -> Option<(Vec<u32>, &str)> {
    let Some(list) = comment.strip_prefix("[race ") else { return Some((Vec::new(), comment)) };
    let (numbers, rest) = list.split_once(']')?;
    let switches: Result<Vec<u32>, _> =
        numbers.split(',').map(|number| number.trim().parse()).collect();
    Some((switches.ok()?, rest.trim_start()))
}

/// Reads the end of a comment: nothing, or `by RULE`. A rule is a row of a paper's table, `scord IV(d)` or `iguard R1`,
/// a rule of a thesis, `barracuda READEXCL` or `curd intra-block`, or a sentence of the race model, `hb "…"`.
fn rule_of(end: &str) -> Option<Option<String>> {
    if end.trim().is_empty() {
        return Some(None);
    }
    let rule = end.strip_prefix(" by ")?.trim();
    let (detector, name) = rule.split_once(' ')?;
    let is_rule = (detector.parse::<DetectorId>().ok()?.is_rule)(name);
    is_rule.then(|| Some(rule.to_owned()))
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
    fn a_comment_may_stand_apart_from_its_line() {
        let apart = only("//~ line 7: [hb] race: scope (with line 4) in some schedules");
        assert_eq!((apart.lines, apart.certainty), ((4, 7), Certainty::SomeSchedules));
        assert_eq!(only("//~ line 7: race: scope (with itself)").lines, (7, 7));
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
        assert!(whole.rule.is_none() && whole.is_with(0) && whole.is_with(3));
    }

    #[test]
    fn switches_and_rules_are_read() {
        let one = only("//~ [race 2] [hb] race: scope (with itself) by hb \"a sentence\"");
        assert!(one.is_with(2) && !one.is_with(0) && !one.is_with(1));
        assert_eq!(one.rule.as_deref(), Some("hb \"a sentence\""));
        let several =
            only("//~ [race 1, 3] race: lock (with line 9) in some schedules by iguard R5");
        assert_eq!(several.switches, [1, 3]);
        assert_eq!(several.rule.as_deref(), Some("iguard R5"));
        assert_eq!(several.certainty, Certainty::SomeSchedules);
        let clean =
            "x; //~ [race 1] [hb] clean by hb \"a sentence\"  //~ [scord] clean by scord IV(c)";
        assert_eq!(expectations_of(clean, "hb"), Ok(Vec::new()));
        let hb = reasons_of(clean, "hb", 1).expect("it reads");
        assert_eq!(hb, ["hb \"a sentence\""]);
        assert!(reasons_of(clean, "hb", 2).expect("it reads").is_empty());
        assert_eq!(reasons_of(clean, "scord", 2).expect("it reads"), ["scord IV(c)"]);
    }

    #[test]
    fn rules_of_the_thesis_are_read() {
        for rule in ["READEXCL", "ELSEENDIF", "BAR", "ACQBLOCK", "RELGLOBAL", "same-value"] {
            let comment = format!("x; //~ [barracuda, curd] clean by barracuda {rule}");
            let reasons = reasons_of(&comment, "curd", 0).expect("it reads");
            assert_eq!(reasons, [format!("barracuda {rule}")]);
        }
        let race = "x; //~ [curd] race: warp-sync warning (with itself) by curd intra-block";
        let expected = expectations_of(race, "curd").expect("it reads");
        assert_eq!(expected[0].rule.as_deref(), Some("curd intra-block"));
        assert_eq!(expectations_of(race, "barracuda"), Ok(Vec::new()));
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
            "//~ line one: race: scope (with line 1)",
            "//~ line 1 race: scope (with line 1)",
            "//~ race: scope",
            "//~ race: scope (with line one)",
            "//~ race: scope (with 1)",
            "//~ race: scope bad (with line 1)",
            "//~ race: scope (with line 1) sometimes",
            "//~ race: Scope (with line 1)",
            "//~ [hb race: scope (with line 1)",
            "//~ [race one] race: scope (with line 1)",
            "//~ [race 1 race: scope (with line 1)",
            "//~ race: scope (with line 1) by",
            "//~ race: scope (with line 1) by scord IV(g)",
            "//~ race: scope (with line 1) by scord R1",
            "//~ race: scope (with line 1) by iguard R6",
            "//~ race: scope (with line 1) by hb a sentence",
            "//~ race: scope (with line 1) by barracuda ACQBLK",
            "//~ race: scope (with line 1) by barracuda",
            "//~ race: scope (with line 1) by curd READEXCL",
            "//~ clean by nobody",
            "//~ cleaned",
        ] {
            let message = expectations_of(&format!("\n{wrong}"), "hb").expect_err(wrong);
            assert!(message.to_string().starts_with("line 2: "), "{message}");
        }
    }
}
