//! The programs of a suite under each detector, several at a time.

use crate::progress::{StepProgress, Terminal};
use anyhow::anyhow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use warpsan_suite::{
    Answer, Case, Comparison, Outcome, Program, Row, Settings, answer_of_whole, answers_of,
    read_cases,
};

/// What was asked for.
pub(super) struct Chosen {
    /// Detectors with their flags.
    pub(super) detectors: Vec<String>,
    /// All of these have to be in a name.
    pub(super) filter: Vec<String>,
    pub(super) engine: &'static str,
    pub(super) seeds: u64,
    pub(super) jobs: usize,
    pub(super) timeout: Duration,
    pub(super) warpsan: PathBuf,
    pub(super) cuda_path: Option<PathBuf>,
}

/// All programs of a folder under all detectors.
pub(super) fn compare(
    folder: &Path,
    chosen: &Chosen,
    terminal: &Terminal,
) -> anyhow::Result<Comparison> {
    let mut comparison = Comparison {
        suite: folder.display().to_string(),
        seeds: chosen.seeds,
        detectors: chosen.detectors.clone(),
        rows: Vec::new(),
    };
    for detector in &chosen.detectors {
        let mut words = detector.split_whitespace().map(str::to_owned);
        let known = warpsan_detect::NAMES;
        let name = words.next().filter(|name| known.contains(&name.as_str())).ok_or_else(|| {
            anyhow!("`--detector {detector}` does not begin with one of: {}", known.join(", "))
        })?;
        let mut cases = read_cases(folder, &name).map_err(anyhow::Error::msg)?;
        cases.retain(|case| chosen.filter.iter().all(|text| case.name().contains(text)));
        let mut settings = Settings {
            warpsan: chosen.warpsan.clone(),
            cuda_path: chosen.cuda_path.clone(),
            detector: name,
            flags: vec!["--engine".to_owned(), chosen.engine.to_owned()],
            jobs: chosen.jobs,
            timeout: chosen.timeout,
        };
        settings.flags.extend(words);
        let steps = cases.len() as u64 * chosen.seeds;
        let progress = terminal.steps(detector, steps, "runs");
        let answers = answers(&cases, chosen.seeds, &settings, progress.as_ref());
        for (number, (case, answers)) in cases.iter().zip(&answers).enumerate() {
            if comparison.rows.len() <= number {
                comparison.rows.push(Row {
                    program: case.program.name.clone(),
                    race: case.switch,
                    headline: case.headline.clone(),
                    outcomes: Vec::new(),
                });
            }
            comparison.rows[number].outcomes.push(Outcome::of(case, answers));
        }
    }
    Ok(comparison)
}

/// The answers about each case, with their seeds.
fn answers(
    cases: &[Case],
    seeds: u64,
    settings: &Settings,
    progress: Option<&StepProgress>,
) -> Vec<Vec<(u64, Answer)>> {
    let all: Vec<Mutex<Vec<(u64, Answer)>>> = cases.iter().map(|_| Mutex::default()).collect();
    let keep = |number: usize, seed: u64, answer: Answer| {
        all[number].lock().unwrap_or_else(PoisonError::into_inner).push((seed, answer));
        if let Some(progress) = progress {
            progress.done();
        }
    };
    // Files of kernels go together, since a process that loads the compiler takes longer than a check.
    let (whole, kernels): (Vec<usize>, Vec<usize>) =
        (0..cases.len()).partition(|number| cases[*number].is_whole);
    let files: Vec<Program> = kernels.iter().map(|number| cases[*number].program.clone()).collect();
    for seed in 1..=seeds {
        let found = answers_of(&files, seed, settings);
        kernels.iter().zip(found).for_each(|(number, answer)| keep(*number, seed, answer));
    }
    // The first run of a program builds it, which others would wait for.
    let runs: Vec<(usize, u64)> =
        (1..=seeds).flat_map(|seed| whole.iter().map(move |number| (*number, seed))).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs.min(runs.len()) {
            scope.spawn(|| {
                while let Some((number, seed)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    keep(*number, *seed, answer_of_whole(&cases[*number], *seed, settings));
                }
            });
        }
    });
    let sorted = |answers: Mutex<Vec<(u64, Answer)>>| {
        let mut answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
        answers.sort_by_key(|(seed, _)| *seed);
        answers
    };
    all.into_iter().map(sorted).collect()
}
