//! Formatting and clippy. The lints themselves stand in the workspace's `Cargo.toml`.

use crate::process::{cargo, run as run_process};

/// Formatting and clippy, as CI runs them; changes nothing
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// Fails when a file is not formatted or clippy has something to say.
pub(crate) fn run(_: &Args) -> anyhow::Result<()> {
    run_process(&mut cargo(&["fmt", "--all", "--check"]))?;
    run_process(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}
