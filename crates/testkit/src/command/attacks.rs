//! `attacks`: input that no honest program has.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use warpsan_testkit::attacks::mutated::{Inputs, Limits, Outcome, Plan, run as run_cases};
use warpsan_testkit::attacks::programs::Attacker;
use warpsan_testkit::processes::{self, Bench};

use super::{Common, cores, new_bar, warpsan};

/// Give warpsan what no honest program has: nothing may abort, hang or be called clean
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Without one, all programs, a few kills and a sample of mutated files
    #[command(subcommand)]
    attack: Option<Attack>,
}

#[derive(Debug, clap::Subcommand)]
enum Attack {
    Mutated(Mutated),
    Programs(Programs),
    Kills(Kills),
}

/// Programs that close descriptors, clear their environment, change their user and root, and then have a race
#[derive(Debug, clap::Args)]
struct Programs {
    /// Take only attacks that have this text in their names
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Attacks at the same time [default: all cores]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// Kill programs, and the command itself, at points in their kernels: nothing found is lost, nothing is called clean
#[derive(Debug, clap::Args)]
struct Kills {
    /// Points at which a program is killed, and at which the command is
    #[arg(long, value_name = "N", default_value_t = 500)]
    count: usize,
    /// Determines the points, as far as the machine's speed does not
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Programs at the same time [default: all cores]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// Mutated traces, fat binaries, PTX and schedules, by a seed
#[derive(Debug, clap::Args)]
struct Mutated {
    /// Determines all files
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many files
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: usize,
    /// The number of the first, to make one of them again
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: usize,
    /// Seconds that one may take
    #[arg(long, value_name = "N", default_value_t = 20)]
    seconds: u64,
    /// MiB of memory that one may take
    #[arg(long, value_name = "N", default_value_t = 2048)]
    memory: u64,
    /// Files at the same time [default: all cores]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Keep the files that go wrong in this folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Do not load fat binaries into a program, for which a C compiler is needed
    #[arg(long)]
    no_programs: bool,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// The kills and the mutated files of a run of everything.
const SAMPLE_OF_KILLS: usize = 20;
const SAMPLE_OF_FILES: usize = 500;

/// True if nothing is wrong.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    match &args.attack {
        Some(Attack::Mutated(args)) => run_mutated(args),
        Some(Attack::Programs(args)) => run_programs(args, common),
        Some(Attack::Kills(args)) => run_kills(args, common),
        None => {
            let programs = Programs { filter: None, jobs: None, warpsan: None };
            let kills = Kills { count: SAMPLE_OF_KILLS, seed: 1, jobs: None, warpsan: None };
            let mutated = Mutated { count: SAMPLE_OF_FILES, ..Mutated::default() };
            let results = [
                run_programs(&programs, common)?,
                run_kills(&kills, common)?,
                run_mutated(&mutated)?,
            ];
            Ok(results.iter().all(|is_right| *is_right))
        }
    }
}

fn run_programs(args: &Programs, common: &Common) -> anyhow::Result<bool> {
    let warpsan = warpsan(args.warpsan.as_deref())?;
    let attacker = Attacker::compile(&common.toolchain()?, &common.root())?;
    let filter = args.filter.as_deref().unwrap_or("");
    let mut attacks = attacker.attacks(&warpsan)?;
    attacks.retain(|attack| attack.in_words().contains(filter));
    let jobs = args.jobs.map_or_else(cores, Ok)?;
    let attempts = attacker.attempt_all(&warpsan, &attacks, jobs);
    for attempt in &attempts {
        for wrong in &attempt.wrong {
            println!("WRONG {}, {wrong}", attempt.name);
        }
        if attempt.is_impossible {
            println!("{}: this machine does not allow it", attempt.name);
        }
    }
    let wrong: usize = attempts.iter().map(|attempt| attempt.wrong.len()).sum();
    println!(
        "{} attacks, each with and without a race: {} cases, {wrong} wrong",
        attempts.len(),
        2 * attempts.len()
    );
    Ok(wrong == 0 && !attempts.is_empty())
}

fn run_kills(args: &Kills, common: &Common) -> anyhow::Result<bool> {
    let warpsan = warpsan(args.warpsan.as_deref())?;
    let program = processes::compile(&common.toolchain()?, &common.root())?;
    let jobs = args.jobs.map_or_else(cores, Ok)?;
    let trials = processes::kill_all(&Bench { warpsan, program }, args.count, args.seed, jobs);
    for trial in &trials {
        for wrong in &trial.wrong {
            println!("WRONG {}: {wrong}", trial.name);
        }
        println!(
            "{}: {} runs, {} wrong; {}",
            trial.name,
            trial.runs,
            trial.wrong.len(),
            trial.remark
        );
    }
    Ok(trials.iter().all(processes::Trial::is_right))
}

fn run_mutated(args: &Mutated) -> anyhow::Result<bool> {
    let warpsan = warpsan(args.warpsan.as_deref())?;
    let inputs = Inputs::make(&warpsan, !args.no_programs)?;
    if let Some(folder) = &args.keep {
        let missing = || format!("cannot make {}", folder.display());
        std::fs::create_dir_all(folder).with_context(missing)?;
    }
    let limits = Limits { time: Duration::from_secs(args.seconds), memory: args.memory << 20 };
    let jobs = args.jobs.map_or_else(cores, Ok)?;
    let numbers = args.first..args.first.saturating_add(args.count);
    let bar = new_bar("files", args.count);
    let keep = args.keep.as_deref();
    let plan = Plan { warpsan: &warpsan, seed: args.seed, numbers, limits, jobs, keep };
    let outcome = run_cases(&inputs, &plan, |_| bar.inc(1));
    bar.finish_and_clear();
    print(args.seed, &outcome);
    Ok(outcome.failures.is_empty())
}

fn print(seed: u64, outcome: &Outcome) {
    for failure in &outcome.failures {
        println!(
            "WRONG {}: {}; warpsan {}; again with `--seed {seed} --first {} --count 1`",
            failure.wrong,
            failure.what,
            failure.arguments.join(" "),
            failure.number
        );
        println!("    {}", failure.last_words);
        if let Some(kept) = &failure.kept {
            println!("    {}", kept.display());
        }
    }
    let [clean, races, wrong_usage, unchecked, other] = outcome.codes;
    println!(
        "{} files: {} wrong; code 0: {clean}, 1: {races}, 2: {wrong_usage}, 3: {unchecked}, others: {other}; \
         at most {:.1} s and {} MiB",
        outcome.cases,
        outcome.failures.len(),
        outcome.longest.as_secs_f64(),
        outcome.most_memory >> 20
    );
}

impl Default for Mutated {
    fn default() -> Mutated {
        Mutated {
            seed: 1,
            count: 1000,
            first: 0,
            seconds: 20,
            memory: 2048,
            jobs: None,
            keep: None,
            no_programs: false,
            warpsan: None,
        }
    }
}
