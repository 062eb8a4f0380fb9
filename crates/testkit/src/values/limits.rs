//! How long programs may take.

use crate::limited::{Ended, Limits as OfCommand, Running};
use anyhow::Context;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How long programs may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// After this time, warpsan ends the program.
    pub program: Duration,
}

impl Limits {
    /// warpsan itself gets a little longer, so that it can still report.
    fn warpsan(self) -> Duration {
        self.program + Duration::from_secs(15)
    }

    /// The flag for warpsan.
    pub(crate) fn flag(self) -> String {
        format!("--timeout={}", self.program.as_secs_f64())
    }
}

/// Runs a command to its end, or to the end of its time. What it prints goes into the folder.
pub(crate) fn run_limited(
    command: &mut Command,
    folder: &Path,
    limits: Limits,
) -> anyhow::Result<Ended> {
    let name = Path::new(command.get_program()).display().to_string();
    Running::run(command, folder, OfCommand::of_time(limits.warpsan()))
        .with_context(|| format!("cannot run {name}"))
}
