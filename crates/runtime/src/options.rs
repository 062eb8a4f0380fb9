//! How a session checks: what the command hands to a checked process.

use crate::LaunchFilter;
use crate::schedules::Schedules;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;
use warpsan_detect::{Detector, DetectorId, Settings};
use warpsan_simt::{Policy, Schedule, ScheduleError};

/// Warp instructions that one launch may take: a few minutes of the CPU engine.
const MAX_INSTRUCTIONS: u64 = 4_000_000_000;

/// Where a process leaves a trace of all that it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceFolder {
    /// The folder, in which each process makes a file of its own.
    pub path: PathBuf,
    /// The command that the traces are of, for whoever reads one.
    pub command: String,
}

/// What runs kernels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// The host, on any machine.
    #[default]
    Cpu,
    /// The GPU that the program would use without us.
    Gpu,
}

impl Engine {
    /// Its name on the command line and in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Engine::Cpu => "cpu",
            Engine::Gpu => "gpu",
        }
    }
}

/// What kernels are run on instead of memory itself, so that their races do no harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SafeMode {
    /// Every warp has a private copy, and copies are merged in any order.
    RaceFree,
    /// Copies are merged in the order of warps and blocks, so that every run has the same results.
    Deterministic,
}

/// What the GPU engine needs to know.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GpuOptions {
    /// The assembler; without one the driver compiles.
    pub ptxas: Option<PathBuf>,
    /// Where machine code is kept.
    pub cache: Option<PathBuf>,
    /// So many kernels at a time are assembled before they are launched.
    pub ahead: usize,
    /// Only the metadata's traffic, and no checks: to measure.
    pub only_traffic: bool,
}

/// How a session checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// What runs the kernels.
    pub engine: Engine,
    /// Where that is the GPU.
    pub gpu: GpuOptions,
    /// The detector.
    pub detector: DetectorId,
    /// What users can choose about its verdicts. The seed is beside it; see [`Options::settings`].
    pub detection: Settings,
    /// Kernels run on private copies of memory, whatever the detector.
    pub safe: Option<SafeMode>,
    /// The report says how often each rule of the detector was applied.
    pub statistics: bool,
    /// Determines the schedule of every launch, unless `policy` has a seed of its own.
    pub seed: u64,
    /// How warps take turns: `random`, `round-robin`, `pct:DEPTH`, one of them with a seed behind
    /// it, a stored schedule (`replay:…`), or `@FILE` for a file with one schedule for each launch.
    pub policy: String,
    /// The file that a line is added to for each launch: the schedule that it took. Such launches
    /// run on one core.
    pub record_schedule: Option<PathBuf>,
    /// Where the processes of a program leave their traces.
    pub record_trace: Option<TraceFolder>,
    /// Warp instructions after which a launch is given up.
    pub max_instructions: u64,
    /// Time after which a launch is given up.
    pub timeout: Option<Duration>,
    /// A process says from time to time how far a long launch is; see [`crate::long_launches`].
    pub progress: bool,
    /// Which launches are checked.
    pub launches: LaunchFilter,
    /// Cores that a launch may use.
    pub jobs: usize,
}

impl Options {
    /// The detector that the options name.
    pub(crate) fn detector(&self) -> Box<dyn Detector> {
        (self.detector.new)(self.settings())
    }

    /// What the detector has to know.
    pub fn settings(&self) -> Settings {
        Settings { seed: self.seed, ..self.detection }
    }

    /// The schedule of every launch, if they all have the same. A policy that says a seed itself
    /// keeps it.
    pub fn schedule(&self) -> Result<Schedule, ScheduleError> {
        let whole = || self.policy.parse::<Schedule>();
        match format!("{}:{}", self.policy, self.seed).parse::<Schedule>() {
            Ok(Schedule { policy: Policy::Replay(_), .. }) => whole(),
            Ok(schedule) => Ok(schedule),
            Err(_) => whole(),
        }
    }

    /// The schedule in one line: the file's name, where each launch has one of its own.
    pub fn schedule_line(&self) -> String {
        self.schedule().map_or_else(|_| self.policy.clone(), |schedule| schedule.to_string())
    }

    /// The schedules of all launches.
    pub fn schedules(&self) -> Result<Schedules, crate::SessionError> {
        match self.policy.strip_prefix('@') {
            Some(file) => Schedules::read(file.as_ref()),
            None => Ok(Schedules::same(self.schedule()?)),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            engine: Engine::default(),
            gpu: GpuOptions::default(),
            detector: DetectorId::default(),
            detection: Settings::default(),
            safe: None,
            statistics: false,
            seed: 1,
            policy: "random".to_string(),
            record_schedule: None,
            record_trace: None,
            max_instructions: MAX_INSTRUCTIONS,
            timeout: None,
            progress: false,
            launches: LaunchFilter::default(),
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(policy: &str) -> Result<String, String> {
        let options = Options { policy: policy.to_string(), seed: 7, ..Options::default() };
        options.schedule().map(|schedule| schedule.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_seed_in_the_policy_comes_first() {
        for (policy, expected) in [
            ("random", "random:7"),
            ("round-robin", "round-robin:7"),
            ("pct:3", "pct:3:7"),
            ("random:9", "random:9"),
            ("round-robin:9", "round-robin:9"),
            ("pct:3:9", "pct:3:9"),
            ("replay:9:0.1.0x4", "replay:9:0.1.0x4"),
            ("replay:9:", "replay:9:"),
        ] {
            assert_eq!(schedule(policy).as_deref(), Ok(expected));
        }
        for policy in ["", "fair", "random:x", "pct:x", "replay:9:zzz"] {
            assert!(schedule(policy).is_err_and(|error| error.contains(policy)), "{policy}");
        }
    }
}
