//! One run of a program.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context;

use super::observed::Observed;
use super::program::Program;
use super::runtime_log::{failure_in, races_of};
use crate::limited::{Ended, Limits, Running};
use crate::programs::TIME_OUT;
use crate::values::Limits as OfProgram;
use crate::values::run_limited;

/// Who looks at a program while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watch {
    /// `warpsan run`.
    Warpsan {
        /// The command.
        command: PathBuf,
        /// Its detector.
        detector: String,
        /// What the program does is recorded, and the detector replays it.
        replays: bool,
    },
    /// The runtime that the compiler has put into it.
    OwnRuntime,
    /// Nobody.
    Nobody,
}

/// The exit code that the compilers' runtimes are told to end with where they have reported something.
const OWN_RUNTIME_RACES: i32 = 66;

/// Programs with so many threads get [`MUCH_MORE_TIME`] times the time.
const MANY_THREADS: u32 = 100;
const MUCH_MORE_TIME: u32 = 4;

impl Watch {
    /// Whether the exit code says what was found.
    pub fn code_tells(&self) -> bool {
        matches!(self, Watch::Warpsan { .. })
    }
}

/// Runs the executable of a program once.
pub fn run(
    program: &Program,
    executable: &Path,
    watch: &Watch,
    time: Duration,
) -> anyhow::Result<Observed> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let is_crowded = program.head.threads.is_some_and(|threads| threads >= MANY_THREADS);
    let time = time * if is_crowded { MUCH_MORE_TIME } else { 1 };
    match watch {
        Watch::Warpsan { command, detector, replays } => {
            let check = Check { program, executable, command, detector, time };
            if *replays { check.replayed(folder.path()) } else { check.live(folder.path()) }
        }
        Watch::OwnRuntime => {
            let ended = by_itself(executable, time, folder.path())?;
            Ok(observed_by_runtime(program, &ended))
        }
        Watch::Nobody => {
            let ended = by_itself(executable, time, folder.path())?;
            let mut observed = Observed::of_end(&ended);
            if ended.code.is_some_and(|code| code != 0) {
                observed.failure = Some(ended.last_words());
            }
            Ok(observed)
        }
    }
}

/// A program that warpsan looks at.
struct Check<'a> {
    program: &'a Program,
    executable: &'a Path,
    command: &'a Path,
    detector: &'a str,
    time: Duration,
}

impl Check<'_> {
    /// What `warpsan run` says.
    fn live(&self, folder: &Path) -> anyhow::Result<Observed> {
        self.run(folder, &["--detector", self.detector])
    }

    /// What `warpsan replay` says of what `warpsan run` has recorded, of all processes.
    fn replayed(&self, folder: &Path) -> anyhow::Result<Observed> {
        let traces = folder.join("traces");
        let mut observed = self.run(folder, &["--detector", "none", "--record-trace", "traces"])?;
        let mut files: Vec<PathBuf> = std::fs::read_dir(&traces)
            .with_context(|| format!("there is no folder {}", traces.display()))?
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .collect();
        files.sort();
        let limits = Limits { time: self.time, memory: u64::MAX };
        for (number, file) in files.iter().enumerate() {
            let report = folder.join(format!("replayed-{number}.json"));
            let mut command = Command::new(self.command);
            command.args(["replay", "--detector", self.detector, "--format", "json", "--output"]);
            command.arg(&report).arg(file).current_dir(folder);
            let ended = Running::run(&mut command, folder, limits).context("warpsan replay")?;
            let mut one = Observed::of_end(&ended);
            self.read(&report, &ended, &mut one);
            observed.add(one);
        }
        Ok(observed)
    }

    fn run(&self, folder: &Path, flags: &[&str]) -> anyhow::Result<Observed> {
        let (file, limits) = (folder.join("report.json"), OfProgram { program: self.time });
        let mut command = Command::new(self.command);
        command.args(["run", "--quiet", "--format", "json", "--output"]).arg(&file).args(flags);
        command.arg(limits.flag()).arg("--").arg(self.executable).current_dir(folder);
        let ended = run_limited(&mut command, folder, limits)?;
        let mut observed = Observed::of_end(&ended);
        self.read(&file, &ended, &mut observed);
        Ok(observed)
    }

    fn read(&self, file: &Path, ended: &Ended, observed: &mut Observed) {
        let report = std::fs::read_to_string(file).ok();
        match report.and_then(|text| serde_json::from_str(&text).ok()) {
            Some(report) => observed.read_report(&report, &self.program.files, TIME_OUT),
            None if observed.is_late => {}
            None => observed.failure = Some(format!("it left no report: {}", ended.last_words())),
        }
    }
}

/// Runs an executable without random addresses, which older runtimes do not get along with.
fn by_itself(executable: &Path, time: Duration, folder: &Path) -> anyhow::Result<Ended> {
    let mut command = Command::new("setarch");
    command.arg("-R").arg(executable).current_dir(folder);
    command.env("TSAN_OPTIONS", format!("exitcode={OWN_RUNTIME_RACES}"));
    let limits = Limits { time, memory: u64::MAX };
    Running::run(&mut command, folder, limits).context("setarch cannot be started")
}

fn observed_by_runtime(program: &Program, ended: &Ended) -> Observed {
    let mut observed = Observed::of_end(ended);
    observed.races = races_of(&ended.stderr, &program.files);
    let is_own_code = ended.code.is_some_and(|code| code != 0 && code != OWN_RUNTIME_RACES);
    if let Some(line) = failure_in(&ended.stderr) {
        observed.failure = Some(line.to_owned());
    } else if is_own_code {
        observed.failure = Some(ended.last_words());
    }
    observed
}
