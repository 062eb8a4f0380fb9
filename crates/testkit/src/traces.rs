//! Traces of whole programs, for detectors that are to see the very same run.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

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
) -> Result<PathBuf, String> {
    let ended = Command::new(warpsan)
        .args(["run", "--quiet", "--detector", "none", "--record-trace"])
        .arg(folder)
        .arg("--")
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run {}: {error}", warpsan.display()))?;
    let told = || String::from_utf8_lossy(&ended.stderr).trim().to_owned();
    if !ended.status.success() {
        return Err(format!("it ended with {}: {}", ended.status, told()));
    }
    let unlisted = |error| format!("cannot list {}: {error}", folder.display());
    let mut files = std::fs::read_dir(folder).map_err(unlisted)?.filter_map(Result::ok);
    let is_trace = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "trace");
    let trace = files.find_map(|entry| Some(entry.path()).filter(is_trace));
    trace.ok_or_else(|| "there is no trace".to_owned())
}

/// Launches the kernels of a file with a seed, and keeps what happened in a trace file.
pub fn record_kernels(
    settings: &Settings,
    file: &Path,
    seed: u64,
    trace: &Path,
) -> Result<(), String> {
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
        .map_err(|error| format!("cannot run {}: {error}", settings.warpsan.display()))?;
    if trace.exists() {
        return Ok(());
    }
    let told = String::from_utf8_lossy(&ended.stderr);
    Err(format!("it ended with {} and left no file: {}", ended.status, told.trim()))
}

/// Lets a detector see a trace from its beginning to its end.
pub fn replay(
    trace: &Path,
    detector: &mut dyn Detector,
    races: &mut dyn RaceSink,
) -> Result<(), String> {
    let unread = |error: String| format!("cannot read {}: {error}", trace.display());
    let file = File::open(trace).map_err(|error| unread(error.to_string()))?;
    let mut reader =
        TraceReader::new(BufReader::new(file)).map_err(|error| unread(error.to_string()))?;
    let mut buffer = EventBuffer::new();
    loop {
        match reader.read(&mut buffer).map_err(|error| unread(error.to_string()))? {
            TraceStep::Events => detector.batch(&buffer.batch(), races),
            TraceStep::Remark(_) => {}
            TraceStep::End => return Ok(()),
        }
    }
}
