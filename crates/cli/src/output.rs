//! Reports: put together from what processes wrote, and given out in the form that was asked for.

use crate::formats::{self, Format};
use crate::{detection, launches, merging, output_file, running, sources, suppressions};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use warpsan_detect::DetectorId;
use warpsan_report::{
    NamedReport, Outcome, Report, Summary, Suppressions, Verdict, render_text,
    render_unused_suppressions, unused_in_all,
};
use warpsan_runtime::{Options, ProcessReport};

/// How to check and how to report.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) detection: detection::Args,

    #[command(flatten)]
    pub(crate) running: running::Args,

    #[command(flatten)]
    pub(crate) launches: launches::Args,

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

    /// Do not report the races that the lines of a file fit, as in
    /// `race: kernel:GLOB function:GLOB file:GLOB line:N kind:NAME`; may be given several times
    #[arg(long, value_name = "FILE", value_parser = suppressions::parser())]
    suppressions: Vec<Suppressions>,

    /// What to do with races within NVIDIA's own headers (CUB, Thrust, libcu++, cooperative groups), in parts that a
    /// program cannot change
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = LibraryCode::Hide)]
    library_code: LibraryCode,

    /// Let warnings change the exit code as errors do
    #[arg(long)]
    strict: bool,
}

/// What to do with races within the toolkit's own headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum LibraryCode {
    /// Report them as any other
    Show,
    /// Count them in one line, and keep them in JSON under `library`; they do not change the exit code
    Hide,
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
        let launches = self.launches.filter();
        Ok(Options { launches, ..self.detection.options(self.running.options()?) })
    }

    /// Looks whether files can be written before anything runs, so that a wrong path is found at once.
    pub(crate) fn check_output(&self, inputs: &[&Path]) -> anyhow::Result<()> {
        self.form.check_output(inputs)?;
        self.running.start_schedule_file(inputs)
    }

    /// Puts a report together.
    pub(crate) fn report(&self, options: &Options, processes: Vec<ProcessReport>) -> Report {
        let mut report = report(options.detector, options.seed, processes);
        report.summary.engine = options.engine.name().to_string();
        report.summary.was_safe = options.safe.is_some();
        report
    }
}

/// Puts a report together. The sum over processes does not depend on their order.
pub(crate) fn report(detector: DetectorId, seed: u64, processes: Vec<ProcessReport>) -> Report {
    let mut report = Report::new(Summary {
        detector: detector.name.to_string(),
        without_detection: !detector.finds_races,
        engine: "cpu".to_string(),
        seed,
        ..Summary::default()
    });
    for process in processes {
        merging::add_process(&mut report, process);
    }
    report
}

impl Form {
    /// Looks whether the file can be written before anything runs, so that a wrong path is found at once.
    pub(crate) fn check_output(&self, inputs: &[&Path]) -> anyhow::Result<()> {
        self.output.as_ref().map_or(Ok(()), |path| output_file::check("the report", path, inputs))
    }

    /// Gives the report out and says what it amounts to.
    pub(crate) fn give_out(
        &self,
        report: Report,
        stream: Stream,
        replay: &(impl ReplayCommand + ?Sized),
    ) -> anyhow::Result<Verdict> {
        let (report, verdict) = self.completed(report, replay);
        let text = match self.format {
            Format::Text => {
                let unused: Vec<_> = report.summary.unused_suppressions().collect();
                render_text(&report, self.color(stream)) + &render_unused_suppressions(&unused)
            }
            format => formats::one(format, report, self.strict)?,
        };
        self.write(&text, stream)?;
        Ok(verdict)
    }

    /// The report with everything that its readers are to see, and what it amounts to.
    fn completed(
        &self,
        mut report: Report,
        replay: &(impl ReplayCommand + ?Sized),
    ) -> (Report, Verdict) {
        report.sort();
        let of_seeds = report.all_races().filter(|race| !race.replay.is_none());
        let seeds: Vec<u64> = of_seeds.map(|race| race.replay.seed).collect();
        report.replay_commands.extend(seeds.into_iter().map(|seed| (seed, replay.of_seed(seed))));
        self.all_suppressions().apply(&mut report);
        if self.library_code == LibraryCode::Hide {
            report.hide_library_code();
        }
        sources::add_lines(&mut report);
        if self.format != Format::Json {
            sources::shorten_paths(&mut report, self.format);
        }
        let verdict = report.verdict(self.strict);
        (report, verdict)
    }

    fn all_suppressions(&self) -> Suppressions {
        let mut all = Suppressions::default();
        self.suppressions.iter().for_each(|some| all.extend(some.clone()));
        all
    }

    fn write(&self, text: &str, stream: Stream) -> anyhow::Result<()> {
        match &self.output {
            Some(path) => output_file::write("the report", path, text.as_bytes()),
            None => Ok(stream.write(text.as_bytes())?),
        }
    }

    /// Where words go that are no report and must not spoil one.
    pub(crate) fn beside_report(&self) -> Stream {
        match (self.format, &self.output) {
            (Format::Text, _) | (_, Some(_)) => Stream::Output,
            (_, None) => Stream::Error,
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

/// What shows a race again. Each race has its own seed, which need not be that of the run.
pub(crate) trait ReplayCommand {
    /// The command that runs everything once more with this seed.
    fn of_seed(&self, seed: u64) -> String;
}

impl<F: Fn(u64) -> String> ReplayCommand for F {
    fn of_seed(&self, seed: u64) -> String {
        self(seed)
    }
}

/// Where there is one seed only, its command.
impl ReplayCommand for String {
    fn of_seed(&self, _: u64) -> String {
        self.clone()
    }
}

/// The reports of several files: as text one after the other, each under the file's name; in the
/// other forms all together.
pub(crate) struct Reports<'a> {
    form: &'a Form,
    /// The text that is written at the end.
    text: String,
    /// What the summaries of the reports say, for the text.
    summaries: Vec<Summary>,
    /// The reports, for the other forms.
    all: Vec<NamedReport>,
}

impl<'a> Reports<'a> {
    pub(crate) fn new(form: &'a Form) -> Reports<'a> {
        Reports { form, text: String::new(), summaries: Vec::new(), all: Vec::new() }
    }

    /// The next report.
    pub(crate) fn add(
        &mut self,
        file: &Path,
        report: Report,
        replay: &(impl ReplayCommand + ?Sized),
    ) -> anyhow::Result<Verdict> {
        let (report, verdict) = self.form.completed(report, replay);
        let name = file.display().to_string();
        if self.form.format == Format::Text {
            let text = render_text(&report, self.form.color(Stream::Output));
            self.summaries.push(report.summary);
            self.add_text(&format!("== {name}\n{text}\n"))?;
        } else {
            self.all.push(NamedReport { name, outcome: Outcome::Report(Box::new(report)) });
        }
        Ok(verdict)
    }

    /// Text is shown at once, unless it goes to a file.
    fn add_text(&mut self, text: &str) -> anyhow::Result<()> {
        match self.form.output {
            Some(_) => self.text.push_str(text),
            None => Stream::Output.write(text.as_bytes())?,
        }
        Ok(())
    }

    /// A file that could not be checked at all.
    pub(crate) fn add_failure(&mut self, file: &Path, error: &str) {
        let name = file.display().to_string();
        self.all.push(NamedReport { name, outcome: Outcome::Failure(error.to_string()) });
    }

    /// All reports are there.
    pub(crate) fn finish(mut self) -> anyhow::Result<()> {
        if self.form.format == Format::Text {
            let unused = render_unused_suppressions(&unused_in_all(&self.summaries));
            self.add_text(&unused)?;
        } else {
            self.text = formats::several(self.form.format, &self.all, self.form.strict)?;
        }
        match self.text.is_empty() && self.form.output.is_none() {
            true => Ok(()),
            false => self.form.write(&self.text, Stream::Output),
        }
    }
}
