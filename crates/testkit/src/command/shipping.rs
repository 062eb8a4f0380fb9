//! `shipping`: the programs of `suites/hb` and `suites/iguard` get their verdicts from events that went through queues, too.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use warpsan_suite::{Answer, Program, Settings, Totals, Verdict, judge, read_programs};
use warpsan_testkit::shipping::{Launches, Way, answer_after_shipping, leniently};

use super::{Common, cores, warpsan};

/// Record the programs of `suites/hb` and `suites/iguard`, send their events through queues as a device does, and
/// compare what detectors make of them with the programs' `//~` comments
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many seeds, from 1; each one is another schedule, and another way through the queues
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    seeds: u64,
    /// Only what this detector checks
    #[arg(long, value_name = "NAME")]
    detector: Option<String>,
    /// How many programs at a time
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<usize>,
    /// After this time, a launch has failed
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
    /// Keep the traces that went through queues in this folder, for `warpsan dump`
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
}

/// The answers about one program with each seed, and what became of its launches.
#[derive(Debug, Default)]
struct Checked {
    answers: Vec<(u64, Answer)>,
    launches: Launches,
}

/// The suites, the detectors, and the ways through the queues that keep what the detector goes by: iGUARD keeps the
/// last accesses only, so the order of all of them counts.
const SUITES: [(&str, &str, &[Way]); 3] = [
    ("suites/hb", "hb", &Way::ALL),
    ("suites/iguard", "hb", &Way::ALL),
    ("suites/iguard", "iguard", &[Way::Tickets]),
];

/// True if every program gets its verdict with every seed.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    common.toolchain()?;
    let (mut right, mut shipped) = (true, 0);
    for (folder, detector, ways) in SUITES {
        if args.detector.as_ref().is_none_or(|chosen| chosen == detector) {
            let (is_right, launches) = run_suite(args, common, (folder, detector, ways))?;
            right &= is_right;
            shipped += launches;
        }
    }
    Ok(right && shipped > 0)
}

/// Whether all is right, and how many launches were shipped.
fn run_suite(
    args: &Args,
    common: &Common,
    (folder, detector, ways): (&str, &str, &[Way]),
) -> anyhow::Result<(bool, usize)> {
    let mut programs = read_programs(&common.root().join(folder), detector)?;
    programs.retain(|program| common.takes(&program.name));
    let settings = Settings {
        warpsan: warpsan(args.warpsan.as_deref())?,
        cuda_path: common.cuda_path.clone(),
        detector: detector.to_owned(),
        flags: Vec::new(),
        jobs: 1,
        timeout: Duration::from_secs(args.timeout),
    };
    let start = Instant::now();
    let jobs = args.jobs.map_or_else(cores, Ok)?;
    let checked = check_all(&programs, args, (jobs, ways), &settings);
    let verdicts: Vec<Verdict> = programs
        .iter()
        .zip(&checked)
        .map(|(program, checked)| judge(&leniently(program, &checked.answers), &checked.answers))
        .collect();
    let mut launches = Launches::default();
    for ((program, verdict), checked) in programs.iter().zip(&verdicts).zip(checked) {
        for problem in &verdict.problems {
            let seeds: Vec<String> = problem.seeds.iter().map(u64::to_string).collect();
            let (name, seeds) = (&program.name, seeds.join(" "));
            println!("WRONG {folder}/{name} with {detector}: {} (seeds {seeds})", problem.what);
        }
        for error in &checked.launches.failed {
            println!("WRONG {}: {error}", program.name);
        }
        for why in &checked.launches.not_encoded {
            println!("left as it was: {}: {why}", program.name);
        }
        launches.add(checked.launches);
    }
    let totals = Totals::of(programs.iter().zip(&verdicts));
    println!(
        "{folder} with {detector}: {totals}; {} seeds, {:.0} seconds\n{} launches shipped with {} operations, {} failed, {} left as they were",
        args.seeds,
        start.elapsed().as_secs_f64(),
        launches.shipped,
        launches.operations,
        launches.failed.len(),
        launches.not_encoded.len(),
    );
    Ok((totals.wrong == 0 && launches.failed.is_empty(), launches.shipped))
}

fn check_all(
    programs: &[Program],
    args: &Args,
    (jobs, ways): (usize, &[Way]),
    settings: &Settings,
) -> Vec<Checked> {
    let next = AtomicUsize::new(0);
    let checked: Vec<Mutex<Checked>> = programs.iter().map(|_| Mutex::default()).collect();
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let (Some(program), Some(checked)) = (programs.get(at), checked.get(at)) else {
                return;
            };
            for seed in 1..=args.seeds {
                let way = ways[(seed as usize + at) % ways.len()];
                let (answer, launches) =
                    answer_after_shipping(program, seed, way, settings, args.keep.as_deref());
                let Ok(mut checked) = checked.lock() else { return };
                checked.answers.push((seed, answer));
                checked.launches.add(launches);
            }
        }
    };
    std::thread::scope(|scope| {
        (0..jobs.max(1)).for_each(|_| drop(scope.spawn(work)));
    });
    checked.into_iter().map(|one| one.into_inner().unwrap_or_default()).collect()
}
