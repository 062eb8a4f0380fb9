//! `warpsan hardware TRACE…`: what a race detector in hardware would cost, by a timing model of ScoRD's or of PARSNIP's.

mod figures;
mod parsnip_figures;

use crate::table::Table;
use crate::threads::ThreadTrace;
use anyhow::{Context, bail};
use figures::Measured;
use serde::Serialize;
use std::fs::File;
use std::io::{BufReader, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use warpsan_event::trace::TraceReader;
use warpsan_hardware::parsnip::Settings;
use warpsan_hardware::{Comparison, Configuration, Memory, Shares, compare, paper, read_trace};

#[derive(Debug, clap::Args)]
#[command(after_help = EXPLANATION)]
pub(crate) struct Args {
    /// The hardware: a GPU with ScoRD for traces of kernels, or a multicore with PARSNIP for traces of threads
    #[arg(long, value_enum, default_value_t = Model::Scord)]
    model: Model,

    /// Trace files, or folders of `run --record-trace`
    #[arg(required = true)]
    traces: Vec<PathBuf>,

    /// The form of the tables
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// With --model parsnip: instructions for each access, the access included, where a folder has no file `instructions-per-access` [default: 8]
    #[arg(long, value_name = "N", value_parser = ratio)]
    instructions: Option<f64>,

    /// With --model parsnip: cores take turns of so many accesses, in place of the order of the recording
    #[arg(long, value_name = "N")]
    turns: Option<NonZeroUsize>,

    /// Runs of the model at the same time; they do not change results
    #[arg(long, value_name = "N", default_value = "1")]
    jobs: NonZeroUsize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Model {
    /// A GPU with the detector of the ScoRD paper
    Scord,
    /// A multicore with the detector of Peng's thesis
    Parsnip,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// For people
    Text,
    /// For programs: all that was measured
    Json,
    /// Tables for a document
    Markdown,
}

const EXPLANATION: &str = "\
A model of the GPU of the ScoRD paper (ISCA 2020, table V) runs what warps did in the trace, without a race
detector, with one that has metadata for every word, and with one whose metadata is cached. The tables say
cycles, accesses of DRAM, what each source of cost contributes, and how that depends on memory, as the
paper's figures 8 to 11 do. With --model parsnip, a multicore of Peng's thesis (chapter 4) runs what threads
did: races, cycles of an instruction, and where they go. docs/hardware-model.md has every number of both.

A trace is called by its file's name, or by its folder's name if that is given.

Examples:
  warpsan run --detector none --record-trace traces/reduction -- reduction.cu
  warpsan hardware traces/reduction
  warpsan hardware --format markdown traces/*
  warpsan hardware --model parsnip traces/of-threads";

/// What one trace gave, for programs.
#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    overhead: f64,
    base_overhead: f64,
    shares: Shares,
    #[serde(flatten)]
    comparison: &'a Comparison,
}

impl Named<'_> {
    fn of(one: &Measured) -> Named<'_> {
        let comparison = &one.comparison;
        Named {
            name: &one.name,
            overhead: comparison.overhead(),
            base_overhead: comparison.base_overhead(),
            shares: comparison.shares(),
            comparison,
        }
    }
}

/// All of it, for programs.
#[derive(Serialize)]
struct All<'a> {
    configuration: Configuration,
    low: Configuration,
    high: Configuration,
    paper_mean_overhead: f64,
    paper_mean_shares: Shares,
    traces: Vec<Named<'a>>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let text = match args.model {
        Model::Scord if args.instructions.is_some() || args.turns.is_some() => {
            bail!("--instructions and --turns are for --model parsnip")
        }
        Model::Scord => scord(args)?,
        Model::Parsnip => parsnip(args)?,
    };
    std::io::stdout().lock().write_all(text.as_bytes()).context("cannot write the tables")?;
    Ok(ExitCode::SUCCESS)
}

fn parsnip(args: &Args) -> anyhow::Result<String> {
    let mut measured = Vec::new();
    for (name, file) in files(&args.traces, "threads")? {
        let Some(trace) = ThreadTrace::open(&file)? else {
            bail!("{} is not a trace of threads, which --model parsnip needs", file.display());
        };
        let mut settings = Settings::default();
        if let Some(counted) =
            args.instructions.map_or_else(|| counted_beside(&file), |one| Ok(Some(one)))?
        {
            settings.instructions_per_access = counted;
        }
        let (comparison, races) = trace.on_parsnip(settings, args.turns)?;
        measured.push(parsnip_figures::Measured { name, comparison, races });
    }
    let tables = parsnip_figures::tables(&measured);
    Ok(match args.format {
        Format::Json => {
            serde_json::to_string_pretty(&OfParsnip {
                settings: Settings::default(),
                traces: &measured,
            })? + "\n"
        }
        Format::Text => joined(&tables, Table::text),
        Format::Markdown => joined(&tables, Table::markdown),
    })
}

/// The file with the instructions for each access of a program, in the folder of its trace.
const COUNTED: &str = "instructions-per-access";

fn ratio(text: &str) -> Result<f64, String> {
    let number = text.trim().parse::<f64>().map_err(|error| error.to_string())?;
    let is_right = (1.0..=1000.0).contains(&number);
    is_right.then_some(number).ok_or_else(|| "it has to be from 1 to 1000".to_string())
}

/// What was counted for the trace of a file.
fn counted_beside(trace: &Path) -> anyhow::Result<Option<f64>> {
    let file = trace.with_file_name(COUNTED);
    let text = match std::fs::read_to_string(&file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        read => read.with_context(|| format!("cannot read {}", file.display()))?,
    };
    let wrong = |error: String| anyhow::anyhow!("{} has no number: {error}", file.display());
    ratio(&text).map(Some).map_err(wrong)
}

/// All of it, for programs.
#[derive(Serialize)]
struct OfParsnip<'a> {
    /// Of all traces but for their instructions, which each has for itself.
    settings: Settings,
    traces: &'a [parsnip_figures::Measured],
}

fn joined(tables: &[Table], form: fn(&Table) -> String) -> String {
    tables.iter().map(form).collect::<Vec<String>>().join("\n")
}

fn scord(args: &Args) -> anyhow::Result<String> {
    let mut measured = Vec::new();
    for (name, file) in files(&args.traces, "trace")? {
        let comparison =
            measure(&file, args.jobs).with_context(|| format!("cannot time {}", file.display()))?;
        measured.push(Measured { name, comparison });
    }
    let tables = figures::tables(&measured);
    Ok(match args.format {
        Format::Json => json(&measured)?,
        Format::Text => joined(&tables, Table::text),
        Format::Markdown => joined(&tables, Table::markdown),
    })
}

fn json(measured: &[Measured]) -> anyhow::Result<String> {
    let all = All {
        configuration: Configuration::default(),
        low: Configuration::of(Memory::Low),
        high: Configuration::of(Memory::High),
        paper_mean_overhead: paper::MEAN_OVERHEAD,
        paper_mean_shares: paper::MEAN_SHARES,
        traces: measured.iter().map(Named::of).collect(),
    };
    Ok(serde_json::to_string_pretty(&all)? + "\n")
}

fn measure(file: &Path, jobs: NonZeroUsize) -> anyhow::Result<Comparison> {
    let mut trace = TraceReader::new(BufReader::new(File::open(file)?))?;
    Ok(compare(&read_trace(&mut trace)?, jobs))
}

/// The trace files with the names to call them by. In folders, they have this ending.
fn files(given: &[PathBuf], ending: &str) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.push((name_of(path.file_stem()), path.clone()));
            continue;
        }
        let unlisted = || format!("cannot list {}", path.display());
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(path).with_context(unlisted)? {
            let entry = entry.with_context(unlisted)?.path();
            if entry.extension().is_some_and(|one| one == ending) {
                inside.push(entry);
            }
        }
        if inside.is_empty() {
            bail!(
                "{} has no files that end in .{ending}; `warpsan run --record-trace` writes them",
                path.display()
            );
        }
        inside.sort();
        let name = name_of(path.canonicalize().with_context(unlisted)?.file_name());
        let several = inside.len() > 1;
        files.extend(inside.into_iter().enumerate().map(|(number, file)| {
            let name = if several { format!("{name} {number}") } else { name.clone() };
            (name, file)
        }));
    }
    Ok(files)
}

fn name_of(part: Option<&std::ffi::OsStr>) -> String {
    part.map_or_else(|| "trace".to_string(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gives_its_name_to_its_traces() {
        let folder = tempfile::tempdir().unwrap();
        let one = folder.path().join("reduction");
        std::fs::create_dir(&one).unwrap();
        for name in ["process-1-0.trace", "notes.txt"] {
            std::fs::write(one.join(name), "").unwrap();
        }
        let found = files(&[one.clone(), PathBuf::from("some/other.trace")], "trace").unwrap();
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["reduction", "other"]);
        std::fs::write(one.join("process-2-0.trace"), "").unwrap();
        let found = files(&[one], "trace").unwrap();
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["reduction 0", "reduction 1"]);
    }

    #[test]
    fn a_folder_without_traces_is_wrong_usage() {
        let folder = tempfile::tempdir().unwrap();
        let error = files(&[folder.path().to_path_buf()], "trace").unwrap_err();
        assert!(error.to_string().contains("--record-trace"), "{error}");
    }
}
