//! Formatting and clippy. The lints themselves stand in the workspace's `Cargo.toml`.

use crate::process::{cargo, run};

/// Fails when a file is not formatted or clippy has something to say.
pub(crate) fn run_all() -> anyhow::Result<()> {
    run(&mut cargo(&["fmt", "--all", "--check"]))?;
    run(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
}
