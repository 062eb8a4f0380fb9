//! The programs of `suites/hb` and `suites/iguard` get the verdicts that their `//~` comments name. Two seeds here;
//! `cargo xtask ui` takes more.

use std::path::Path;
use std::time::Duration;

use warpsan_testkit::ui::{Settings, Totals, Verdict, answers_of, judge, read_programs};

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
