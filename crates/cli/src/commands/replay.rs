//! `warpsan replay TRACE`: any detector over what `warpsan record` or `warpsan run --record-trace` stored.

use crate::detection;
use crate::output::{self, Stream};
use crate::threads::{self, ThreadTrace};
use anyhow::{Context, bail};
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::process::ExitCode;
use warpsan_event::trace::TraceReader;
use warpsan_runtime::Options;

#[derive(Debug, clap::Args)]
#[command(after_help = EXPLANATION, mut_arg("detector", detection::with_threads_of_traces))]
pub(crate) struct Args {
    /// A trace file: of kernels, of threads, or a text in RAPID's STD format (its name ends in .std)
    file: PathBuf,

    #[command(flatten)]
    detection: detection::Args,

    #[command(flatten)]
    form: output::Form,
}

const EXPLANATION: &str = "\
A trace of kernels is checked by a detector for kernels, and one of threads by slimfast or fasttrack. With
`--detector fasttrack --stats` a trace of threads also gives the redundancy ratio: all values of metadata by
those that differ.

Examples:
  warpsan replay kernels.trace --detector iguard
  warpsan replay traces/4711.threads --detector fasttrack --stats
  warpsan replay example.std";

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(trace) = ThreadTrace::open(&args.file)? {
        return replay_threads(args, &trace);
    }
    if let Some(detector) = args.detection.thread_detector() {
        bail!(
            "{} is no trace of threads, which is what {} is for; `warpsan run --record-trace` writes such, and texts in \
             the STD format have names that end in .std",
            args.file.display(),
            detector.name()
        );
    }
    let unread = || format!("cannot read {}", args.file.display());
    let file = File::open(&args.file).with_context(unread)?;
    let mut trace = TraceReader::new(BufReader::new(file)).with_context(unread)?;
    args.form.check_output(&[&args.file])?;
    let header = trace.header().clone();
    let options = args.detection.options(Options::default());
    let replayed = warpsan_runtime::replay(&mut trace, &options)?;
    let mut report = output::report(args.detection.detector(), header.seed, vec![replayed]);
    report.name = Some(args.file.display().to_string());
    let verdict = args.form.give_out(report, Stream::Output, &header.command)?;
    Ok(ExitCode::from(crate::exit::of_verdict(verdict)))
}

fn replay_threads(args: &Args, trace: &ThreadTrace) -> anyhow::Result<ExitCode> {
    args.form.check_output(&[&args.file])?;
    let Some(detector) = args.detection.detector_of_threads() else {
        bail!(
            "{} is a trace of threads, and {} is a detector for kernels; use slimfast, fasttrack or parsnip",
            args.file.display(),
            args.detection.detector().name
        );
    };
    let options = args.detection.options(Options::default());
    let process = trace.replay(detector, options.statistics)?;
    let mut report = output::report(args.detection.detector(), 0, Vec::new());
    threads::add_processes(&mut report, &[process], options.statistics);
    report.name = Some(args.file.display().to_string());
    let verdict = args.form.give_out(report, Stream::Output, &|_| String::new())?;
    Ok(ExitCode::from(crate::exit::of_verdict(verdict)))
}
