//! `device-runtime`: the PTX of the device's side belongs to its source.

use anyhow::Context;
use warpsan_testkit::device_runtime::compile_all;

use super::Common;

/// Compile the device's side of detectors, and compare it with the PTX that is committed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Replace the committed PTX where it differs
    #[arg(long)]
    write: bool,
}

/// True if every file is as the compiler makes it, or is so now.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let all = compile_all(&common.root(), &common.toolchain()?).map_err(anyhow::Error::msg)?;
    let mut all_are_current = true;
    for compiled in &all {
        let name = compiled.file.file_name().unwrap_or_default().to_string_lossy();
        if compiled.is_current() {
            println!("{name}: up to date");
        } else if args.write {
            std::fs::write(&compiled.file, &compiled.now)
                .with_context(|| format!("cannot write {}", compiled.file.display()))?;
            println!("{name}: written");
        } else {
            all_are_current = false;
            println!("{name}: differs; `device-runtime --write` replaces it");
            if let Some((line, committed, now)) = compiled.first_difference() {
                println!("    line {line} is `{}`, not `{}`", committed.trim(), now.trim());
            }
        }
    }
    Ok(all_are_current)
}
