//! `bench-threads`: what detecting races among threads costs, beside the compilers' own runtimes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use warpsan_testkit::engine_speed::geometric_mean;
use warpsan_testkit::thread_benches::{
    Bar, Bench, COLUMNS, Code, Column, Executables, Figures, Measured, Row, Runner, Tool,
    all_tools, bars, baselines, figures_of, read_benches,
};
use warpsan_testkit::threads::{Compiler, newest_clang};

use super::{Common, table, warpsan};

/// How often each bench is run where nothing is said, and with `--quick`.
const RUNS: usize = 5;
const QUICK_RUNS: usize = 2;

/// Measure the programs of `suites/bench/threads` natively, under the compilers' own runtimes, and under warpsan with `empty`,
/// `fasttrack` and `slimfast`: time, peak memory, and the columns of SlimFast's table 3.1
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Numbers of threads
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "2,8")]
    threads: Vec<u32>,
    /// How often everything is run, by turns; the median counts
    #[arg(long, value_name = "NUMBER")]
    runs: Option<usize>,
    /// Few runs of small sizes
    #[arg(long)]
    quick: bool,
    /// Without warpsan: native code and the compilers' own runtimes
    #[arg(long)]
    baseline: bool,
    /// Whose code is measured under the runtimes; the bars are about that of clang
    #[arg(
        long,
        value_name = "COMPILERS",
        value_delimiter = ',',
        value_parser = ["gcc", "clang"],
        default_value = "gcc,clang"
    )]
    codes: Vec<String>,
    /// The gcc to compile with
    #[arg(long, value_name = "NAME", default_value = "gcc")]
    gcc: String,
    /// The clang to compile with, where it is not the newest one that is installed
    #[arg(long, value_name = "NAME")]
    clang: Option<String>,
    /// Write the tables to this file, too, as Markdown
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// After this time, a run has failed
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// A bench with one number of threads, and its figures.
struct Line {
    name: String,
    threads: u32,
    row: Row,
}

/// True if all ran well and every bar is reached.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let mut benches = read_benches(&common.root().join("suites/bench/threads"))?;
    benches.retain(|bench| common.takes(&bench.name));
    anyhow::ensure!(!benches.is_empty(), "nothing has such a name");
    let mut tools = if args.baseline { baselines() } else { all_tools() };
    tools.retain(|tool| args.measures(tool.code()));
    let executables = args.executables(common)?;
    let command = if args.baseline { None } else { Some(warpsan(args.warpsan.as_deref())?) };
    let runner = Runner { warpsan: command, time: Duration::from_secs(args.timeout) };
    let (mut lines, mut is_good) = (Vec::new(), true);
    for bench in &benches {
        let mut printed = None;
        for threads in &args.threads {
            eprintln!("{}, {threads} threads", bench.name);
            let mut trial = Trial { args, bench, threads: *threads, failures: BTreeMap::new() };
            let row = trial.row(&tools, &executables, &runner, &mut printed)?;
            for (tool, failure) in &trial.failures {
                println!("{}, {threads} threads, {tool}: {failure}", bench.name);
                is_good = false;
            }
            lines.push(Line { name: bench.name.clone(), threads: *threads, row });
        }
    }
    let mut document = String::new();
    show_times(&tools, &lines, &mut document)?;
    show_memory(&tools, &lines, &mut document)?;
    if !args.baseline {
        show_columns(&lines, &mut document)?;
        is_good &= show_bars(&lines, &mut document)?;
    }
    if let Some(file) = &args.out {
        std::fs::write(file, &document)
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(is_good)
}

impl Args {
    fn executables(&self, common: &Common) -> anyhow::Result<Executables> {
        let gcc = Compiler::named(&self.gcc)?;
        let clang = match &self.clang {
            Some(name) => Compiler::named(name)?,
            None => newest_clang(&Compiler::installed()).cloned().context("there is no clang")?,
        };
        println!("gcc is {}; clang is {}.", gcc.version, clang.version);
        Ok(Executables::new(gcc, clang, common.root().join("target/bench-threads")))
    }

    fn measures(&self, code: Code) -> bool {
        let is_named = |name: &str| self.codes.iter().any(|other| other == name);
        match code {
            Code::Native => true,
            Code::Gcc => is_named("gcc"),
            Code::Clang => is_named("clang"),
        }
    }

    fn runs(&self) -> usize {
        self.runs.unwrap_or(if self.quick { QUICK_RUNS } else { RUNS }).max(1)
    }
}

/// All runs of one bench with one number of threads.
struct Trial<'a> {
    args: &'a Args,
    bench: &'a Bench,
    threads: u32,
    /// The first thing that went wrong with each tool, which is not run again then.
    failures: BTreeMap<Tool, String>,
}

impl Trial<'_> {
    /// Its figures. Tools take turns, so that all of them have the machine as it is at the time. `printed` is what the bench has to print.
    fn row(
        &mut self,
        tools: &[Tool],
        executables: &Executables,
        runner: &Runner,
        printed: &mut Option<String>,
    ) -> anyhow::Result<Row> {
        let arguments = self.arguments();
        let mut built = BTreeMap::new();
        for code in [Code::Native, Code::Gcc, Code::Clang] {
            let executable = executables.build(self.bench, code);
            built.insert(code, executable.with_context(|| self.bench.name.clone())?);
        }
        let mut measured: BTreeMap<Tool, Vec<Measured>> = BTreeMap::new();
        for _ in 0..self.args.runs() {
            for tool in tools.iter().filter(|tool| built.contains_key(&tool.code())) {
                if self.failures.contains_key(tool) {
                    continue;
                }
                match runner.measure(*tool, &built[&tool.code()], &arguments) {
                    Ok(run) => {
                        let expected = printed.get_or_insert_with(|| run.printed.clone());
                        if run.printed != *expected {
                            let text = format!("it prints `{}`, not `{expected}`", run.printed);
                            self.failures.insert(*tool, text);
                        }
                        measured.entry(*tool).or_default().push(run);
                    }
                    Err(error) => {
                        self.failures.insert(*tool, format!("{error:#}"));
                    }
                }
            }
        }
        let mut row = Row::default();
        row.figures
            .extend(measured.iter().filter_map(|(tool, runs)| Some((*tool, figures_of(runs)?))));
        for (tool, runs) in &measured {
            // The same code for both: that of clang.
            if let (Tool::Warpsan(Code::Clang, detector), Some(run)) = (tool, runs.last()) {
                row.statistics.extend(run.statistics.clone().map(|found| (*detector, found)));
            }
        }
        Ok(row)
    }

    fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["--threads".to_owned(), self.threads.to_string()];
        if let Some(size) = self.bench.small_size().filter(|_| self.args.quick) {
            arguments.extend(["--size".to_owned(), size.to_string()]);
        }
        arguments
    }
}

/// Prints a table, and adds it to the document.
fn show(
    title: &str,
    header: &[String],
    rows: &[Vec<String>],
    document: &mut String,
) -> anyhow::Result<()> {
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    println!("\n{title}");
    table::print(&header, rows);
    write!(document, "{title}\n\n{}\n", table::markdown(&header, rows))?;
    Ok(())
}

fn or_dash(number: Option<f64>, decimals: usize) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.decimals$}"))
}

/// The start of a row, then a cell for each tool.
fn row_of(line: &Line, cells: impl Iterator<Item = String>) -> Vec<String> {
    [line.name.clone(), line.threads.to_string()].into_iter().chain(cells).collect()
}

/// How many times as much as natively a tool takes of something.
fn times_native(line: &Line, tool: Tool, of: fn(&Figures) -> f64) -> Option<f64> {
    Some(of(line.row.figures.get(&tool)?) / of(line.row.figures.get(&Tool::Native)?))
}

/// The last row: means over all benches.
fn means(tools: &[Tool], lines: &[Line], of: fn(&Figures) -> f64) -> Vec<String> {
    let mean = |tool: &Tool| {
        let all: Vec<f64> = lines.iter().filter_map(|line| times_native(line, *tool, of)).collect();
        or_dash((!all.is_empty()).then(|| geometric_mean(&all)), 2)
    };
    let start = ["geometric mean / native".to_owned(), String::new()];
    start.into_iter().chain(tools.iter().map(mean)).collect()
}

fn header(first: &str, tools: &[Tool]) -> Vec<String> {
    let start = ["bench".to_owned(), "threads".to_owned(), first.to_owned()];
    start.into_iter().chain(tools.iter().skip(1).map(ToString::to_string)).collect()
}

fn show_times(tools: &[Tool], lines: &[Line], document: &mut String) -> anyhow::Result<()> {
    let seconds: fn(&Figures) -> f64 = |figures| figures.seconds;
    let cell = |line: &Line, tool: &Tool| match tool {
        Tool::Native => or_dash(line.row.figures.get(tool).map(seconds), 3),
        _ => or_dash(times_native(line, *tool, seconds), 2),
    };
    let mut rows: Vec<Vec<String>> =
        lines.iter().map(|line| row_of(line, tools.iter().map(|tool| cell(line, tool)))).collect();
    rows.push(means(tools, lines, seconds));
    let title = "Seconds of the clock natively, and how many times as long the others take";
    show(title, &header("native s", tools), &rows, document)
}

fn show_memory(tools: &[Tool], lines: &[Line], document: &mut String) -> anyhow::Result<()> {
    let bytes: fn(&Figures) -> f64 = |figures| figures.bytes;
    let cell = |line: &Line, tool: &Tool| {
        or_dash(line.row.figures.get(tool).map(|figures| figures.bytes / 1e6), 1)
    };
    let mut rows: Vec<Vec<String>> =
        lines.iter().map(|line| row_of(line, tools.iter().map(|tool| cell(line, tool)))).collect();
    rows.push(means(tools, lines, bytes));
    show("Peak resident memory in MB", &header("native", tools), &rows, document)
}

fn show_columns(lines: &[Line], document: &mut String) -> anyhow::Result<()> {
    let cells = |line: &Line| -> Vec<String> {
        let figure = |column: &Column| {
            column
                .show(line.row.statistics.get(column.detector).and_then(|found| found.get(column)))
        };
        row_of(line, COLUMNS.iter().map(figure))
    };
    let start = ["bench".to_owned(), "threads".to_owned()];
    let header: Vec<String> =
        start.into_iter().chain(COLUMNS.iter().map(|column| column.header.to_owned())).collect();
    let rows: Vec<Vec<String>> = lines.iter().map(cells).collect();
    show("Metadata, as in SlimFast's table 3.1", &header, &rows, document)
}

/// Says which bars are reached; true if all are.
fn show_bars(lines: &[Line], document: &mut String) -> anyhow::Result<bool> {
    let all = bars(lines.iter().map(|line| &line.row));
    let row = |bar: &Bar| {
        let relation = if bar.is_least { "at least" } else { "at most" };
        let reached = if bar.is_reached() { "yes" } else { "NO" };
        let wanted = format!("{relation} {}", bar.allowed);
        vec![bar.name.to_owned(), or_dash(bar.mean, 2), wanted, reached.to_owned()]
    };
    let header = ["bar", "geometric mean", "wanted", "reached"].map(str::to_owned);
    show("Bars", &header, &all.iter().map(row).collect::<Vec<_>>(), document)?;
    Ok(all.iter().all(Bar::is_reached))
}
