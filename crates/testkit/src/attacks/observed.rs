//! One `warpsan run` of an attack, and what it reports.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use serde_json::Value;

use crate::limited::{Limits, Running};
use crate::report;

/// Whoever takes longer is stuck.
const LIMIT: Duration = Duration::from_secs(60);

/// How it ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) stderr: String,
    /// Null if there is none.
    pub(super) report: Value,
}

/// Runs a command that writes its report to a file in this folder.
pub(super) fn run(command: &mut Command, folder: &Path) -> anyhow::Result<Ended> {
    let ended = Running::run(command, folder, Limits::of_time(LIMIT)).context("cannot run it")?;
    anyhow::ensure!(!ended.hung, "it did not end in {} seconds", LIMIT.as_secs());
    let report = report::read(&folder.join("report")).unwrap_or_default();
    let code = ended.code.or(ended.signal.map(|signal| 128 + signal));
    Ok(Ended { code, stderr: ended.stderr, report })
}

impl Ended {
    /// The races of the report.
    pub(super) fn races(&self) -> usize {
        report::races(&self.report)
    }

    /// All that was not checked, in words.
    pub(super) fn not_covered(&self) -> String {
        report::not_covered(&self.report)
    }
}
