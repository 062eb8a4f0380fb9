//! `ui`: the programs of `suites/hb`, `suites/iguard` and `suites/scor/micro` get the verdicts that they name themselves.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use warpsan_suite::{Answer, Settings, Totals, Verdict, answers_of, judge, read_programs};

use super::{Common, cores, warpsan};

/// Check the programs of `suites/hb`, `suites/iguard` and `suites/scor/micro` with many seeds, and compare the reports with
/// their `//~` comments
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many seeds, from 1
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    seeds: u64,
    /// Only what this detector checks
    #[arg(long, value_name = "NAME")]
    detector: Option<String>,
    /// How many cores to use
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<usize>,
    /// After this time, a launch has failed
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// The suites, and the detectors that check them. Programs for one detector say what others make of them, too: they have
/// different definitions.
const SUITES: [(&str, &str); 9] = [
    ("suites/hb", "hb"),
    ("suites/bugs", "barracuda"),
    ("suites/bugs", "curd"),
    ("suites/bugs", "hb"),
    ("suites/iguard", "iguard"),
    ("suites/iguard", "hb"),
    ("suites/scor/micro", "scord"),
    ("suites/scor/micro", "iguard"),
    ("suites/scor/micro", "hb"),
];

/// True if every program gets its verdict with every seed.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    // Where there is no compiler, this asks whether to fetch one; the command then finds it.
    common.toolchain()?;
    let (mut right, mut programs) = (true, 0);
    for (folder, detector) in SUITES {
        if args.detector.as_ref().is_none_or(|chosen| chosen == detector) {
            let totals = run_suite(args, common, folder, detector)?;
            right &= totals.wrong == 0;
            programs += totals.programs;
        }
    }
    Ok(right && programs > 0)
}

fn run_suite(args: &Args, common: &Common, folder: &str, detector: &str) -> anyhow::Result<Totals> {
    let mut programs = read_programs(&common.root().join(folder), detector)?;
    programs.retain(|program| common.takes(&program.name));
    let settings = Settings {
        warpsan: warpsan(args.warpsan.as_deref())?,
        cuda_path: common.cuda_path.clone(),
        detector: detector.to_owned(),
        flags: Vec::new(),
        jobs: args.jobs.map_or_else(cores, Ok)?,
        timeout: Duration::from_secs(args.timeout),
    };
    let start = Instant::now();
    let mut answers: Vec<Vec<(u64, Answer)>> = vec![Vec::new(); programs.len()];
    for seed in 1..=args.seeds {
        let with_seed = answers_of(&programs, seed, &settings);
        for (all, one) in answers.iter_mut().zip(with_seed) {
            all.push((seed, one));
        }
        eprintln!("seed {seed} of {}: {:.1} seconds", args.seeds, start.elapsed().as_secs_f64());
    }
    let verdicts: Vec<Verdict> =
        programs.iter().zip(&answers).map(|(program, answers)| judge(program, answers)).collect();
    for (program, verdict) in programs.iter().zip(&verdicts) {
        for problem in &verdict.problems {
            let seeds: Vec<String> = problem.seeds.iter().map(u64::to_string).collect();
            let (name, seeds) = (&program.name, seeds.join(" "));
            println!("WRONG {folder}/{name} with {detector}: {} (seeds {seeds})", problem.what);
        }
    }
    let totals = Totals::of(programs.iter().zip(&verdicts));
    let seconds = start.elapsed().as_secs_f64();
    println!("{folder} with {detector}: {totals}; {} seeds, {seconds:.0} seconds", args.seeds);
    Ok(totals)
}
