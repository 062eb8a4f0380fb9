//! What detectors cost on whole programs: each over the same recorded trace.
//!
//! Reading a trace takes time by itself. It is what `none` costs here, and part of what the others cost.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use warpsan_detect::Settings;
use warpsan_event::EventBuffer;
use warpsan_event::trace::{TraceReader, TraceStep};

use super::cost::SHADOW_BYTES;
use super::listeners::FirstRace;
use crate::engine_speed::clock::processor_seconds;
use crate::engine_speed::measure::median;

/// The detectors that are compared. The first is what the others are measured against.
pub const COMPARED: [&str; 4] = ["none", "scord", "iguard", "hb"];

/// What a detector costs on a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceCost {
    /// The median processor time.
    pub seconds: f64,
    /// The most bytes of metadata at one time; none if it keeps none.
    pub shadow_bytes: Option<u64>,
    /// The first race that was reported; there should be none.
    pub race: Option<String>,
}

/// Runs a program without a race on the CPU engine and keeps what happened, in a folder; the trace file.
pub fn record(
    warpsan: &Path,
    program: &Path,
    size: &str,
    folder: &Path,
) -> Result<PathBuf, String> {
    let ended = Command::new(warpsan)
        .args(["run", "--quiet", "--detector", "none", "--record-trace"])
        .arg(folder)
        .arg("--")
        .arg(program)
        .args(["--size", size])
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
    files
        .find_map(|entry| Some(entry.path()).filter(is_trace))
        .ok_or_else(|| "there is no trace".to_owned())
}

/// Measures a detector over a trace.
pub fn cost_on_trace(
    trace: &Path,
    detector: &str,
    repetitions: usize,
) -> Result<TraceCost, String> {
    let mut times = Vec::new();
    let (mut shadow_bytes, mut race) = (None, None);
    for _ in 0..repetitions.max(1) {
        let mut one = warpsan_detect::by_name(detector, Settings::default())
            .ok_or_else(|| format!("there is no detector {detector}"))?;
        let mut races = FirstRace::default();
        let unread = |error| format!("cannot read {}: {error}", trace.display());
        let file = File::open(trace).map_err(|error| unread(error.to_string()))?;
        let start = processor_seconds();
        let mut reader =
            TraceReader::new(BufReader::new(file)).map_err(|error| unread(error.to_string()))?;
        let mut buffer = EventBuffer::new();
        loop {
            match reader.read(&mut buffer).map_err(|error| unread(error.to_string()))? {
                TraceStep::Events => one.batch(&buffer.batch(), &mut races),
                TraceStep::Remark(_) => {}
                TraceStep::End => break,
            }
        }
        times.push(processor_seconds() - start);
        let statistics = one.statistics();
        let told = statistics.iter().find(|statistic| statistic.name == SHADOW_BYTES);
        shadow_bytes = told.map(|statistic| statistic.value);
        race = race.or(races.race.map(|race| format!("{}: {}", race.kind, race.reason)));
    }
    Ok(TraceCost { seconds: median(times), shadow_bytes, race })
}
