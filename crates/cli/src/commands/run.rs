//! `warpsan run [flags] -- ./app args…`: an unmodified CUDA program under warpsan.

use crate::output::{self, Stream};
use crate::process::{CheckedProgram, RunOutcome, run as run_program};
use crate::running;
use anyhow::{Context, bail};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use warpsan_report::{NotCovered, Report};
use warpsan_runtime::{Options, TraceFolder};
use warpsan_toolchain::Environment;

#[derive(Debug, clap::Args)]
#[command(after_help = EXPLANATION)]
pub(crate) struct Args {
    #[command(flatten)]
    output: output::Args,

    /// End the program, with all processes that it has started, after this many seconds
    #[arg(
        long,
        value_name = "SECONDS",
        value_parser = running::parse_seconds,
        help_heading = running::HEADING
    )]
    timeout: Option<Duration>,

    /// Write everything that happens to a trace file in this folder, one for each process, for
    /// `warpsan dump` and `warpsan replay`
    #[arg(long, value_name = "FOLDER", help_heading = running::HEADING)]
    record_trace: Option<PathBuf>,

    /// The program and its arguments, which are passed on untouched; a .cu file is compiled first
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    program: Vec<OsString>,
}

const EXPLANATION: &str = "\
The program's output and exit code stay its own, and what its kernels print goes to its standard output.
The report goes to standard error, or to a file.

Examples:
  warpsan run -- ./app its arguments
  warpsan run program.cu
  warpsan run --seed 7 --schedule pct:3 -- ./app
  warpsan run --format json --output report.json --timeout 600 -- ./app
  warpsan run --record-schedule turns.txt -- ./app
  warpsan run --schedule @turns.txt -- ./app
  warpsan run --detector none --record-trace traces -- ./app";

pub(crate) fn run(args: &Args, global: &crate::Global) -> anyhow::Result<ExitCode> {
    let Some((program, arguments)) = args.program.split_first() else {
        bail!("name a program to run, as in: warpsan run -- ./app");
    };
    let mut options = args.output.options()?;
    args.output.check_output()?;
    options.record_trace = trace_folder(args, &options)?;
    let built = compiled_program(program, global)?;
    let program = CheckedProgram {
        program: built.as_deref().unwrap_or(program),
        arguments,
        timeout: args.timeout,
    };
    let cache = Environment::of_process().cache_root().ok();
    let outcome = run_program(program, &options, cache.as_deref())?;
    let (status, timed_out) = (outcome.status, outcome.timed_out);
    tell_of_mixed_schedules(args, &outcome);
    let report = report(args, &options, outcome);
    let again = replay_command(args, &options);
    let verdict = args.output.form.give_out(report, Stream::Error, &again)?;
    Ok(ExitCode::from(crate::exit::of_run(verdict, status, timed_out)))
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
fn tell_of_mixed_schedules(args: &Args, outcome: &RunOutcome) {
    let processes = outcome.reports.iter().filter(|report| report.launches > 0).count();
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
fn trace_folder(args: &Args, options: &Options) -> anyhow::Result<Option<TraceFolder>> {
    let Some(folder) = &args.record_trace else { return Ok(None) };
    let unwritten = || format!("cannot write traces to {}", folder.display());
    std::fs::create_dir_all(folder).with_context(unwritten)?;
    let path = running::absolute(folder)?;
    Ok(Some(TraceFolder { path, command: replay_command(args, options) }))
}

fn report(args: &Args, options: &Options, outcome: RunOutcome) -> Report {
    let saw_cuda = outcome.saw_cuda();
    let mut report = args.output.report(options, outcome.reports);
    report.not_covered.extend(outcome.unchecked.iter().map(|object| NotCovered {
        what: object.to_string(),
        place: object.path.display().to_string(),
        advice: "its kernels were not checked".to_string(),
    }));
    if outcome.left_running {
        report.not_covered.push(NotCovered {
            what: "what processes do that the program left running when it ended".to_string(),
            place: "processes that the program started".to_string(),
            advice: "let the program wait for them".to_string(),
        });
    }
    let limit = args.timeout.unwrap_or_default().as_secs_f64();
    if outcome.timed_out {
        report.not_covered.push(NotCovered {
            what: format!("what the program would have done after {limit} seconds"),
            place: "the whole program".to_string(),
            advice: "raise the limit of --timeout, or use smaller input".to_string(),
        });
    }
    report.summary.program = match crate::exit::in_words(outcome.status) {
        Some(words) => Some(words),
        None if !saw_cuda && report.not_covered.is_empty() => {
            Some("the program did no CUDA work that warpsan could see".to_string())
        }
        None => None,
    };
    report
}

fn replay_command(args: &Args, options: &Options) -> String {
    let words: Vec<_> = args.program.iter().map(|word| word.to_string_lossy()).collect();
    let flags = args.output.running.flags_to_repeat(options);
    format!("warpsan run {flags} -- {}", words.join(" "))
}
