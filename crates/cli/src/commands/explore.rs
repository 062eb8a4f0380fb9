//! `warpsan explore FILE…`: a check with many seeds.

use super::check;
use std::process::ExitCode;

/// Seeds that are tried where nothing is said.
const SEEDS: u64 = 32;

#[derive(Debug, clap::Args)]
#[command(after_help = EXPLANATION)]
#[group(skip)]
pub(crate) struct Args {
    #[command(flatten)]
    check: check::Args,
}

const EXPLANATION: &str = "\
Checks as `warpsan check --explore 32` does: each seed gives another schedule, and the report has the races
of all of them, each with the first seed that shows it. The file is compiled once, and seeds run at the
same time on the cores of --jobs, which change nothing in the report. What kernels print, and the buffers
of --print, are those of the first seed.

For a program with `main`, see `warpsan run --explore`.

Examples:
  warpsan explore kernels.cu
  warpsan explore --explore 1000 --seed 5 --schedule pct:3 kernels.cu
  warpsan check --seed 17 kernels.cu";

pub(crate) fn run(args: &Args, global: &crate::Global) -> anyhow::Result<ExitCode> {
    check::check(&args.check, global, None, SEEDS)
}
