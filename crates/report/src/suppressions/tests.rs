use super::*;
use crate::samples::{
    race, race_in_unicode, race_of_threads, race_with_related_places, race_without_lines, report,
};
use crate::{Severity, Verdict};

fn parsed(text: &str) -> Suppressions {
    Suppressions::parse("x.supp", text).expect(text)
}

/// Whether a line suppresses the plain race: kernel `sum`, `sum.cu` lines 12 and 14, missing-sync.
fn suppresses(line: &str, race: Race) -> bool {
    let mut report = report(vec![race]);
    parsed(line).apply(&mut report);
    assert_eq!(report.races.len() + report.suppressed.len(), 1);
    report.races.is_empty()
}

#[test]
fn races_among_threads_are_suppressed_by_function_file_line_and_kind() {
    for (line, fits) in [
        ("race: function:Queue::*", true),
        ("race: function:worker kind:data-race", true),
        ("race: function:start_thread", true),
        ("race: function:main", false),
        ("race: kind:use-after-free", false),
        ("race: file:queue.cpp line:24", true),
        ("race: file:main.cpp", false),
    ] {
        assert_eq!(suppresses(line, race_of_threads()), fits, "{line}");
    }
}

#[test]
fn every_field_that_is_given_has_to_fit() {
    for (line, fits) in [
        ("race: kernel:sum", true),
        ("race: kernel:s?m", true),
        ("race: kernel:s*", true),
        ("race: kernel:su", false),
        ("race: kernel:Sum", false),
        ("race: kernel:sum?", false),
        ("race: kind:missing-sync", true),
        ("race: kind:scope", false),
        ("race: line:12", true),
        ("race: line:14", true),
        ("race: line:13", false),
        ("race: file:sum.cu", true),
        ("race: file:*.cu", true),
        ("race: file:um.cu", false),
        ("race: file:sum.cu line:14 kind:missing-sync kernel:sum", true),
        ("race: file:sum.cu line:14 kind:missing-sync kernel:other", false),
        ("race:kernel:sum", true),
        ("race:  kernel:sum\t line:12  # looked at", true),
        ("race: kernel:\"sum\"", true),
    ] {
        assert_eq!(suppresses(line, race()), fits, "{line}");
    }
}

#[test]
fn file_and_line_are_of_the_same_side() {
    let mut race = race();
    race.first.position.as_mut().unwrap().file = "/src/lib/other.cu".into();
    for (line, fits) in [
        ("race: file:other.cu line:12", true),
        ("race: file:sum.cu line:14", true),
        ("race: file:other.cu line:14", false),
        ("race: file:sum.cu line:12", false),
        ("race: file:lib/other.cu", true),
        ("race: file:src/*/other.cu", true),
        ("race: file:/src/*", true),
        ("race: file:ther.cu", false),
    ] {
        assert_eq!(suppresses(line, race.clone()), fits, "{line}");
    }
}

#[test]
fn quotes_keep_spaces_and_any_script_fits() {
    let template = race_with_related_places();
    assert!(suppresses("race: kernel:\"hand_over<unsigned int>\" kind:scope", template.clone()));
    assert!(suppresses("race: kernel:hand_over<unsigned?int>", template));
    assert!(suppresses("race: kernel:gr??e file:\"größe, 50%.cu\"", race_in_unicode()));
}

#[test]
fn a_side_without_line_information_has_no_line() {
    assert!(!suppresses("race: line:12", race_without_lines()));
    assert!(suppresses("race: line:14", race_without_lines()));
    assert!(suppresses("race: kernel:sum", race_without_lines()));
}

#[test]
fn broken_lines_are_reported_with_what_is_possible() {
    for (line, says) in [
        ("kernel:sum", "does not begin with `race:`"),
        ("race kernel:sum", "does not begin with `race:`"),
        ("race:", "names no field"),
        ("race: # all", "names no field"),
        ("race: sum", "`sum` is no field with a value"),
        ("race: kernel:", "`kernel:` has no value"),
        ("race: kernel:\"\"", "`kernel:` has no value"),
        ("race: kernel:\"sum", "not closed"),
        ("race: kernel:\"sum\"x", "a space is missing"),
        ("race: thread:3", "the fields are: kernel, function, file, line, kind"),
        ("race: line:0", "`0` is no line number"),
        ("race: line:12-14", "`12-14` is no line number"),
        ("race: line:99999999999", "no line number"),
        ("race: kind:Scope", "the kinds are: missing-sync, scope, "),
        ("race: kernel:a kernel:b", "`kernel` is given twice"),
        ("race: größe:1", "`größe` is no field"),
    ] {
        let text = format!("# one\n\nrace: kernel:sum\n{line}\n");
        let errors = Suppressions::parse("a/b.supp", &text).expect_err(line);
        let [error] = errors.as_slice() else { panic!("{errors:?}") };
        let message = error.to_string();
        assert!(message.starts_with("a/b.supp:4: ") && message.contains(says), "{message}");
    }
    let errors = Suppressions::parse("x", "a\nrace: kernel:k\nb\n").expect_err("two");
    assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn comments_empty_lines_and_line_ends_do_not_matter() {
    assert_eq!(parsed("").all.len(), 0);
    let text = "\u{feff}# one\r\n\r\n   \n  race: line:3  \r\n\t# two";
    let all = parsed(text).all;
    assert_eq!((all.len(), all[0].line, all[0].text.as_str()), (1, 4, "race: line:3"));
}

#[test]
fn what_is_suppressed_is_counted_and_changes_no_other_verdict() {
    let mut warning = race();
    warning.severity = Severity::Warning;
    warning.second.position.as_mut().unwrap().line = 16;
    let mut report = report(vec![race(), warning, race_with_related_places()]);
    let mut all = parsed("race: kernel:sum\nrace: kernel:idle");
    all.extend(Suppressions::parse("y.supp", "race: line:12").unwrap());
    all.apply(&mut report);
    assert_eq!(report.races, [race_with_related_places()]);
    assert_eq!(report.verdict(false), Verdict::Races);
    let by: Vec<&str> = report.suppressed.iter().map(|one| one.suppression.as_str()).collect();
    assert_eq!(by, ["x.supp:1", "x.supp:1"]);
    let uses: Vec<_> = report
        .summary
        .suppressions
        .iter()
        .map(|one| (one.file.as_str(), one.line, one.races, one.count))
        .collect();
    assert_eq!(uses, [("x.supp", 1, 2, 6), ("x.supp", 2, 0, 0), ("y.supp", 1, 2, 6)]);
    let unused: Vec<u32> = report.summary.unused_suppressions().map(|one| one.line).collect();
    assert_eq!(unused, [2]);
    parsed("race: kernel:*").apply(&mut report);
    assert_eq!(report.verdict(true), Verdict::Clean);
}

#[test]
fn a_race_that_was_seen_as_several_kinds_is_suppressed_if_all_of_them_are() {
    let seen_as = |kind, count| Race { kind, count, ..race() };
    let both = || {
        let races = vec![seen_as(RaceKind::MissingSync, 3), seen_as(RaceKind::Lock, 4)];
        let report = report(races);
        assert_eq!(report.races.len(), 1);
        report
    };
    for (lines, hidden, uses) in [
        ("race: kind:lock", false, vec![(1, 4)]),
        ("race: kind:missing-sync", false, vec![(1, 3)]),
        ("race: kind:missing-sync\nrace: kind:lock", true, vec![(1, 3), (1, 4)]),
        ("race: kernel:sum", true, vec![(1, 7)]),
        ("race: kernel:sum kind:lock\nrace: line:12", true, vec![(1, 4), (1, 7)]),
    ] {
        let mut report = both();
        parsed(lines).apply(&mut report);
        assert_eq!(report.races.is_empty(), hidden, "{lines}");
        let done = report.summary.suppressions.iter().map(|one| (one.races, one.count));
        assert_eq!(done.collect::<Vec<_>>(), uses, "{lines}");
    }
}

#[test]
fn a_suppression_is_unused_only_if_no_report_uses_it() {
    let all = parsed("race: kernel:sum\nrace: kernel:hand*\nrace: kernel:idle");
    let mut reports = [report(vec![race()]), report(vec![race_with_related_places()])];
    reports.iter_mut().for_each(|report| all.apply(report));
    let unused = crate::unused_in_all(reports.iter().map(|report| &report.summary));
    assert_eq!(unused.iter().map(|one| one.line).collect::<Vec<_>>(), [3]);
    assert!(crate::unused_in_all([]).is_empty());
}
