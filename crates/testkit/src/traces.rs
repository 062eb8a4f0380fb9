//! Traces of whole programs, for detectors that are to see the very same run.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use warpsan_detect::Detector;
use warpsan_event::EventBuffer;
use warpsan_event::trace::{TraceReader, TraceStep};
use warpsan_report::RaceSink;
use warpsan_suite::Settings;

/// Runs a program on the CPU engine and keeps what happened, in a folder; the trace file.
pub fn record(
    warpsan: &Path,
    program: &Path,
    arguments: &[&str],
    folder: &Path,
) -> anyhow::Result<PathBuf> {
    let ended = Command::new(warpsan)
        .args(["run", "--quiet", "--detector", "none", "--record-trace"])
        .arg(folder)
        .arg("--")
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", warpsan.display()))?;
    let said = || String::from_utf8_lossy(&ended.stderr).trim().to_owned();
    if !ended.status.success() {
        anyhow::bail!("it ended with {}: {}", ended.status, said());
    }
    let unlisted = || format!("cannot list {}", folder.display());
    let mut files = std::fs::read_dir(folder).with_context(unlisted)?.filter_map(Result::ok);
    let is_trace = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "trace");
    let trace = files.find_map(|entry| Some(entry.path()).filter(is_trace));
    trace.context("there is no trace")
}

/// Launches the kernels of a file with a seed, and keeps what happened in a trace file.
pub fn record_kernels(
    settings: &Settings,
    file: &Path,
    seed: u64,
    trace: &Path,
) -> anyhow::Result<()> {
    let mut record = Command::new(&settings.warpsan);
    record.args(["record", "--quiet", "--detector", "none", "--seed", &seed.to_string()]);
    record.args(["--timeout", &settings.timeout.as_secs().max(1).to_string()]);
    if let Some(toolkit) = &settings.cuda_path {
        record.arg("--cuda-path").arg(toolkit);
    }
    let ended = record
        .arg("-o")
        .arg(trace)
        .arg(file)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot run {}", settings.warpsan.display()))?;
    if trace.exists() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    anyhow::bail!("it ended with {} and left no file: {}", ended.status, said.trim())
}

/// Lets a detector see a trace from its beginning to its end.
pub fn replay(
    trace: &Path,
    detector: &mut dyn Detector,
    races: &mut dyn RaceSink,
) -> anyhow::Result<()> {
    let unread = || format!("cannot read {}", trace.display());
    let file = File::open(trace).with_context(unread)?;
    let mut reader = TraceReader::new(BufReader::new(file)).with_context(unread)?;
    let mut buffer = EventBuffer::new();
    loop {
        match reader.read(&mut buffer).with_context(unread)? {
            TraceStep::Events => detector.batch(&buffer.batch(), races),
            TraceStep::Remark(_) => {}
            TraceStep::End => return Ok(()),
        }
    }
}
