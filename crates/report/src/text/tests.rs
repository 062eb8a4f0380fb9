//! What the text form shows, race by race and in its summary.

use super::*;
use crate::samples::{
    not_covered, out_of_bounds, race, race_in_unicode, race_with_related_places,
    race_without_lines, report,
};
use crate::{AccessOrder, Limitation, RaceKind, Verdict};

fn text(race: Race) -> String {
    render_text(&report(vec![race]), false)
}

#[test]
fn a_race_shows_both_lines_the_place_the_reason_and_how_to_see_it_again() {
    let text = text(race());
    let expected = "\
error[missing-sync]: race on shared memory, byte 280 of tile, in kernel `sum`
  --> sum.cu:14:5
   |
14 |     total += tile[t + 64];  // add
   |     ^^^^^^^^^^^^^^^^^^^^^^ second access: read of 4 bytes by thread (6, 0, 0) of block (2, 0, 0) (warp 0)
   |
  ::: sum.cu:12:5
   |
12 |     tile[t] = in[i];
   |     ---------------- first access: write of 4 bytes by thread (70, 0, 0) of block (2, 0, 0) (warp 2)
   |
   = note: both access `tile` + 280 bytes: element 70 of 4 bytes
   = note: no barrier comes between them
   = help: put __syncthreads() between the two
   = note: seen 3 times; to see it again: warpsan run --seed 7 -- ./sum (launch 0 of the process)

warpsan: 1 race found; everything was checked: 2 launches of 1 kernel, 1000 accesses
warpsan: detector hb, engine cpu, seed 7
";
    assert_eq!(text, expected, "{text}");
}

#[test]
fn an_access_out_of_bounds_shows_its_line_once_and_is_no_race() {
    let text = text(out_of_bounds());
    let expected = "\
error[out-of-bounds]: access out of bounds, byte 8 of allocation 1 of 400 bytes, in kernel `sum`
  --> sum.cu:14:5
   |
14 |     total += tile[t + 64];  // add
   |     ^^^^^^^^^^^^^^^^^^^^^^ read of 4 bytes by thread (6, 0, 0) of block (2, 0, 0) (warp 0)
   |
   = note: it accesses `allocation 1 of 400 bytes` + 8 bytes: element 2 of 4 bytes
   = note: it is 120 bytes behind the end of that memory
   = help: compare the index with the number of elements
   = note: seen 3 times; to see it again: warpsan run --seed 7 -- ./sum (launch 0 of the process)

warpsan: 1 access out of bounds found, and no races; everything was checked: 2 launches of 1 kernel, 1000 accesses
warpsan: detector hb, engine cpu, seed 7
";
    assert_eq!(text, expected, "{text}");
    let both = report(vec![race(), out_of_bounds()]);
    assert_eq!(both.verdict(false), Verdict::Races);
    let text = render_text(&both, false);
    assert!(text.contains("1 race and 1 access out of bounds found; "), "{text}");
    let mut unchecked = report(vec![out_of_bounds()]);
    unchecked.summary.without_detection = true;
    let text = render_text(&unchecked, false);
    assert!(text.contains("1 access out of bounds found; races were not looked for"), "{text}");
}

#[test]
fn each_race_is_replayed_with_its_own_seed() {
    let text = render_text(&report(vec![race(), race_with_related_places()]), false);
    assert!(text.contains("again: warpsan run --seed 7 -- ./sum (launch 0 "), "{text}");
    assert!(text.contains("again: warpsan run --seed 19 -- ./sum (launch 4 "), "{text}");
    let mut unknown = race();
    unknown.replay.seed = 3;
    let text = self::text(unknown);
    assert!(text.contains("seen 3 times; with seed 3, in launch 0"), "{text}");
}

#[test]
fn the_inlining_chain_begins_at_the_line_that_is_shown() {
    let text = text(race_with_related_places());
    let write = "this write is in `publish`, inlined at sum.cu:50:5 in `step`, inlined at \
                 sum.cu:61:5 in `hand_over<unsigned int>`";
    assert!(text.contains(write), "{text}");
    let read = "this read is in `take`, inlined at sum.cu:63:5 in `hand_over<unsigned int>`";
    assert!(text.contains(read), "{text}");
    assert!(!text.contains("wrapper.hpp"), "{text}");
    assert!(!self::text(race()).contains("inlined"));
}

#[test]
fn which_access_came_first_is_said_where_it_was_seen() {
    let in_order = |order| text(Race { order, ..race() });
    let text = in_order(AccessOrder::FirstThenSecond);
    assert!(text.contains("^ second access: read of 4") && text.contains("- first access: write"));
    assert!(!text.contains("loop"), "{text}");
    let text = in_order(AccessOrder::NextPass);
    assert!(text.contains("^ second access, of the next pass of the loop: read of 4"), "{text}");
    let why = "note: the second access is of the next pass of the loop: what stands between the two lines";
    assert!(text.contains("- first access: write") && text.contains(why), "{text}");
    let text = in_order(AccessOrder::Unknown);
    assert!(text.contains("^ read of 4") && text.contains("- write of 4"), "{text}");
}

#[test]
fn what_the_pair_was_also_seen_as_is_a_note() {
    let mut scope = Race { kind: RaceKind::Scope, count: 12, ..race() };
    scope.advice = "use device scope".into();
    let same = Race { kind: RaceKind::SameValue, severity: Severity::Info, count: 1, ..race() };
    let report = report(vec![race(), scope, same]);
    let text = render_text(&report, false);
    assert!(text.starts_with("error[scope]: "), "the first kind of the model: {text}");
    let notes = "   = help: use device scope
   = note: also seen as: missing-sync, 3 times; against that: put __syncthreads() between the two
   = note: also seen as: same-value (info), once; against that: put __syncthreads() between the two
   = note: seen 12 times; to see it again";
    assert!(text.contains(notes) && text.contains("1 race found; "), "{text}");
}

#[test]
fn races_of_one_cause_are_one_and_a_list_of_lines() {
    let at = |lines: [u32; 2]| {
        let mut race = race();
        for (access, line) in [&mut race.first, &mut race.second].into_iter().zip(lines) {
            access.position.as_mut().unwrap().line = line;
        }
        race
    };
    let mut third = at([30, 31]);
    (third.order, third.count) = (AccessOrder::NextPass, 1);
    let mut fourth = at([40, 41]);
    (fourth.order, fourth.severity) = (AccessOrder::Unknown, Severity::Warning);
    fourth.kernel = "sum<2>".into();
    fourth.second.position = None;
    let other = Race { kind: RaceKind::Scope, ..at([41, 40]) };
    let mut report = report(vec![at([12, 14]), at([20, 22]), third, fourth, other]);
    report.sort();
    let text = render_text(&report, false);
    let list = "
   = note: the same cause: 3 more pairs of lines
             write at sum.cu:20, then read at sum.cu:22, 3 times
             write at sum.cu:30, then read at sum.cu:31 of the next pass, once
             write at sum.cu:40 and read at PTX line 40, in kernel `sum<2>` (warning), 3 times
";
    assert!(text.contains(list), "{text}");
    assert_eq!(text.matches("\nerror[").count() + 1, 2, "{text}");
    assert!(text.contains("5 races found, of 2 causes (4 errors, 1 warning); "), "{text}");
}

#[test]
fn elements_are_whole_and_inside_of_their_array() {
    let element = |offset, bytes: [u32; 2], size| {
        let mut race = race();
        let allocation = race.location.allocation.as_mut().unwrap();
        (allocation.offset, allocation.bytes) = (offset, size);
        [race.first.bytes, race.second.bytes] = bytes;
        race.element().map(|element| (element.index, element.bytes))
    };
    assert_eq!(element(12, [4, 4], 4096), Some((3, 4)));
    assert_eq!(element(16, [8, 4], 4096), Some((4, 4)));
    assert_eq!(element(13, [4, 4], 4096), None, "it is inside of an element");
    assert_eq!(element(13, [4, 1], 4096), Some((13, 1)));
    assert_eq!(element(0, [16, 16], 4), None, "the element would be larger than the array");
    assert_eq!(element(0, [0, 4], 4), None);
    assert!(text(race_without_lines()).contains("both access address 0x118 of global memory"));
}

#[test]
fn without_a_source_the_place_is_said_in_words() {
    let text = text(race_without_lines());
    assert!(text.contains("(warp 0), at sum.cu:14:5\n"), "{text}");
    assert!(
        text.contains("PTX line 40: `ld.shared.f32 %f1, [%r1]` (no line information)"),
        "{text}"
    );
}

#[test]
fn what_was_not_checked_is_never_called_clean() {
    let mut report = report(Vec::new());
    assert_eq!(report.verdict(false), Verdict::Clean);
    report.not_covered.push(not_covered());
    assert_eq!(report.verdict(false), Verdict::NotCovered);
    let text = render_text(&report, false);
    assert!(text.contains("no races found, but 1 thing was not checked"), "{text}");
    assert!(!text.contains("everything was checked"), "{text}");
}

#[test]
fn accesses_that_nobody_counted_are_not_shown() {
    let mut report = report(Vec::new());
    report.summary.engine = "gpu".to_owned();
    report.summary.accesses = 0;
    let text = render_text(&report, false);
    assert!(text.contains("everything was checked: 2 launches of 1 kernel\n"), "{text}");
}

#[test]
fn a_limitation_of_the_engine_is_stated_and_changes_no_verdict() {
    let mut report = report(Vec::new());
    report.summary.engine = "gpu".to_owned();
    report.limitations.push(Limitation { what: "no copies".into(), advice: "look".into() });
    assert_eq!(report.verdict(true), Verdict::Clean);
    let text = render_text(&report, false);
    assert!(text.contains("warpsan: no copies; look\n"), "{text}");
    let verdict = "no races found; everything was checked that the engine gpu checks: 2 launches";
    assert!(text.contains(verdict), "{text}");
}

#[test]
fn the_null_detector_does_not_claim_to_have_checked() {
    let mut report = report(Vec::new());
    report.summary.detector = "none".into();
    report.summary.without_detection = true;
    let text = render_text(&report, false);
    assert!(text.contains("nothing was checked") && !text.contains("no races"), "{text}");
    report.summary.was_safe = true;
    let text = render_text(&report, false);
    assert!(text.contains("on private copies, where races do no harm; they were not looked for"));
}

#[test]
fn the_same_lines_are_one_report_and_warnings_count_when_strict() {
    let mut report = report(vec![race(), race()]);
    assert_eq!((report.races.len(), report.races[0].count), (1, 6));
    report.races[0].severity = Severity::Warning;
    assert_eq!(report.verdict(false), Verdict::Clean);
    assert_eq!(report.verdict(true), Verdict::Races);
    assert!(render_text(&report, false).contains("1 race found (1 warning); "));
}

#[test]
fn ten_million_sightings_are_one_race_and_counts_never_overflow() {
    let mut many = race();
    many.count = 10_000_000;
    let mut report = report(vec![many.clone()]);
    assert!(render_text(&report, false).contains("seen 10000000 times"));
    many.count = u64::MAX;
    report.add_races([many]);
    assert_eq!(report.races[0].count, u64::MAX);
}

#[test]
fn several_seeds_are_shown_as_ranges() {
    let last_line = |seeds: &[u64]| {
        let mut report = report(Vec::new());
        report.summary.seeds = seeds.to_vec();
        render_text(&report, false).lines().last().unwrap().to_string()
    };
    assert!(last_line(&[]).ends_with("engine cpu, seed 7"));
    assert!(last_line(&[5]).ends_with("engine cpu, seed 5"));
    assert!(last_line(&[1, 2]).ends_with("2 seeds: 1, 2"));
    assert!(
        last_line(&[1, 2, 3, 4, 9, u64::MAX]).ends_with("6 seeds: 1 to 4, 9, 18446744073709551615")
    );
}

#[test]
fn any_line_can_be_underlined() {
    let long = "x".repeat(1000);
    for line in ["", "   ", "// only", "é", "  é // ü", "\u{1b}[31mred", &long, "a\u{0}b", "日本語"]
    {
        let mut race = race_in_unicode();
        race.first.source_line = Some(line.to_string());
        for color in [false, true] {
            let text = render_text(&report(vec![race.clone()]), color);
            assert!(text.contains("warp-sync"), "{text}");
            assert!(color || !text.contains('\u{1b}'), "{text:?}");
        }
    }
}
