//! The launches of a file on the GPU: a process of our own makes them, and is checked as any program is.

use super::one_file::{FileToCheck, Surroundings};
use crate::commands::launch_on_gpu::{Ended, Files, NAME};
use crate::launch_line::MARK;
use crate::output::Stream;
use crate::output_file::Beside;
use crate::process::{CheckedProgram, RunOutcome, obstacle_of, run as run_program};
use crate::voice::Voice;
use crate::{exit, merging};
use anyhow::{Context, bail};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;
use warpsan_report::{NotCovered, Report};
use warpsan_runtime::{Engine, Options, TraceFolder};
use warpsan_toolchain::Environment;

/// What a process may take beside its launches. Launches that do not end are given up by the process itself, so that this is for those
/// that do not even do that.
const BESIDE_LAUNCHES: Duration = Duration::from_secs(60);

impl FileToCheck {
    /// Runs all launches once for each seed, which the GPU's schedule does not depend on.
    pub(super) fn check_on_gpu(
        &self,
        ptx: &str,
        surroundings: &Surroundings<'_>,
        options: &Options,
        voice: &mut Voice,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        let folder = tempfile::Builder::new().prefix("warpsan-check-").tempdir();
        let folder = folder.context("cannot make a temporary folder for the launches")?;
        let files = Files(folder.path());
        std::fs::write(files.ptx(), ptx).context("cannot keep the PTX for the GPU")?;
        let launches = self.launch_text(&surroundings.args.launch);
        std::fs::write(files.launches(), launches).context("cannot keep the launches")?;
        let traces = folder.path().join("traces");
        let mut silent = Voice::Silent;
        for (number, seed) in surroundings.seeds.iter().enumerate() {
            let record_trace = surroundings.trace.map(|_| TraceFolder {
                path: traces.clone(),
                command: surroundings.args.command("record", seed, &self.path),
            });
            let options = Options { seed, record_trace, ..options.clone() };
            let voice = if number == 0 { &mut *voice } else { &mut silent };
            self.launch_on_gpu(&files, surroundings, &options, voice, report)?;
        }
        surroundings.seeds.name_in(report, surroundings.seeds.count());
        report.summary.processes = 1;
        surroundings.trace.map_or(Ok(()), |trace| take_trace(&traces, trace))
    }

    /// The launch lines as the file has them, or those of the command line in their place.
    fn launch_text(&self, on_command_line: &[String]) -> String {
        if on_command_line.is_empty() {
            return self.text.clone();
        }
        on_command_line.iter().fold(String::new(), |mut text, launch| {
            // A launch of several lines is one of a single line for whoever reads it by lines.
            let _ = writeln!(text, "{MARK} {}", launch.replace(['\n', '\r'], " "));
            text
        })
    }

    /// Runs all launches once.
    fn launch_on_gpu(
        &self,
        files: &Files<'_>,
        surroundings: &Surroundings<'_>,
        options: &Options,
        voice: &mut Voice,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        if let Some(traces) = &options.record_trace {
            std::fs::create_dir_all(&traces.path).context("cannot make a folder for the trace")?;
        }
        let ourselves = std::env::current_exe().context("cannot find warpsan itself")?;
        if let Some((path, obstacle)) = obstacle_of(ourselves.as_os_str(), Engine::Gpu) {
            bail!("{} cannot launch on the GPU: {obstacle}", path.display());
        }
        let mut arguments = vec![OsString::from(NAME), files.0.as_os_str().to_owned()];
        let buffers = &surroundings.args.buffers;
        arguments.extend(buffers.flags().into_iter().map(OsString::from));
        let count = u32::try_from(self.launches.len()).unwrap_or(u32::MAX);
        let program = CheckedProgram {
            program: ourselves.as_os_str(),
            arguments: &arguments,
            timeout: options
                .timeout
                .map(|limit| limit.saturating_mul(count).saturating_add(BESIDE_LAUNCHES)),
            threads: None,
            again: &surroundings.args.check_command(&self.path)(options.seed),
        };
        let cache = Environment::of_process().cache_root().ok();
        let outcome = run_program(program, options, cache.as_deref())?;
        voice.say(Stream::Error, &std::fs::read(files.printed()).unwrap_or_default())?;
        let shown = std::fs::read(files.buffers()).unwrap_or_default();
        voice.say(surroundings.args.output.form.beside_report(), &shown)?;
        self.add(outcome, files.how_it_ended(), report)
    }

    /// Adds what came of it to the report. Only a file or a launch that the device cannot take is an error.
    fn add(
        &self,
        outcome: RunOutcome,
        ended: Option<Ended>,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        let before = report.summary.launches + report.summary.unwatched_launches;
        report.not_covered.extend(outcome.gaps);
        for process in outcome.reports {
            merging::add_process(report, process);
        }
        let launched = report.summary.launches + report.summary.unwatched_launches - before;
        let file = self.path.display();
        let what = match ended {
            Some(Ended::NoDevice(reason)) => {
                bail!("--engine gpu needs a GPU and its driver: {reason}")
            }
            Some(Ended::Refused { launch: None, reason }) => {
                bail!("{file} cannot be checked on the GPU: {reason}")
            }
            Some(Ended::Refused { launch: Some((line, kernel)), reason }) => {
                bail!("{file}:{line}: the launch of `{kernel}`: {reason}")
            }
            Some(Ended::Stopped(reason)) => format!("what came after the GPU stopped: {reason}"),
            // Launches that are not in the process's report cannot have been checked.
            Some(Ended::Done) if launched < self.launches.len() as u64 => {
                format!(
                    "{} of {} launches",
                    self.launches.len() as u64 - launched,
                    self.launches.len()
                )
            }
            Some(Ended::Done) => return Ok(()),
            None => {
                let words = exit::in_words(outcome.status);
                let words = words.filter(|_| !outcome.timed_out);
                let words = words.unwrap_or_else(|| "it was given up".to_string());
                format!("what came after the end of the process with the launches: {words}")
            }
        };
        report.not_covered.push(NotCovered {
            what,
            place: self.path.display().to_string(),
            advice: "--engine cpu says more about kernels that do not end as they should"
                .to_string(),
        });
        Ok(())
    }
}

/// Moves the trace to where it was asked for.
fn take_trace(folder: &Path, trace: &Path) -> anyhow::Result<()> {
    let unwritten = || format!("cannot write the trace to {}", trace.display());
    let mut files = std::fs::read_dir(folder).with_context(unwritten)?;
    let Some(first) = files.next().transpose().with_context(unwritten)? else {
        bail!("nothing was recorded for {}", trace.display());
    };
    // It may be another file system.
    let beside = Beside::new(trace).with_context(unwritten)?;
    std::fs::copy(first.path(), beside.path()).with_context(unwritten)?;
    beside.keep().with_context(unwritten)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;
    use warpsan_runtime::ProcessReport;

    fn file(launches: &[&str]) -> FileToCheck {
        let parse = |text: &&str| crate::launch_line::LaunchLine::parse(text, 3).expect("a launch");
        FileToCheck {
            path: "k.ptx".into(),
            text: "the text".to_string(),
            is_source: false,
            launches: launches.iter().map(parse).collect(),
        }
    }

    fn add(ended: Option<Ended>, launches: u64, status: i32) -> anyhow::Result<Report> {
        let mut report = Report::new(warpsan_report::Summary::default());
        let outcome = RunOutcome {
            status: ExitStatus::from_raw(status),
            timed_out: false,
            reports: vec![ProcessReport { launches, ..ProcessReport::default() }],
            threads: Vec::new(),
            unchecked: Vec::new(),
            gaps: Vec::new(),
            left_running: false,
            folder: None,
        };
        file(&["k<<<1, 1>>>()", "l<<<1, 1>>>()"]).add(outcome, ended, &mut report)?;
        Ok(report)
    }

    #[test]
    fn only_what_was_launched_and_ended_is_covered() {
        assert_eq!(add(Some(Ended::Done), 2, 0).unwrap().not_covered, []);
        let missing = |report: Report| report.not_covered[0].what.clone();
        assert_eq!(missing(add(Some(Ended::Done), 1, 0).unwrap()), "1 of 2 launches");
        let stopped = add(Some(Ended::Stopped("x answers y".into())), 2, 0);
        assert!(missing(stopped.unwrap()).contains("x answers y"));
        let killed = add(None, 2, 9);
        assert!(missing(killed.unwrap()).contains("signal 9"));
    }

    #[test]
    fn what_the_device_refuses_is_an_error() {
        let missing = add(Some(Ended::NoDevice("none".into())), 0, 0).unwrap_err();
        assert!(missing.to_string().contains("needs a GPU"), "{missing}");
        let launch = Some((3, "k".to_string()));
        let refused = add(Some(Ended::Refused { launch, reason: "no".into() }), 0, 0).unwrap_err();
        assert_eq!(refused.to_string(), "k.ptx:3: the launch of `k`: no");
    }

    #[test]
    fn launches_of_the_command_line_are_lines() {
        let one = file(&["k<<<1, 1>>>()"]);
        assert_eq!(one.launch_text(&[]), "the text");
        let text = one.launch_text(&["k<<<1,\n2>>>()".to_string(), "l<<<1, 1>>>()".to_string()]);
        let read = crate::launch_line::launch_lines(&text).expect("lines");
        assert_eq!((read.len(), read[0].block.x, read[1].kernel.as_str()), (2, 2, "l"));
    }
}
