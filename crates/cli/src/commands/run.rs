//! `warpsan run [flags] -- ./app args…`: an unmodified program under warpsan, with CUDA, with threads, or with both.

mod outcomes;

use crate::output::{self, Stream};
use crate::process::{
    CheckedProgram, UncheckedObject, find_program, obstacle_of, run as run_program,
};
use crate::seeds::{self, Seeds};
use crate::threads::{self, Plan, ThreadDetector};
use crate::{detection, embedded, engine, exit, running};
use anyhow::{Context, bail};
use outcomes::Outcomes;
use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use warpsan_report::{NotCovered, Report};
use warpsan_runtime::{Engine, Options, SafeMode, TraceFolder};
use warpsan_toolchain::Environment;

#[derive(Debug, clap::Args)]
#[command(after_help = EXPLANATION, mut_arg("detector", detection::with_threads))]
pub(crate) struct Args {
    #[command(flatten)]
    output: output::Args,

    #[command(flatten)]
    seeds: seeds::Args,

    #[command(flatten)]
    threads: threads::Args,

    /// End the program, with all processes that it has started, after this many seconds
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = running::parse_seconds,
        help_heading = running::HEADING
    )]
    timeout: Option<Duration>,

    /// Give a launch up that has not ended after this many seconds; on the GPU that ends the program
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = running::parse_seconds,
        help_heading = running::HEADING
    )]
    launch_timeout: Option<Duration>,

    /// Show no progress of long launches; without it, a terminal gets a line for them now and then
    #[arg(short, long, help_heading = running::HEADING)]
    quiet: bool,

    /// Run kernels on private copies of memory, so that their races do no harm. Races are not looked for, unless a detector is
    /// named, which then sees what was executed
    #[arg(long, value_name = "PROMISE", value_enum, help_heading = running::HEADING)]
    safe: Option<Safe>,

    /// Accept a program that does no CUDA work and has no instrumented threads: without this flag its run ends with code
    /// 3, as nothing was checked
    #[arg(long, help_heading = running::HEADING)]
    allow_idle: bool,

    /// Write everything that happens to a trace file in this folder, one for each process, for
    /// `warpsan dump` and `warpsan replay`
    #[arg(long, value_name = "FOLDER", help_heading = running::HEADING)]
    record_trace: Option<PathBuf>,

    /// On the GPU, read and write metadata without checking anything, to measure what that costs
    #[arg(long, hide = true)]
    gpu_only_traffic: bool,

    /// The program and its arguments, which are passed on untouched; a .cu file is compiled first
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    program: Vec<OsString>,
}

/// What safe execution promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Safe {
    /// No two threads access memory without order
    RaceFree,
    /// And every run has the same results
    Deterministic,
}

impl From<Safe> for SafeMode {
    fn from(safe: Safe) -> SafeMode {
        match safe {
            Safe::RaceFree => SafeMode::RaceFree,
            Safe::Deterministic => SafeMode::Deterministic,
        }
    }
}

const EXPLANATION: &str = "\
A program that is built with -fsanitize=thread (`warpsan cc` and `warpsan c++` do that) is checked for races
among its threads; --detector slimfast asks for that also where a script starts such a program.

The program's output and exit code stay its own, and what its kernels print goes to its standard output.
The report goes to standard error, or to a file. With --explore the program runs once for each seed, one
run after the other, and the first of its own failures is passed on.

Examples:
  warpsan run -- ./app its arguments
  warpsan run program.cu
  warpsan run --detector iguard --engine gpu -- ./app
  warpsan run --detector slimfast --memory-limit 4G -- ./tests.sh
  warpsan run --safe deterministic -- ./app
  warpsan run --seed 7 --schedule pct:3 -- ./app
  warpsan run --explore 20 -- ./app
  warpsan run --kernel 'reduce*' --launch-skip 10 --launch-count 1 -- ./app
  warpsan run --format json --output report.json --timeout 600 -- ./app
  warpsan run --record-schedule turns.txt -- ./app
  warpsan run --schedule @turns.txt -- ./app
  warpsan run --detector none --record-trace traces -- ./app";

pub(crate) fn run(args: &Args, global: &crate::Global) -> anyhow::Result<ExitCode> {
    let Some((program, arguments)) = args.program.split_first() else {
        bail!("name a program to run, as in: warpsan run -- ./app");
    };
    embedded::ensure_carried()?;
    let progress = !args.quiet && std::io::stderr().is_terminal();
    let is_recorded = args.record_trace.is_some();
    let chosen = args.output.running.engine_for_program(&args.output.detection, is_recorded)?;
    let timeout = args.launch_timeout;
    let mut options = Options { progress, engine: chosen, timeout, ..args.output.options()? };
    make_safe(args, &mut options)?;
    if chosen == Engine::Gpu {
        engine::prepare_gpu(&mut options, global)?;
        options.gpu.only_traffic = args.gpu_only_traffic;
    }
    let seeds = args.seeds.seeds(1, &options, &args.output.running)?;
    args.output.check_output(&[Path::new(program)])?;
    let traces = trace_folder(args)?;
    let built = compiled_program(program, global)?;
    let program = built.as_deref().unwrap_or(program);
    if let Some((path, obstacle)) = obstacle_of(program, chosen) {
        let mut report = report(args, &options, seeds, None, &mut Outcomes::default());
        report.not_covered.push(obstacle.not_covered(&path));
        report.summary.program = None;
        let verdict =
            args.output.form.give_out(report, Stream::Error, &|seed| again(args, chosen, seed))?;
        return Ok(ExitCode::from(exit::of_verdict(verdict)));
    }
    let plan = thread_plan(args, program, traces.as_deref())?;
    let cache = Environment::of_process().cache_root().ok();
    let mut outcomes = Outcomes::default();
    for seed in seeds.iter() {
        let again = again(args, chosen, seed);
        let path = traces.clone();
        let record_trace = path.map(|path| TraceFolder { path, command: again.clone() });
        let options = Options { seed, record_trace, ..options.clone() };
        let program = CheckedProgram {
            program,
            arguments,
            timeout: args.timeout,
            threads: plan.as_ref(),
            again: &again,
        };
        outcomes.add(run_program(program, &options, cache.as_deref())?);
        if outcomes.were_interrupted() {
            break;
        }
    }
    warn_of_mixed_schedules(args, &outcomes);
    let report = report(args, &options, seeds, plan.as_ref(), &mut outcomes);
    let verdict =
        args.output.form.give_out(report, Stream::Error, &|seed| again(args, chosen, seed))?;
    Ok(ExitCode::from(outcomes.exit_code(verdict)))
}

/// What `--safe` asks for.
fn make_safe(args: &Args, options: &mut Options) -> anyhow::Result<()> {
    let Some(safe) = args.safe else { return Ok(()) };
    if args.output.detection.is_open() {
        options.detector = warpsan_detect::none::SPECIFICATION.name.parse()?;
    }
    anyhow::ensure!(
        !options.detector.executes,
        "the detector {} runs kernels on private copies itself; leave out --safe or --detector",
        options.detector.name
    );
    options.safe = Some(safe.into());
    Ok(())
}

/// Whether and how the threads of the program are checked.
fn thread_plan(
    args: &Args,
    program: &OsStr,
    traces: Option<&Path>,
) -> anyhow::Result<Option<Plan>> {
    let detection = &args.output.detection;
    let (named, checks) = (detection.thread_detector(), detection.detector().finds_races);
    let file = find_program(program);
    let plan = Plan::of(file.as_deref(), named, checks, &args.threads, traces);
    if let Some(plan) = &plan {
        embedded::ensure_threads_carried(plan.library())?;
        anyhow::ensure!(
            traces.is_none() || plan.detector != ThreadDetector::FastTrack,
            "a trace of threads is written while slimfast checks, or nobody; record it without --detector fasttrack, \
             and then use `warpsan replay --detector fasttrack` on it"
        );
    }
    Ok(plan)
}

/// The executable of a CUDA source file.
fn compiled_program(
    program: &OsString,
    global: &crate::Global,
) -> anyhow::Result<Option<OsString>> {
    let path = Path::new(program);
    if path.extension().is_none_or(|extension| extension != "cu") {
        return Ok(None);
    }
    let compiled = crate::consent::toolchain(global)?.compile_program(path, &[])?;
    Ok(Some(compiled.path.into_os_string()))
}

/// Schedules are stored launch by launch, and several processes have no order among them.
fn warn_of_mixed_schedules(args: &Args, outcomes: &Outcomes) {
    let processes = outcomes.reports.iter().filter(|report| report.launches > 0).count();
    if let (Some(file), 2..) = (args.output.running.schedule_file(), processes) {
        // Nothing is left to do if even this cannot be written.
        let _ = writeln!(
            std::io::stderr(),
            "warpsan: the schedules of {processes} processes are mixed in {}, and cannot be replayed",
            file.display()
        );
    }
}

/// The folder for traces, which is made, so that a wrong path is found at once.
fn trace_folder(args: &Args) -> anyhow::Result<Option<PathBuf>> {
    let Some(folder) = &args.record_trace else { return Ok(None) };
    let unwritten = || format!("cannot write traces to {}", folder.display());
    std::fs::create_dir_all(folder).with_context(unwritten)?;
    running::absolute(folder).map(Some)
}

fn report(
    args: &Args,
    options: &Options,
    seeds: Seeds,
    plan: Option<&Plan>,
    outcomes: &mut Outcomes,
) -> Report {
    let saw_work = !outcomes.reports.is_empty() || !outcomes.threads.is_empty();
    let driver_functions = outcomes.unsupported_driver_functions();
    let mut report = args.output.report(options, std::mem::take(&mut outcomes.reports));
    report.name = args.program.first().map(|program| program.to_string_lossy().into_owned());
    seeds.name_in(&mut report, outcomes.count);
    threads::add_processes(&mut report, &outcomes.threads, options.statistics);
    if let Some(plan) = plan {
        report.thread_command = Some(thread_command(args, plan));
        let began = outcomes.threads.iter().any(|process| process.start.is_some());
        report.not_covered.extend((!began).then(|| plan.nobody_began()));
    }
    report.not_covered.extend(args.output.launches.nothing_left(&report.summary));
    if outcomes.unchecked.iter().any(UncheckedObject::explains_driver_functions) {
        report.not_covered.retain(|missing| !driver_functions.contains(missing));
    }
    report.not_covered.extend(outcomes.unchecked.iter().map(UncheckedObject::in_report));
    report.not_covered.append(&mut outcomes.gaps);
    if outcomes.left_running {
        report.not_covered.push(NotCovered {
            what: "what processes do that the program left running when it ended".to_string(),
            place: "processes that the program started".to_string(),
            advice: "let the program wait for them".to_string(),
        });
    }
    let limit = args.timeout.unwrap_or_default().as_secs_f64();
    if outcomes.timed_out {
        report.not_covered.push(NotCovered {
            what: format!("what the program would have done after {limit} seconds"),
            place: "the whole program".to_string(),
            advice: "raise the limit of --timeout, or use smaller input".to_string(),
        });
    }
    report.summary.program = outcomes.in_words();
    // A program that failed by itself passes that on, and is not called clean.
    if report.summary.program.is_none() && !saw_work && report.not_covered.is_empty() {
        match args.allow_idle {
            true => report.summary.program = Some(IDLE.to_string()),
            false => report.not_covered.push(NotCovered {
                what: IDLE.to_string(),
                place: "the whole program".to_string(),
                advice: "if that is as it should be, say so with --allow-idle".to_string(),
            }),
        }
    }
    report
}

/// Nothing says that a process has used CUDA.
const IDLE: &str = "the program did no CUDA work that warpsan could see";

/// The command that checks threads in the same way again.
fn thread_command(args: &Args, plan: &Plan) -> String {
    let words: Vec<_> = args.program.iter().map(|word| word.to_string_lossy()).collect();
    let flags = args.threads.flags_to_repeat(plan.detector);
    format!("warpsan run {flags}-- {}", words.join(" "))
}

/// The command that does the same again with one seed, on the CPU engine.
fn again(args: &Args, engine: Engine, seed: u64) -> String {
    let words: Vec<_> = args.program.iter().map(|word| word.to_string_lossy()).collect();
    let verdicts = args.output.detection.flags_to_repeat();
    let launches = args.output.launches.flags_to_repeat();
    let schedule = args.output.running.flags_to_repeat(seed);
    let engine = if engine == Engine::Gpu { "--engine cpu " } else { "" };
    format!("warpsan run {engine}{verdicts}{launches}{schedule} -- {}", words.join(" "))
}

#[cfg(test)]
mod tests;
