//! `warpsan run [flags] -- ./app args…`: an unmodified CUDA program under warpsan.

use crate::output::{self, Stream};
use crate::process::{CheckedProgram, RunOutcome, run as run_program};
use anyhow::bail;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use warpsan_report::{NotCovered, Report};
use warpsan_toolchain::Environment;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    output: output::Args,

    /// End the program, with all processes that it has started, after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    timeout: Option<Duration>,

    /// The program and its arguments, which are passed on untouched; a .cu file is compiled first
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    program: Vec<OsString>,
}

pub(crate) fn run(args: &Args, global: &crate::Global) -> anyhow::Result<ExitCode> {
    let Some((program, arguments)) = args.program.split_first() else {
        bail!("name a program to run, as in: warpsan run -- ./app");
    };
    args.output.check_output()?;
    let built = compiled_program(program, global)?;
    let program = CheckedProgram {
        program: built.as_deref().unwrap_or(program),
        arguments,
        timeout: args.timeout,
    };
    let cache = Environment::of_process().cache_root().ok();
    let outcome = run_program(program, &args.output.options(), cache.as_deref())?;
    let (status, timed_out) = (outcome.status, outcome.timed_out);
    let report = report(args, outcome);
    let verdict = args.output.give_out(report, Stream::Error, &replay_command(args))?;
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

fn report(args: &Args, outcome: RunOutcome) -> Report {
    let saw_cuda = outcome.saw_cuda();
    let mut report = args.output.report(outcome.reports);
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

fn replay_command(args: &Args) -> String {
    let words: Vec<_> = args.program.iter().map(|word| word.to_string_lossy()).collect();
    format!("warpsan run --seed {} -- {}", args.output.seed(), words.join(" "))
}

/// A time that is neither negative nor endless; parts of a second are allowed.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(limit) if !limit.is_zero() => Ok(limit),
        _ => Err(format!("`{text}` is not a time to wait")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_positive_numbers() {
        assert_eq!(parse_seconds("2"), Ok(Duration::from_secs(2)));
        assert_eq!(parse_seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["", "few", "-1", "0", "inf", "NaN"] {
            assert!(parse_seconds(wrong).is_err(), "{wrong}");
        }
    }
}
