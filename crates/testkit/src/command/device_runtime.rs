//! `device-runtime`: headers and PTX of the device's side belong to their sources.

use anyhow::Context;
use warpsan_testkit::device_runtime::{Made, compile_all, print_headers};

use super::Common;

/// Compile the device's side of detectors, and compare it with the headers and the PTX that are committed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Replace what is committed where it differs
    #[arg(long)]
    write: bool,
}

/// True if every file is as it should be, or is so now.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let root = common.root();
    let mut all_are_current = true;
    // The sources include the headers, so these are written first.
    for header in print_headers(&root)? {
        all_are_current &= settle(&header, args.write)?;
    }
    for ptx in compile_all(&root, &common.toolchain()?)? {
        all_are_current &= settle(&ptx, args.write)?;
    }
    Ok(all_are_current)
}

/// Says whether a file is as it should be, and writes it if that is wanted.
fn settle(made: &Made, write: bool) -> anyhow::Result<bool> {
    let name = made.file.file_name().unwrap_or_default().to_string_lossy();
    if made.is_current() {
        println!("{name}: up to date");
    } else if write {
        std::fs::write(&made.file, &made.now)
            .with_context(|| format!("cannot write {}", made.file.display()))?;
        println!("{name}: written");
    } else {
        println!("{name}: differs; `device-runtime --write` replaces it");
        if let Some((line, committed, now)) = made.first_difference() {
            println!("    line {line} is `{}`, not `{}`", committed.trim(), now.trim());
        }
    }
    Ok(made.is_current() || write)
}
