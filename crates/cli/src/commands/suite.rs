//! `warpsan suite FOLDER…`: what detectors make of programs that say themselves which races they have.

mod checking;
mod tables;

use crate::progress::Terminal;
use crate::{Global, consent, output_file};
use anyhow::{Context, ensure};
use checking::{Chosen, compare};
use serde::Serialize;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use warpsan_detect::{Specification, hb, iguard, scord};
use warpsan_suite::{Comparison, Counts, Disagreement};

#[derive(Debug, clap::Args)]
#[command(after_help = EXPLANATION)]
pub(crate) struct Args {
    /// Folders of programs with `//~` comments, as in `suites/scor`
    #[arg(required = true, value_name = "FOLDER")]
    folders: Vec<PathBuf>,

    /// A detector, with its flags, as in 'scord --scord-cache=on'; can be repeated [default: scord, iguard, hb]
    #[arg(long, value_name = "NAME")]
    detector: Vec<String>,

    /// How often each program is run: with so many seeds, from 1
    #[arg(long, value_name = "NUMBER", default_value = "3")]
    seeds: NonZeroUsize,

    /// Only programs with this in their name; can be repeated
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,

    /// Where kernels are executed
    #[arg(long, value_enum, default_value_t = Engine::Cpu)]
    engine: Engine,

    /// Programs that are run at the same time [default: one for each core]
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<NonZeroUsize>,

    /// After this time, a launch has failed
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,

    /// The form of the tables
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Where they go, if not to standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Engine {
    /// On the CPU
    Cpu,
    /// On a GPU
    Gpu,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs: everything
    Json,
    /// Tables for a document
    Markdown,
}

const EXPLANATION: &str = "\
A program says in comments which races a detector has to report, each with its kind and both lines; suites/hb
and suites/scor describe them. Files of kernels are checked as `warpsan check` does, programs with a `main`
are built and run as `warpsan run` does, with `--size small` and, for each race that they can switch on,
with `--race N`. What was expected and reported is found, what was expected and not reported is missed,
what was reported and not expected is false. Where a detector reports something and `hb` does not, or the
other way round, the sentence that explains it is named.

Exit codes: 0 if all is as expected, 1 if not, 2 if something could not be read.

Examples:
  warpsan suite suites/scor
  warpsan suite --detector hb --detector 'scord --scord-granularity=8' --seeds 20 suites/scor/apps
  warpsan suite --format markdown --output docs/detectors.md suites/scor";

/// The exit code when something was missed, made up, or not checked.
const NOT_AS_EXPECTED: u8 = 1;

/// The detectors that are compared where none is named; the help of `--detector` lists them.
static USUAL: [&Specification; 3] =
    [&scord::SPECIFICATION, &iguard::SPECIFICATION, &hb::SPECIFICATION];

/// Everything about one folder, for programs.
#[derive(Serialize)]
struct FolderResult<'a> {
    #[serde(flatten)]
    comparison: &'a Comparison,
    totals: Vec<Counts>,
    disagreements: Vec<Disagreement>,
}

pub(crate) fn run(args: &Args, global: &Global) -> anyhow::Result<ExitCode> {
    // Where there is no compiler, this asks whether to fetch one; the processes then find it.
    consent::toolchain(global)?;
    let chosen = Chosen {
        detectors: match args.detector.as_slice() {
            [] => USUAL.map(|detector| detector.name.to_owned()).to_vec(),
            given => given.to_vec(),
        },
        filter: args.filter.clone(),
        engine: match args.engine {
            Engine::Cpu => "cpu",
            Engine::Gpu => "gpu",
        },
        seeds: args.seeds.get() as u64,
        jobs: match args.jobs {
            Some(jobs) => jobs.get(),
            None => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
        },
        timeout: Duration::from_secs(args.timeout),
        warpsan: std::env::current_exe().context("cannot find this command itself")?,
        cuda_path: global.cuda_path.clone(),
    };
    let terminal = Terminal::new(false);
    let mut comparisons = Vec::new();
    for folder in &args.folders {
        let comparison = compare(folder, &chosen, &terminal)?;
        ensure!(!comparison.rows.is_empty(), "nothing in {} was asked for", folder.display());
        comparisons.push(comparison);
    }
    let text = match args.format {
        Format::Json => json(&comparisons)?,
        Format::Text => comparisons.iter().map(tables::text).collect::<Vec<_>>().join("\n"),
        Format::Markdown => tables::markdown(&comparisons),
    };
    match &args.output {
        Some(file) => output_file::write("the tables", file, text.as_bytes())?,
        None => std::io::stdout()
            .lock()
            .write_all(text.as_bytes())
            .context("cannot write the tables")?,
    }
    let totals = comparisons.iter().flat_map(Comparison::totals);
    let is_right = totals.into_iter().all(|counts| counts.is_right());
    Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::from(NOT_AS_EXPECTED) })
}

fn json(comparisons: &[Comparison]) -> anyhow::Result<String> {
    let results: Vec<FolderResult<'_>> = comparisons
        .iter()
        .map(|comparison| FolderResult {
            comparison,
            totals: comparison.totals(),
            disagreements: comparison.disagreements(),
        })
        .collect();
    Ok(serde_json::to_string_pretty(&results)? + "\n")
}
