//! `determinism`: the same seed gives the same trace, byte for byte, on any number of cores.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use warpsan_testkit::corpus::in_parallel;
use warpsan_testkit::values::{Limits, Program, compile, trace};
use warpsan_toolchain::Toolchain;

use super::{Common, cores, table, values, warpsan};

/// The policies that seeds take in turn.
const POLICIES: [&str; 3] = ["random", "round-robin", "pct:3"];

/// The cores of the two runs.
const CORES: [usize; 2] = [1, 2];

/// Run every program twice with each seed, on one core and on two, and compare the traces
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How many seeds, from 1
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    seeds: u64,
    /// How many programs run at a time
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<usize>,
    /// After this time, a run has failed
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    timeout: u64,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// What came of a program.
#[derive(Debug, Default)]
struct Compared {
    /// Seeds whose two runs left the same trace.
    identical: u64,
    /// What went wrong, by seed.
    failures: Vec<String>,
    /// Bytes of all traces.
    bytes: u64,
    seconds: f64,
}

/// True if no two runs differ.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let programs = values::programs(common)?;
    let (warpsan, toolchain) = (warpsan(args.warpsan.as_deref())?, common.toolchain()?);
    let start = Instant::now();
    let check = |program: &Program| compare(&warpsan, &toolchain, program, args);
    let show_failures = |program: &Program, compared: &Compared| {
        eprintln!("{}", program.name);
        for failure in &compared.failures {
            println!("FAILED {}: {failure}", program.name);
        }
    };
    let jobs = args.jobs.map_or_else(cores, Ok)?;
    let checked = in_parallel(&programs, jobs, None, check, show_failures);
    let (mut rows, mut identical, mut bytes) = (Vec::new(), 0, 0);
    for done in &checked {
        let nothing = Compared::default();
        let compared = done.verdict.as_ref().unwrap_or(&nothing);
        identical += compared.identical;
        bytes += compared.bytes;
        rows.push(vec![
            done.item.name.clone(),
            args.seeds.to_string(),
            compared.identical.to_string(),
            format!("{:.2}", compared.bytes as f64 / 1e6),
            format!("{:.1}", compared.seconds),
        ]);
    }
    table::print(&["program", "seeds", "identical", "MB of traces", "seconds"], &rows);
    let pairs = programs.len() as u64 * args.seeds;
    println!(
        "{} programs, {pairs} pairs of runs in {:.0} seconds, {:.1} GB of traces: {identical} pairs are \
         identical, {} are not",
        programs.len(),
        start.elapsed().as_secs_f64(),
        bytes as f64 / 1e9,
        pairs - identical,
    );
    Ok(identical == pairs)
}

fn compare(warpsan: &Path, toolchain: &Toolchain, program: &Program, args: &Args) -> Compared {
    let mut compared = Compared::default();
    let start = Instant::now();
    let limits = Limits { program: Duration::from_secs(args.timeout) };
    match compile(toolchain, program) {
        Err(error) => compared.failures.push(format!("{error:#}")),
        Ok(executable) => {
            for (seed, policy) in (1..=args.seeds).zip(POLICIES.into_iter().cycle()) {
                let schedule = format!("{policy}:{seed}");
                let [one, two] =
                    CORES.map(|cores| trace(warpsan, &executable, &schedule, cores, limits));
                match (one, two) {
                    (Ok(one), Ok(two)) => {
                        compared.bytes += one.bytes + two.bytes;
                        match one == two {
                            true => compared.identical += 1,
                            false => compared.failures.push(format!(
                                "{schedule}: the traces of two runs differ ({} and {} bytes)",
                                one.bytes, two.bytes
                            )),
                        }
                    }
                    (Err(error), _) | (_, Err(error)) => {
                        compared.failures.push(format!("{schedule}: {error:#}"));
                    }
                }
            }
        }
    }
    compared.seconds = start.elapsed().as_secs_f64();
    compared
}
