//! `values`: whole programs under warpsan print what a GPU printed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use warpsan_testkit::corpus::in_parallel;
use warpsan_testkit::values::{Judged, Limits, Program, Verdict, compile, judge, read_programs};
use warpsan_toolchain::Toolchain;

use super::{Common, cores, table, warpsan};

/// The schedules that programs run under where nothing is said.
const SCHEDULES: [&str; 3] = ["random:1", "round-robin", "pct:3:1"];

/// Cores of each run: more than one, so that blocks run side by side.
const CORES_OF_A_RUN: usize = 2;

/// Run the programs of the suites `values` and `progress`, and compare with what an H200 printed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How warps take turns, as for `warpsan run`; can be repeated [default: random:1, round-robin, pct:3:1]
    #[arg(long, value_name = "SCHEDULE")]
    schedule: Vec<String>,
    /// The detector; with any but `none`, a reported race is a failure, because the programs have none
    #[arg(long, value_name = "NAME", default_value = "none")]
    detector: String,
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

/// What came of a program: its runs in the order of the schedules.
type Runs = anyhow::Result<Vec<Judged>>;

/// True if every run printed the same as the GPU.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let programs = programs(common)?;
    let (warpsan, toolchain) = (warpsan(args.warpsan.as_deref())?, common.toolchain()?);
    let schedules = match args.schedule.is_empty() {
        true => SCHEDULES.map(str::to_owned).to_vec(),
        false => args.schedule.clone(),
    };
    let start = Instant::now();
    let check = |program: &Program| run_all(&warpsan, &toolchain, program, &schedules, args);
    let jobs = args.jobs.map_or_else(cores, Ok)?;
    let checked = in_parallel(&programs, jobs, None, check, show_failures);
    let mut rows = Vec::new();
    let (mut same, mut not_covered, mut different) = (0, 0, 0);
    for done in &checked {
        let runs = match &done.verdict {
            Some(Ok(runs)) => runs.as_slice(),
            _ => &[],
        };
        let failed = schedules.len() - runs.len();
        different += failed;
        for run in runs {
            *match run.verdict {
                Verdict::Same => &mut same,
                Verdict::SameNotCovered => &mut not_covered,
                Verdict::Different(_) => &mut different,
            } += 1;
        }
        rows.push(row(&done.item, runs, schedules.len()));
    }
    let mut header = vec!["program", "checks"];
    header.extend(schedules.iter().map(String::as_str));
    header.extend(["launches", "M accesses", "seconds"]);
    table::print(&header, &rows);
    let checks: usize = programs.iter().map(Program::checks).sum();
    println!(
        "{} programs with {checks} checks, {} runs with detector `{}` in {:.0} seconds: {same} print what \
         the H200 prints, {not_covered} do and are not covered by the detector, {different} differ",
        programs.len(),
        programs.len() * schedules.len(),
        args.detector,
        start.elapsed().as_secs_f64(),
    );
    Ok(different == 0)
}

/// The programs that the filters let pass.
pub(crate) fn programs(common: &Common) -> anyhow::Result<Vec<Program>> {
    let mut programs = read_programs(&common.root().join("suites"))?;
    programs.retain(|program| common.takes(&program.name));
    anyhow::ensure!(!programs.is_empty(), "no program has such a name");
    Ok(programs)
}

fn run_all(
    warpsan: &Path,
    toolchain: &Toolchain,
    program: &Program,
    schedules: &[String],
    args: &Args,
) -> Runs {
    let executable = compile(toolchain, program)?;
    let limits = Limits { program: Duration::from_secs(args.timeout) };
    let run = |schedule: &String| {
        let flags = [
            "--schedule".to_owned(),
            schedule.clone(),
            format!("--detector={}", args.detector),
            format!("--jobs={CORES_OF_A_RUN}"),
        ];
        judge(warpsan, &executable, program, &flags, limits)
    };
    schedules.iter().map(run).collect()
}

/// Says at once what went wrong.
fn show_failures(program: &Program, runs: &Runs) {
    match runs {
        Err(error) => println!("FAILED {}: {error:#}", program.name),
        Ok(runs) => {
            for run in runs {
                if let Verdict::Different(message) = &run.verdict {
                    println!("FAILED {}: {message}", program.name);
                }
            }
        }
    }
}

fn row(program: &Program, runs: &[Judged], schedules: usize) -> Vec<String> {
    let mut row = vec![program.name.clone(), program.checks().to_string()];
    for number in 0..schedules {
        let result = match runs.get(number).map(|run| &run.verdict) {
            Some(Verdict::Same) => "same",
            Some(Verdict::SameNotCovered) => "not covered",
            Some(Verdict::Different(_)) | None => "FAILED",
        };
        row.push(result.to_owned());
    }
    let launches = runs.first().map_or(0, |run| run.launches);
    let accesses: u64 = runs.iter().map(|run| run.accesses).sum();
    let seconds: f64 = runs.iter().map(|run| run.seconds).sum();
    row.push(launches.to_string());
    row.push(format!("{:.2}", accesses as f64 / 1e6));
    row.push(format!("{seconds:.2}"));
    row
}
