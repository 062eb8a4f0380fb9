use super::*;
use crate::programs::SourceFile;
use crate::threads::Head;
use warpsan_suite::expectations_of;

/// The exit code of warpsan where there are races.
const RACY: i32 = 1;

/// A program with these lines, and a plug-in with those.
fn program(text: &str, plugin: &str) -> Program {
    let file = |name: &str, text: &str| SourceFile {
        path: name.into(),
        text: text.to_owned(),
        expectations: expectations_of(text, "").expect("comments"),
    };
    Program {
        name: "a.c".to_owned(),
        head: Head::default(),
        files: vec![file("a.c", text), file("p.c", plugin)],
    }
}

fn racy() -> Program {
    program("x;\ny;\nz; //~ race: data-race (with line 1)\n", "")
}

fn line(line: u64) -> Place {
    Place::Line { file: 0, line }
}

fn race(kind: &str, earlier: Place, later: Place) -> Said {
    Said { kind: Some(kind.to_owned()), earlier, later }
}

fn run(code: i32, races: &[Said]) -> Observed {
    Observed { code: Some(code), races: races.to_vec(), ..Observed::default() }
}

/// The differences of a run in words.
fn differences(program: &Program, observed: &Observed) -> Vec<String> {
    judge(program, observed, true).differences.iter().map(ToString::to_string).collect()
}

#[test]
fn a_right_run_has_each_pair_of_lines_in_any_order_and_its_exit_code() {
    for (earlier, later) in [(1, 3), (3, 1)] {
        let observed = run(RACY, &[race("data-race", line(earlier), line(later))]);
        let judged = judge(&racy(), &observed, true);
        assert!(judged.differences.is_empty() && judged.is_right() && judged.has_races);
        assert!(judged.has_stacks());
    }
    assert!(judge(&program("x;", ""), &run(0, &[]), true).is_right());
    // Runtimes whose kinds are others name none.
    let observed = run(66, &[Said { kind: None, earlier: line(1), later: line(3) }]);
    assert!(judge(&racy(), &observed, false).is_right());
}

#[test]
fn a_missing_race_is_named() {
    assert_eq!(differences(&racy(), &run(0, &[])), ["missed: data-race on lines 1 and 3"]);
}

#[test]
fn a_race_that_nothing_expects_is_named() {
    let observed = run(RACY, &[race("data-race", line(2), line(3))]);
    let found = differences(&racy(), &observed);
    assert_eq!(
        found,
        ["missed: data-race on lines 1 and 3", "unexpected: data-race between line 2 and line 3"]
    );
    let found = differences(&program("x;", ""), &observed);
    assert_eq!(found, ["unexpected: data-race between line 2 and line 3"]);
    let outside = race("data-race", Place::Elsewhere("/usr/vector:3".to_owned()), line(3));
    assert_eq!(differences(&racy(), &run(RACY, &[outside])).len(), 2);
}

#[test]
fn another_kind_is_wrong_and_said_once() {
    let observed = run(RACY, &[race("use-after-free", line(1), line(3))]);
    assert_eq!(differences(&racy(), &observed), ["kind: data-race on lines 1 and 3"]);
    let both = [race("use-after-free", line(1), line(3)), race("data-race", line(1), line(3))];
    assert!(judge(&racy(), &run(RACY, &both), true).is_right(), "it was also seen as expected");
}

#[test]
fn a_lost_stack_is_counted_and_not_wrong() {
    let observed = run(RACY, &[race("data-race", Place::Lost, line(3))]);
    let judged = judge(&racy(), &observed, true);
    assert!(judged.is_right() && !judged.has_stacks(), "{judged:?}");
    let other_line = run(RACY, &[race("data-race", Place::Lost, line(2))]);
    assert!(!judge(&racy(), &other_line, true).is_right());
    let other_kind = run(RACY, &[race("use-after-free", Place::Lost, line(3))]);
    assert!(!judge(&racy(), &other_kind, true).is_right());
}

#[test]
fn lines_are_those_of_their_file() {
    let with_plugin = program("x;\n", "y; //~ race: data-race (with itself)");
    let in_file = |file| {
        let place = || Place::Line { file, line: 1 };
        run(RACY, &[race("data-race", place(), place())])
    };
    assert!(judge(&with_plugin, &in_file(1), true).is_right());
    assert!(!judge(&with_plugin, &in_file(0), true).is_right());
}

#[test]
fn a_crash_and_other_exit_codes_are_wrong_whatever_was_said() {
    let said = [race("data-race", line(1), line(3))];
    let crashed = Observed { failure: Some("signal 11".to_owned()), ..run(139, &said) };
    assert_eq!(differences(&racy(), &crashed), ["end: signal 11"]);
    assert_eq!(differences(&racy(), &run(0, &said)), ["end: it ended with 0 where 1 is due"]);
    let clean = program("x;", "");
    assert_eq!(differences(&clean, &run(1, &[])), ["end: it ended with 1 where 0 is due"]);
    let killed = Observed { code: None, ..run(0, &[]) };
    assert_eq!(differences(&clean, &killed), ["end: it ended with a signal where 0 is due"]);
}

#[test]
fn a_time_out_is_one_difference_beside_what_it_hides() {
    let late =
        Observed { is_late: true, not_covered: vec!["what comes after".to_owned()], ..run(3, &[]) };
    assert_eq!(differences(&program("x;", ""), &late), ["time-out"]);
    assert_eq!(differences(&racy(), &late).len(), 2);
}

#[test]
fn what_was_not_covered_is_wrong() {
    let gap = Observed { not_covered: vec!["a library".to_owned()], ..run(3, &[]) };
    assert_eq!(differences(&program("x;", ""), &gap), ["not covered: a library"]);
}
