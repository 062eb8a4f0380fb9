//! `scale`: the memory that a large launch takes.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use warpsan_testkit::scale::{compile, measure};
use warpsan_testkit::values::Limits;

use super::{Common, table, warpsan};

/// The most memory that a launch over 1 GiB of data may take.
const ALLOWED_BYTES: u64 = 6 << 30;

/// Run a launch of 2^20 threads over 1 GiB of data, and measure memory and time
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Measure the detector `hb`, too; nothing is asked of it
    #[arg(long)]
    with_hb: bool,
    /// After this time, a run has failed
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// True if the memory is enough without a detector.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let (warpsan, toolchain) = (warpsan(args.warpsan.as_deref())?, common.toolchain()?);
    let executable = compile(&toolchain, &common.root())?;
    let limits = Limits { program: Duration::from_secs(args.timeout) };
    let mut runs = vec![("none", 1), ("none", 2)];
    if args.with_hb {
        runs.push(("hb", 1));
    }
    let (mut rows, mut most) = (Vec::new(), 0);
    for (detector, jobs) in runs {
        eprintln!("detector {detector}, --jobs {jobs}");
        let used = measure(&warpsan, &executable, detector, jobs, limits)
            .with_context(|| format!("detector {detector}, --jobs {jobs}"))?;
        if detector == "none" {
            most = most.max(used.peak_bytes);
        }
        rows.push(vec![
            detector.to_owned(),
            jobs.to_string(),
            format!("{:.2}", gibibytes(used.peak_bytes)),
            format!("{:.1}", used.seconds),
        ]);
    }
    table::print(&["detector", "jobs", "peak GiB", "seconds"], &rows);
    println!(
        "2^20 threads over 1 GiB of data take {:.2} GiB without a detector; at most {:.0} GiB are wanted",
        gibibytes(most),
        gibibytes(ALLOWED_BYTES),
    );
    Ok(most <= ALLOWED_BYTES)
}

fn gibibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 30)
}
