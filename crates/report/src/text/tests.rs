use super::*;
use crate::{AllocationReport, MemoryLocation, NotCovered, RaceKind, Replay, Summary, render_json};
use warpsan_model::{DeviceAddress, Dim3, SourcePosition};

fn access(line: u32, text: &str, access: AccessType, thread: u32) -> AccessReport {
    AccessReport {
        access,
        strength: "weak".into(),
        position: Some(SourcePosition { file: "sum.cu".into(), line, column: 5 }),
        source_line: Some(text.into()),
        frames: Vec::new(),
        instruction: "ld.shared.f32 %f1, [%r1]".into(),
        ptx_line: 40,
        thread: Dim3::new(thread, 0, 0),
        block: Dim3::new(2, 0, 0),
        warp: thread / 32,
        bytes: 4,
    }
}

fn race() -> Race {
    Race {
        kind: RaceKind::MissingSync,
        severity: Severity::Error,
        kernel: "sum".into(),
        first: access(12, "    tile[t] = in[i];", AccessType::Write, 70),
        second: access(14, "    total += tile[t + 64];  // add", AccessType::Read, 6),
        location: MemoryLocation {
            space: Space::Shared,
            address: DeviceAddress(280),
            allocation: Some(AllocationReport { label: "tile".into(), bytes: 512, offset: 280 }),
        },
        reason: "no barrier comes between them".into(),
        advice: "put __syncthreads() between the two".into(),
        related: Vec::new(),
        same_value: false,
        count: 3,
        replay: Replay { seed: 7, launch: 0 },
    }
}

fn report(races: Vec<Race>) -> Report {
    let mut report = Report::new(Summary {
        detector: "hb".into(),
        engine: "cpu".into(),
        seed: 7,
        processes: 1,
        launches: 2,
        kernels: vec!["sum".into()],
        accesses: 1000,
        ..Summary::default()
    });
    report.add_races(races);
    report
}

#[test]
fn a_race_shows_both_lines_the_reason_and_how_to_see_it_again() {
    let text = render_text(&report(vec![race()]), false, "warpsan run --seed 7 -- ./sum");
    let expected = "\
error[missing-sync]: race on shared memory, byte 280 of tile, in kernel `sum`
  --> sum.cu:14:5
   |
14 |     total += tile[t + 64];  // add
   |     ^^^^^^^^^^^^^^^^^^^^^^ read of 4 bytes by thread (6, 0, 0) of block (2, 0, 0) (warp 0)
   |
  ::: sum.cu:12:5
   |
12 |     tile[t] = in[i];
   |     ---------------- write of 4 bytes by thread (70, 0, 0) of block (2, 0, 0) (warp 2)
   |
   = note: no barrier comes between them
   = help: put __syncthreads() between the two
   = note: seen 3 times; to see it again: warpsan run --seed 7 -- ./sum (launch 0 of the process)

warpsan: 1 race found; everything was checked: 2 launches of 1 kernel, 1000 accesses
warpsan: detector hb, engine cpu, seed 7
";
    assert_eq!(text, expected, "{text}");
}

#[test]
fn without_a_source_the_place_is_said_in_words() {
    let mut race = race();
    race.first.source_line = None;
    race.second.position = None;
    let text = render_text(&report(vec![race]), false, "x");
    assert!(text.contains("at sum.cu:12:5 (the source cannot be read)"), "{text}");
    assert!(
        text.contains("PTX line 40: `ld.shared.f32 %f1, [%r1]` (no line information"),
        "{text}"
    );
}

#[test]
fn what_was_not_checked_is_never_called_clean() {
    let mut report = report(Vec::new());
    assert_eq!(report.verdict(false), Verdict::Clean);
    report.not_covered.push(NotCovered {
        what: "the instruction tex.2d".into(),
        place: "kernel `sum`, sum.cu:9".into(),
        advice: "its results are not checked".into(),
    });
    assert_eq!(report.verdict(false), Verdict::NotCovered);
    let text = render_text(&report, false, "x");
    assert!(text.contains("no races found, but 1 thing was not checked"), "{text}");
    assert!(!text.contains("everything was checked"), "{text}");
}

#[test]
fn the_null_detector_does_not_claim_to_have_checked() {
    let mut report = report(Vec::new());
    report.summary.detector = "none".into();
    let text = render_text(&report, false, "x");
    assert!(text.contains("nothing was checked") && !text.contains("no races"), "{text}");
}

#[test]
fn the_same_lines_are_one_report_and_warnings_count_when_strict() {
    let mut report = report(vec![race(), race()]);
    assert_eq!((report.races.len(), report.races[0].count), (1, 6));
    report.races[0].severity = Severity::Warning;
    assert_eq!(report.verdict(false), Verdict::Clean);
    assert_eq!(report.verdict(true), Verdict::Races);
}

#[test]
fn json_names_both_sides() {
    let json = render_json(&report(vec![race()])).unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["schema"], 1);
    assert_eq!(value["races"][0]["kind"], "missing-sync");
    assert_eq!(value["races"][0]["first"]["position"]["line"], 12);
    assert_eq!(value["races"][0]["second"]["access"], "read");
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report(vec![race()]));
}
