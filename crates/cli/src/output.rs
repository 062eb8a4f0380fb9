//! Reports: put together from what processes wrote, and given out in the form that was asked for.

use crate::{running, sources};
use anyhow::Context;
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use warpsan_report::{Report, Summary, Verdict, render_json, render_text};
use warpsan_runtime::{Options, ProcessReport};

/// How to check and how to report.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// The detector
    #[arg(long, value_name = "NAME", default_value = "hb", value_parser = warpsan_detect::NAMES)]
    detector: String,

    #[command(flatten)]
    pub(crate) running: running::Args,

    #[command(flatten)]
    pub(crate) form: Form,
}

/// How to report.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "The report")]
pub(crate) struct Form {
    /// The form of the report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Write the report to a file
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Let warnings change the exit code as errors do
    #[arg(long)]
    strict: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}

/// Where a report goes if no file is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    /// The command's own output.
    Output,
    /// Beside the output of the checked program.
    Error,
}

impl Args {
    /// The options of a session, with everything in them found to be right.
    pub(crate) fn options(&self) -> anyhow::Result<Options> {
        self.running.options(&self.detector)
    }

    /// Files are opened before anything runs, so that a wrong path is found at once.
    pub(crate) fn check_output(&self) -> anyhow::Result<()> {
        self.form.check_output()?;
        self.running.start_schedule_file()
    }

    /// Puts a report together.
    pub(crate) fn report(&self, options: &Options, processes: Vec<ProcessReport>) -> Report {
        let mut report = report(&self.detector, options.seed, processes);
        report.summary.engine = self.running.engine().to_string();
        report
    }
}

/// Puts a report together. The sum over processes does not depend on their order.
pub(crate) fn report(detector: &str, seed: u64, processes: Vec<ProcessReport>) -> Report {
    let mut report = Report::new(Summary {
        detector: detector.to_string(),
        engine: "cpu".to_string(),
        seed,
        ..Summary::default()
    });
    for process in processes {
        let summary = &mut report.summary;
        summary.processes += 1;
        summary.launches += process.launches;
        summary.accesses += process.accesses;
        summary.kernels.extend(process.kernels);
        summary.without_line_information.extend(process.without_line_information);
        report.not_covered.extend(process.not_covered);
        report.add_races(process.races);
    }
    report
}

impl Form {
    /// The file is opened before anything runs, so that a wrong path is found at once.
    pub(crate) fn check_output(&self) -> anyhow::Result<()> {
        if let Some(path) = &self.output {
            std::fs::File::create(path)
                .with_context(|| format!("cannot write the report to {}", path.display()))?;
        }
        Ok(())
    }

    /// Gives the report out and says what it amounts to.
    pub(crate) fn give_out(
        &self,
        report: Report,
        stream: Stream,
        replay_command: &str,
    ) -> anyhow::Result<Verdict> {
        let (text, verdict) = self.render(report, stream, replay_command)?;
        self.write(&text, stream)?;
        Ok(verdict)
    }

    /// The report in its form, and what it amounts to.
    fn render(
        &self,
        mut report: Report,
        stream: Stream,
        replay_command: &str,
    ) -> anyhow::Result<(String, Verdict)> {
        report.sort();
        sources::add_lines(&mut report);
        let verdict = report.verdict(self.strict);
        let text = match self.format {
            Format::Json => render_json(&report).context("cannot write the report as JSON")?,
            Format::Text => {
                sources::shorten_paths(&mut report);
                render_text(&report, self.color(stream), replay_command)
            }
        };
        Ok((text, verdict))
    }

    fn write(&self, text: &str, stream: Stream) -> anyhow::Result<()> {
        match &self.output {
            Some(path) => std::fs::write(path, text)
                .with_context(|| format!("cannot write the report to {}", path.display())),
            None => Ok(stream.write(text.as_bytes())?),
        }
    }

    /// Where words go that are no report and must not spoil one.
    pub(crate) fn beside_report(&self) -> Stream {
        match (self.format, &self.output) {
            (Format::Json, None) => Stream::Error,
            _ => Stream::Output,
        }
    }

    fn color(&self, stream: Stream) -> bool {
        let terminal = match stream {
            Stream::Output => std::io::stdout().is_terminal(),
            Stream::Error => std::io::stderr().is_terminal(),
        };
        terminal && self.output.is_none() && std::env::var_os("NO_COLOR").is_none()
    }
}

/// The reports of several files, one after the other: as text each under the file's name, as JSON in
/// one list.
pub(crate) struct Reports<'a> {
    form: &'a Form,
    /// What is written at the end.
    text: String,
    list: Vec<Value>,
}

impl<'a> Reports<'a> {
    pub(crate) fn new(form: &'a Form) -> Reports<'a> {
        Reports { form, text: String::new(), list: Vec::new() }
    }

    /// The next report.
    pub(crate) fn add(
        &mut self,
        file: &Path,
        report: Report,
        replay_command: &str,
    ) -> anyhow::Result<Verdict> {
        let (text, verdict) = self.form.render(report, Stream::Output, replay_command)?;
        let name = file.display().to_string();
        match self.form.format {
            Format::Json => {
                let report: Value = serde_json::from_str(&text)?;
                self.list.push(json!({ "file": name, "report": report }));
            }
            Format::Text => {
                let text = format!("== {name}\n{text}\n");
                match self.form.output {
                    Some(_) => self.text.push_str(&text),
                    None => Stream::Output.write(text.as_bytes())?,
                }
            }
        }
        Ok(verdict)
    }

    /// A file that could not be checked at all.
    pub(crate) fn add_failure(&mut self, file: &Path, error: &str) {
        self.list.push(json!({ "file": file.display().to_string(), "error": error }));
    }

    /// All reports are there.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        if self.form.format == Format::Json {
            self.text = serde_json::to_string_pretty(&self.list)?;
            self.text.push('\n');
        }
        match self.text.is_empty() && self.form.output.is_none() {
            true => Ok(()),
            false => self.form.write(&self.text, Stream::Output),
        }
    }
}
