//! One run of a program under `warpsan run`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context;
use serde_json::Value;

use crate::limited::Ended;
use crate::values::{Limits, run_limited};

/// How a run ended, and what was reported.
#[derive(Debug)]
pub struct Run {
    pub(crate) ended: Ended,
    /// The report in JSON, or why there is none.
    pub(crate) report: anyhow::Result<Value>,
}

/// Runs an executable under warpsan, in the folder that it is in, with these flags for `warpsan run`.
pub fn run(
    warpsan: &Path,
    executable: &Path,
    flags: &[String],
    limits: Limits,
) -> anyhow::Result<Run> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let file = folder.path().join("report.json");
    let mut command = Command::new(warpsan);
    command.args(["run", "--format", "json", "--output"]).arg(&file).arg(limits.flag());
    // Some programs only ask what the device is like.
    command.arg("--allow-idle");
    command.args(flags).arg("--").arg(executable);
    command.current_dir(executable.parent().unwrap_or(Path::new(".")));
    let ended = run_limited(&mut command, folder.path(), limits)?;
    let report = fs::read_to_string(&file)
        .context("warpsan left no report")
        .and_then(|text| serde_json::from_str(&text).context("the report is no JSON"));
    Ok(Run { ended, report })
}

impl Run {
    /// The time of the whole command.
    pub fn seconds(&self) -> f64 {
        self.ended.time.as_secs_f64()
    }
}
