//! The report of a `warpsan run`, in JSON.

use std::path::Path;

use anyhow::Context;
use serde_json::Value;

/// Reads the report in a file.
pub(crate) fn read(file: &Path) -> anyhow::Result<Value> {
    let text = std::fs::read(file).context("warpsan left no report")?;
    serde_json::from_slice(&text).context("the report is no JSON")
}

/// The number of races in a report.
pub(crate) fn races(report: &Value) -> usize {
    report["races"].as_array().map_or(0, Vec::len)
}

/// All that was not checked, in words.
pub(crate) fn not_covered(report: &Value) -> String {
    let all = report["not_covered"].as_array().into_iter().flatten();
    all.map(|one| format!("{} ({}); ", one["what"], one["where"])).collect()
}
