//! `warpsan replay TRACE`: any detector over what `warpsan record` stored.

use crate::detection;
use crate::output::{self, Stream};
use anyhow::Context;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::process::ExitCode;
use warpsan_event::trace::TraceReader;
use warpsan_runtime::Options;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A trace file
    file: PathBuf,

    #[command(flatten)]
    detection: detection::Args,

    #[command(flatten)]
    form: output::Form,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
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
