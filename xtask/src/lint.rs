//! Formatting and clippy. The lints themselves stand in the workspace's `Cargo.toml`.

use crate::process::{ALL_TESTS, cargo, run as run_process};

/// Formatting and clippy, as CI runs them; changes nothing
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Fails when a file is not formatted or clippy has something to say.
pub(crate) fn run(_: &Args) -> anyhow::Result<()> {
    run_process(&mut cargo(&["fmt", "--all", "--check"]))?;
    let mut clippy = cargo(&["clippy", "--all-targets"]);
    run_process(clippy.args(ALL_TESTS).args(["--", "-D", "warnings"]))
}
