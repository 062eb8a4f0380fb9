//! One `warpsan run`, with a limit, and what it reports.

use anyhow::Context;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Whoever takes longer is stuck.
const LIMIT: Duration = Duration::from_secs(60);

/// How it ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) stderr: String,
    pub(super) report: Value,
}

/// Runs a program under warpsan to its end.
pub(super) fn run(warpsan: &Path, words: &[&OsStr]) -> anyhow::Result<Ended> {
    let folder = tempfile::tempdir().context("cannot make a folder")?;
    let report = folder.path().join("report");
    let stderr = folder.path().join("stderr");
    let mut command = Command::new(warpsan);
    command.args(["run", "--format", "json", "--output"]).arg(&report).arg("--").args(words);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(std::fs::File::create(&stderr).context("cannot make a file")?);
    let mut child =
        command.spawn().with_context(|| format!("cannot start {}", warpsan.display()))?;
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().context("cannot wait for warpsan")? {
            break status;
        }
        if begun.elapsed() > LIMIT {
            child.kill().context("cannot end warpsan")?;
            anyhow::bail!("it did not end in {} seconds", LIMIT.as_secs());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let read = |path: &Path| {
        String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
    };
    let stderr = read(&stderr);
    let report = serde_json::from_str(&read(&report))
        .with_context(|| format!("there is no report: {stderr}"))?;
    Ok(Ended { code: status.code(), stderr, report })
}

impl Ended {
    /// The races of the report.
    pub(super) fn races(&self) -> usize {
        self.report["races"].as_array().map_or(0, Vec::len)
    }

    /// All that was not checked, in words.
    pub(super) fn not_covered(&self) -> String {
        let all = self.report["not_covered"].as_array().into_iter().flatten();
        all.map(|one| format!("{} ({}); ", one["what"], one["where"])).collect()
    }
}
