//! One run of a bench.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context;

use super::columns::Statistics;
use super::measured::Measured;
use super::tool::Tool;
use crate::limited::{Limits, Running};

/// The variable that tells a program where to write what it has measured (`measure.c`).
const MEASURED: &str = "WARPSAN_BENCH_MEASURED";

/// Runs benches, with the same arguments for all.
#[derive(Debug)]
pub struct Runner {
    /// The command under test.
    pub warpsan: Option<PathBuf>,
    /// After this time a run has failed.
    pub time: Duration,
}

impl Runner {
    /// Runs an executable once under a tool.
    pub fn measure(
        &self,
        tool: Tool,
        executable: &Path,
        arguments: &[String],
    ) -> anyhow::Result<Measured> {
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let (measured, report) =
            (folder.path().join("measured"), folder.path().join("report.json"));
        let mut command = self.command(tool, &report)?;
        command.arg(executable).args(arguments).env(MEASURED, &measured);
        let printed = self.run(&mut command, folder.path())?;
        let text = std::fs::read_to_string(&measured).context("the program measured nothing")?;
        let mut measured = Measured::read(&text, &printed)?;
        if matches!(tool, Tool::Warpsan(..)) {
            let text = std::fs::read_to_string(&report).context("warpsan left no report")?;
            let report = serde_json::from_str(&text).context("the report is no JSON")?;
            measured.statistics = Some(Statistics::of_report(&report));
        }
        Ok(measured)
    }

    fn command(&self, tool: Tool, report: &Path) -> anyhow::Result<Command> {
        // Without random addresses, which older runtimes do not get along with.
        let mut command = Command::new("setarch");
        command.arg("-R");
        if let Tool::Warpsan(_, detector) = tool {
            command.arg(self.warpsan.as_ref().context("there is no warpsan")?);
            // The process counts in any case: to print it costs nothing that is timed.
            command.args(["run", "--quiet", "--stats", "--detector", detector, "--format", "json"]);
            command.arg("--output").arg(report).arg("--");
        }
        Ok(command)
    }

    /// Runs a command, which has to succeed: no bench has a race. Returns what it printed.
    fn run(&self, command: &mut Command, folder: &Path) -> anyhow::Result<String> {
        let limits = Limits { time: self.time, memory: u64::MAX };
        let ended = Running::run(command, folder, limits).context("setarch cannot be started")?;
        anyhow::ensure!(!ended.hung, "it took longer than {} seconds", self.time.as_secs());
        anyhow::ensure!(
            ended.code == Some(0),
            "it ended with {}: {}",
            ended.code.map_or_else(|| "a signal".to_owned(), |code| code.to_string()),
            ended.last_words()
        );
        Ok(ended.stdout)
    }
}
