//! The programs of `suites/hb`, `suites/iguard`, `suites/bugs` and `suites/scor` get the verdicts that their `//~` comments name. One or two
//! seeds here; `cargo xtask ui` and `warpsan suite` take more.

use std::path::Path;
use std::time::Duration;

use warpsan_suite::{Settings, Totals, Verdict, answers_of, judge, read_programs};

use crate::support::build::need_compiler;

const SEEDS: std::ops::RangeInclusive<u64> = 1..=2;

/// Checks a suite with a detector; every program has to get its verdict.
fn check_suite(suite: &str, detector: &str) -> Totals {
    need_compiler();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites").join(suite);
    let programs = read_programs(&folder, detector).unwrap_or_else(|message| panic!("{message}"));
    let settings = Settings {
        warpsan: env!("CARGO_BIN_EXE_warpsan").into(),
        cuda_path: None,
        detector: detector.to_owned(),
        flags: Vec::new(),
        jobs: std::thread::available_parallelism().map_or(2, usize::from),
        timeout: Duration::from_secs(60),
    };
    let mut answers = vec![Vec::new(); programs.len()];
    for seed in SEEDS {
        for (all, one) in answers.iter_mut().zip(answers_of(&programs, seed, &settings)) {
            all.push((seed, one));
        }
    }
    let verdicts: Vec<Verdict> =
        programs.iter().zip(&answers).map(|(program, answers)| judge(program, answers)).collect();
    let totals = Totals::of(programs.iter().zip(&verdicts));
    println!("{suite} with {detector}: {totals}");
    let wrong: Vec<String> = programs
        .iter()
        .zip(&verdicts)
        .filter(|(_, verdict)| !verdict.is_right())
        .map(|(program, verdict)| format!("{}: {:#?}", program.name, verdict.problems))
        .collect();
    assert!(wrong.is_empty(), "{totals}\n{}", wrong.join("\n"));
    totals
}

#[test]
fn every_program_of_the_model_gets_its_verdict() {
    let totals = check_suite("hb", "hb");
    let (racy, clean) = (totals.racy, totals.programs - totals.racy);
    assert!(totals.programs >= 650, "the suite has shrunk: {totals}");
    assert!(
        racy * 3 >= clean * 2 && clean * 3 >= racy * 2,
        "racy and clean are balanced: {totals}"
    );
}

#[test]
fn every_program_of_iguard_gets_its_verdicts() {
    let totals = check_suite("iguard", "iguard");
    assert!(totals.programs >= 30, "the suite has shrunk: {totals}");
    // The same programs by the other definition: the differences are said in the programs.
    check_suite("iguard", "hb");
}

#[test]
fn every_program_of_the_bug_suite_gets_its_verdicts() {
    let totals = check_suite("bugs", "barracuda");
    assert!(totals.programs >= 66 + 5, "the suite has shrunk: {totals}");
    check_suite("bugs", "curd");
    check_suite("bugs", "hb");
}

/// All of ScoR, by the command that users have for it: its small programs, and each race of its applications alone.
#[test]
fn scor_is_found_by_every_detector() {
    need_compiler();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/scor");
    let ended = std::process::Command::new(env!("CARGO_BIN_EXE_warpsan"))
        .args(["suite", "--seeds", "1", "--format", "json"])
        .arg(&folder)
        .output()
        .expect("the command runs");
    let errors = String::from_utf8_lossy(&ended.stderr);
    let text = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(ended.status.code(), Some(0), "{errors}\n{text}");
    let suites: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let rows = suites[0]["rows"].as_array().expect("rows");
    let count = |detector: usize| {
        let reports = |row: &&serde_json::Value| row["outcomes"][detector]["reports"] == true;
        let (whole, small): (Vec<_>, Vec<_>) = rows
            .iter()
            .filter(reports)
            .partition(|row| row["program"].as_str().is_some_and(|name| name.starts_with("apps")));
        (small.len(), whole.len())
    };
    assert_eq!(suites[0]["detectors"], serde_json::json!(["scord", "iguard", "hb"]));
    assert_eq!(rows.len(), 33 + 7 + 26 + 5);
    // The 18 of table I; 26 races of applications, and five more between lanes of one warp.
    assert_eq!([count(0), count(1), count(2)], [(18, 26), (18, 31), (15, 31)]);
    let disagreements = suites[0]["disagreements"].as_array().expect("a list");
    assert_eq!(disagreements.len(), 5 + 2 * 3, "{disagreements:?}");
    let has_reason = |one: &serde_json::Value| {
        one["reason"].as_str().is_some_and(|reason| reason.starts_with("the model says"))
    };
    assert!(disagreements.iter().all(has_reason), "{disagreements:?}");
}
