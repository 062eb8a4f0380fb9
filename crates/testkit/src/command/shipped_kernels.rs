//! `shipped-kernels`: programs of the suites whose kernels ship everything to the host get the verdicts that they get on the CPU engine.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use warpsan_instrument::{DevicePlan, MetadataPlan, Shipping};
use warpsan_suite::{Answer, Program, Totals, Verdict, judge, read_programs};
use warpsan_testkit::instrumented::{Choices, NOT_EMULATED, answer_when_shipped};
use warpsan_testkit::shipping::leniently;
use warpsan_toolchain::Toolchain;

use super::{Common, cores};

/// Instrument the kernels of `suites/hb` and `suites/iguard` so that their operations are shipped to the host, run them on
/// the CPU engine, and compare what detectors make of their records with the programs' `//~` comments
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many seeds, from 1; each one is another schedule
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    seeds: u64,
    /// Only the suite of this detector
    #[arg(long, value_name = "NAME")]
    detector: Option<String>,
    /// How many programs at a time
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<usize>,
}

/// The suites, the detectors, and how kernels are instrumented for them.
const SUITES: [(&str, &str, DevicePlan); 2] = [
    ("suites/hb", "hb", DevicePlan::Ship(Shipping::Everything)),
    ("suites/iguard", "iguard", DevicePlan::Metadata(MetadataPlan::USUAL.ordered())),
];

/// What came of a program: the answers with each seed, or why there is none.
type Outcome = anyhow::Result<(Vec<(u64, Answer)>, u64, Vec<String>)>;

/// True if every program whose kernels can be instrumented gets its verdict.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let toolchain = common.toolchain()?;
    let mut right = true;
    for suite in SUITES {
        if args.detector.as_ref().is_none_or(|chosen| chosen == suite.1) {
            right &= run_suite(args, common, &toolchain, suite)?;
        }
    }
    Ok(right)
}

fn run_suite(
    args: &Args,
    common: &Common,
    toolchain: &Toolchain,
    (folder, detector, plan): (&str, &str, DevicePlan),
) -> anyhow::Result<bool> {
    let mut programs = read_programs(&common.root().join(folder), detector)?;
    programs.retain(|program| {
        common.takes(&program.name) && !NOT_EMULATED.contains(&program.name.as_str())
    });
    let start = Instant::now();
    let jobs = args.jobs.map_or_else(cores, Ok)?;
    let outcomes = all(&programs, jobs, |program| {
        let mut answers = Vec::new();
        let (mut operations, mut differences) = (0, Vec::new());
        for seed in 1..=args.seeds {
            let choices = Choices::of(program, plan);
            let shipped = answer_when_shipped(program, toolchain, detector, &choices, seed)?;
            operations += shipped.operations;
            differences
                .extend(shipped.differences.iter().map(|one| format!("{one} (seed {seed})")));
            answers.push((seed, shipped.answer));
        }
        Ok((answers, operations, differences))
    });
    let mut refused: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut verdicts: Vec<(&Program, Verdict)> = Vec::new();
    let (mut operations, mut agree) = (0, true);
    for (program, outcome) in programs.iter().zip(&outcomes) {
        match outcome {
            Ok((answers, shipped, differences)) => {
                operations += shipped;
                agree &= differences.is_empty();
                for difference in differences {
                    println!("WRONG {folder}/{}: {difference}", program.name);
                }
                verdicts.push((program, judge(&leniently(program, answers), answers)));
            }
            Err(why) => refused.entry(format!("{why:#}")).or_default().push(&program.name),
        }
    }
    for (program, verdict) in &verdicts {
        for problem in &verdict.problems {
            println!(
                "WRONG {folder}/{}: {} (seeds {:?})",
                program.name, problem.what, problem.seeds
            );
        }
    }
    for (why, names) in &refused {
        println!("{} not covered: {why}: {}", names.len(), names.join(" "));
    }
    let totals = Totals::of(verdicts.iter().map(|(program, verdict)| (*program, verdict)));
    println!(
        "{folder} with {detector}: {totals}; {} not covered; {} seeds, {operations} operations, {:.0} seconds",
        outcomes.iter().filter(|outcome| outcome.is_err()).count(),
        args.seeds,
        start.elapsed().as_secs_f64(),
    );
    Ok(totals.wrong == 0 && agree)
}

/// What comes of each program, several at a time.
fn all(
    programs: &[Program],
    jobs: usize,
    one: impl Fn(&Program) -> Outcome + Sync,
) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let outcomes: Vec<Mutex<Option<Outcome>>> = programs.iter().map(|_| Mutex::default()).collect();
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(program), Some(place)) = (programs.get(at), outcomes.get(at)) else {
                        return;
                    };
                    let outcome = one(program);
                    if let Ok(mut place) = place.lock() {
                        *place = Some(outcome);
                    }
                }
            });
        }
    });
    let missing = || Err(anyhow::anyhow!("nothing came of it"));
    let outcomes = outcomes.into_iter().map(|one| one.into_inner().ok().flatten());
    outcomes.map(|one| one.unwrap_or_else(missing)).collect()
}
