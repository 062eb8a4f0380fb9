//! `warpsan record FILE -o TRACE`: a check whose events are kept.

use super::check;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(after_help = EXPLANATION)]
#[group(skip)]
pub(crate) struct Args {
    #[command(flatten)]
    check: check::Args,

    /// The trace file to write
    #[arg(short = 'o', long = "trace", value_name = "TRACE")]
    trace: PathBuf,
}

const EXPLANATION: &str = "\
Runs, reports and ends as `warpsan check` does. The trace is complete in itself: it has the kernels with
their source lines, and the labels of allocations. The same file, flags and seed give the same trace,
byte for byte. --detector, --warp-sync, --volatile, --same-value and --fence-sc change the report, not the trace.

Examples:
  warpsan record kernels.cu -o kernels.trace
  warpsan record --detector none kernels.cu -o kernels.trace
  warpsan replay kernels.trace --detector hb
  warpsan dump kernels.trace --limit 100";

pub(crate) fn run(args: &Args, global: &crate::Global) -> anyhow::Result<ExitCode> {
    check::check(&args.check, global, Some(&args.trace), 1)
}
