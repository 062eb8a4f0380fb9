//! Reports: put together from what processes wrote, and given out in the form that was asked for.

use crate::sources;
use anyhow::Context;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use warpsan_report::{Report, Summary, Verdict, render_json, render_text};
use warpsan_runtime::{Options, ProcessReport};

/// How to check and how to report.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// The detector
    #[arg(long, value_name = "NAME", default_value = "hb", value_parser = warpsan_detect::NAMES)]
    detector: String,

    /// Determines the schedule: the same seed gives the same report
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Give a launch up after so many instructions of a warp
    #[arg(long, value_name = "N", default_value_t = Options::default().max_instructions)]
    max_instructions: u64,

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
    pub(crate) fn options(&self) -> Options {
        Options {
            detector: self.detector.clone(),
            seed: self.seed,
            max_instructions: self.max_instructions,
        }
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// The file is opened before anything runs, so that a wrong path is found at once.
    pub(crate) fn check_output(&self) -> anyhow::Result<()> {
        if let Some(path) = &self.output {
            std::fs::File::create(path)
                .with_context(|| format!("cannot write the report to {}", path.display()))?;
        }
        Ok(())
    }

    /// Puts a report together. The sum over processes does not depend on their order.
    pub(crate) fn report(&self, processes: Vec<ProcessReport>) -> Report {
        let mut report = Report::new(Summary {
            detector: self.detector.clone(),
            engine: "cpu".to_string(),
            seed: self.seed,
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

    /// Gives the report out and says what it amounts to.
    pub(crate) fn give_out(
        &self,
        mut report: Report,
        stream: Stream,
        replay_command: &str,
    ) -> anyhow::Result<Verdict> {
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
        match (&self.output, stream) {
            (Some(path), _) => std::fs::write(path, text)
                .with_context(|| format!("cannot write the report to {}", path.display()))?,
            (None, Stream::Output) => std::io::stdout().write_all(text.as_bytes())?,
            (None, Stream::Error) => std::io::stderr().write_all(text.as_bytes())?,
        }
        Ok(verdict)
    }

    fn color(&self, stream: Stream) -> bool {
        let terminal = match stream {
            Stream::Output => std::io::stdout().is_terminal(),
            Stream::Error => std::io::stderr().is_terminal(),
        };
        terminal && self.output.is_none() && std::env::var_os("NO_COLOR").is_none()
    }
}
