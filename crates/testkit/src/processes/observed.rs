//! One `warpsan run` that is watched while it runs, and what it reports.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use serde_json::Value;

use super::Bench;
use crate::limited::{self, Limits, is_running};
use crate::report;

/// Whoever takes longer is stuck.
const LIMIT: Duration = Duration::from_secs(120);

/// A command under way.
pub(super) struct Running {
    command: limited::Running,
    folder: tempfile::TempDir,
}

/// How it ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) report: Value,
    /// The time since it was started.
    pub(super) time: Duration,
}

impl Bench {
    /// Starts the program with these arguments, under warpsan with these flags.
    pub(super) fn start(&self, flags: &[&str], arguments: &[&str]) -> anyhow::Result<Running> {
        let program = self.program.display().to_string();
        self.start_command(flags, &[&[program.as_str()], arguments].concat())
    }

    /// Starts a program under warpsan.
    pub(super) fn start_command(&self, flags: &[&str], words: &[&str]) -> anyhow::Result<Running> {
        self.start_warpsan(Command::new(&self.warpsan), flags, words)
    }

    /// Starts the program under a warpsan that a shell becomes after it has run this, where `$@` is the command.
    pub(super) fn start_by_shell(
        &self,
        script: &str,
        arguments: &[&str],
    ) -> anyhow::Result<Running> {
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh"]).arg(&self.warpsan);
        let program = self.program.display().to_string();
        self.start_warpsan(shell, &[], &[&[program.as_str()], arguments].concat())
    }

    fn start_warpsan(
        &self,
        mut command: Command,
        flags: &[&str],
        words: &[&str],
    ) -> anyhow::Result<Running> {
        let failed = || format!("cannot start {}", self.warpsan.display());
        let folder = tempfile::tempdir().with_context(failed)?;
        command.args(["run", "--format", "json", "--output"]).arg(folder.path().join("report"));
        command.args(flags).arg("--").args(words);
        // What a command leaves behind that is killed is found there.
        command.env("TMPDIR", folder.path());
        let limits = Limits::of_time(LIMIT);
        let command = limited::Running::start(&mut command, folder.path(), limits);
        Ok(Running { command: command.with_context(failed)?, folder })
    }

    /// Runs the program to its end.
    pub(super) fn run(&self, flags: &[&str], arguments: &[&str]) -> anyhow::Result<Ended> {
        self.start(flags, arguments)?.end()
    }
}

impl Running {
    /// The number of the command.
    pub(super) fn id(&self) -> u32 {
        self.command.id()
    }

    /// What the program has written until now.
    pub(super) fn stdout(&self) -> String {
        self.command.stdout()
    }

    /// Waits until the condition gives a value.
    pub(super) fn wait_for<T>(
        &mut self,
        what: &str,
        mut ready: impl FnMut(&mut Running) -> anyhow::Result<Option<T>>,
    ) -> anyhow::Result<T> {
        loop {
            if let Some(value) = ready(self)? {
                return Ok(value);
            }
            if self.command.is_late() {
                let _ = self.command.kill_all();
                anyhow::bail!("no {what} after {} seconds", LIMIT.as_secs());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills the command itself, and gives what `warpsan report` makes of what it has left behind; nothing if it had
    /// given its report already.
    pub(super) fn kill_command(
        mut self,
        bench: &Bench,
        program: u32,
    ) -> anyhow::Result<Option<Ended>> {
        let Some(left) = self.kill_and_find(program)? else { return Ok(None) };
        let mut command = Command::new(&bench.warpsan);
        command.args(["report", "--format", "json"]).arg(left);
        let output = command.output().context("cannot start warpsan report")?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let report = serde_json::from_slice(&output.stdout);
        let report = report.with_context(|| format!("there is no report: {stderr}"))?;
        let (code, stdout) = (output.status.code(), self.stdout());
        Ok(Some(Ended { code, stdout, stderr, report, time: Duration::ZERO }))
    }

    /// The same as text for people.
    pub(super) fn kill_command_and_read(
        mut self,
        bench: &Bench,
        program: u32,
    ) -> anyhow::Result<String> {
        let left = self.kill_and_find(program)?.context("it had ended already")?;
        let mut command = Command::new(&bench.warpsan);
        let output = command.arg("report").arg(left).output();
        let output = output.context("cannot start warpsan report")?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Kills the command and the program, and gives the folder that is left of the run.
    fn kill_and_find(&mut self, program: u32) -> anyhow::Result<Option<PathBuf>> {
        self.command.kill_alone().context("cannot kill the command")?;
        // SAFETY: sending a signal touches no memory of this process. The program is still there, or nobody has its number yet.
        unsafe { libc::kill(program as libc::pid_t, libc::SIGKILL) };
        self.wait_for("end of the program", |_| Ok((!is_running(program)).then_some(())))?;
        if self.folder.path().join("report").exists() {
            return Ok(None);
        }
        let left = fs::read_dir(self.folder.path()).context("cannot look for what was left")?;
        let is_of_run = |path: &PathBuf| path.join("log").exists();
        let left = left.flatten().map(|entry| entry.path()).find(is_of_run);
        left.context("nothing was left of the run").map(Some)
    }

    /// Waits for the end.
    pub(super) fn end(self) -> anyhow::Result<Ended> {
        let limited::Ended { code, stdout, stderr, time, hung, .. } =
            self.command.end().context("cannot wait for warpsan")?;
        anyhow::ensure!(!hung, "no end after {} seconds", LIMIT.as_secs());
        let report = report::read(&self.folder.path().join("report"));
        let report = report.with_context(|| format!("there is no report: {stderr}"))?;
        Ok(Ended { code, stdout, stderr, report, time })
    }
}

impl Ended {
    /// The numbers of the kernels `rotate<N>` that have a race in the report.
    pub(super) fn races(&self) -> BTreeSet<usize> {
        let races = self.report["races"].as_array();
        let kernel = |race: &Value| race["kernel"].as_str().and_then(number_of_kernel);
        races.into_iter().flatten().filter_map(kernel).collect()
    }

    /// All that was not checked, in words.
    pub(super) fn not_covered(&self) -> String {
        report::not_covered(&self.report)
    }

    /// A number of the summary.
    pub(super) fn summary(&self, name: &str) -> u64 {
        self.report["summary"][name].as_u64().unwrap_or(0)
    }

    /// Wrong unless the code and the races are those.
    pub(super) fn expect(
        &self,
        code: i32,
        races: impl IntoIterator<Item = usize>,
    ) -> anyhow::Result<()> {
        let (wanted, found): (BTreeSet<usize>, _) = (races.into_iter().collect(), self.races());
        if self.code != Some(code) {
            anyhow::bail!(
                "it ended with {:?}, not with {code}; {}{}",
                self.code,
                self.not_covered(),
                self.stderr
            );
        }
        match wanted == found {
            true => Ok(()),
            false => anyhow::bail!("there are races in the kernels {found:?}, not in {wanted:?}"),
        }
    }

    /// Wrong unless the report says that this was not checked.
    pub(super) fn expect_not_covered(&self, words: &str) -> anyhow::Result<()> {
        match self.not_covered() {
            gaps if gaps.contains(words) => Ok(()),
            gaps => anyhow::bail!("`{words}` is not among what was not checked: {gaps}"),
        }
    }
}

fn number_of_kernel(name: &str) -> Option<usize> {
    let digits = name.strip_prefix("rotate<")?;
    let digits: String = digits.chars().skip_while(|c| !c.is_ascii_digit()).collect();
    digits.strip_suffix('>')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_known_by_their_numbers() {
        assert_eq!(number_of_kernel("rotate<17>"), Some(17));
        assert_eq!(number_of_kernel("rotate<(int)17>"), Some(17));
        assert_eq!(number_of_kernel("wait_for_ever"), None);
    }

    #[test]
    fn an_end_is_compared_with_all_that_is_expected() {
        let report = r#"{"races": [{"kernel": "rotate<2>"}],
            "not_covered": [{"what": "a launch", "where": "here"}], "summary": {"launches": 3}}"#;
        let ended = Ended {
            code: Some(1),
            stdout: String::new(),
            stderr: String::new(),
            report: serde_json::from_str(report).expect("the sample is JSON"),
            time: Duration::ZERO,
        };
        ended.expect(1, [2]).expect("it is as expected");
        let error = ended.expect(0, [2]).expect_err("another code");
        assert!(error.to_string().contains("not with 0"), "{error}");
        assert!(ended.expect(1, [2, 3]).is_err(), "one was lost");
        assert!(ended.expect(1, []).is_err(), "one too many");
        ended.expect_not_covered("a launch").expect("it is named");
        assert!(ended.expect_not_covered("a copy").is_err());
        assert_eq!(ended.summary("launches"), 3);
    }
}
