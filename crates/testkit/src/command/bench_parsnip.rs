//! `bench-parsnip`: the programs of `suites/parsnip` on the model of a multicore with PARSNIP, beside the thesis' figures.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::Context;
use serde_json::Value;
use warpsan_hardware::parsnip::thesis;
use warpsan_testkit::engine_speed::geometric_mean;

use super::{Common, table, warpsan};

/// What the thesis says, in the mean: the slowdown, and how many times as long without buffers and without prediction.
const THESIS: [f64; 3] =
    [thesis::MEAN_SLOWDOWN, thesis::WITHOUT_BUFFERS, thesis::WITHOUT_PREDICTION];

/// Record the programs of `suites/parsnip`, and run them on the model of PARSNIP: cycles of an instruction beside those without
/// detection, with parts switched off, what resolves checks, what is expensive, and how fast the model is
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Numbers of threads, as in figure 4.8
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "2,4,8,16")]
    threads: Vec<u32>,
    /// How much work there is
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    scale: u32,
    /// Cores take turns of so many accesses, in place of the order of the recording
    #[arg(long, value_name = "NUMBER")]
    turns: Option<u32>,
    /// Instructions for each access, in place of those that were counted
    #[arg(long, value_name = "NUMBER")]
    instructions: Option<f64>,
    /// The C compiler
    #[arg(long, value_name = "NAME", default_value = "gcc")]
    compiler: String,
    /// The warpsan to run, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// What is known of a program with some threads.
struct Measured {
    name: String,
    /// Times as long as without detection.
    slowdown: f64,
    /// Times as long as PARSNIP as it is: without buffers, without prediction, with lines in first caches, with lines in all.
    variants: [f64; 4],
    /// Parts of checks: references, own table, other tables, buffers, software.
    sources: Vec<f64>,
    /// In a thousand instructions: drains, rejections, software checks.
    events: [f64; 3],
    /// Parts of what detection costs: lines, missing lines, own table, other tables, software checks, drains.
    costs: [f64; 6],
    races: u64,
    /// Accesses a second, in millions, of one machine on one core.
    speed: f64,
}

/// True if no program races.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let command = warpsan(args.warpsan.as_deref())?;
    let suite = common.root().join("suites/parsnip");
    let work = common.root().join("target/parsnip");
    let mut programs = counted(&suite.join("instructions.txt"))?;
    programs.retain(|(name, _)| common.takes(name));
    anyhow::ensure!(!programs.is_empty(), "no program has such a name");
    let mut by_threads = Vec::new();
    for threads in &args.threads {
        let mut measured = Vec::new();
        for (name, instructions) in &programs {
            eprintln!("{name}, {threads} threads");
            let program = build(&args.compiler, &suite, &work, name)?;
            let trace = work.join(format!("traces/{threads}/{name}"));
            record(&command, &program, &trace, *threads, args.scale)?;
            let instructions = args.instructions.unwrap_or(*instructions);
            std::fs::write(trace.join("instructions-per-access"), instructions.to_string())?;
            measured.push(measure(args, &command, name, &trace)?);
            std::fs::remove_dir_all(&trace)?;
        }
        by_threads.push((*threads, measured));
    }
    for (threads, measured) in &by_threads {
        println!("\n{threads} threads");
        print(measured);
    }
    print_scaling(&by_threads);
    Ok(by_threads.iter().flat_map(|(_, measured)| measured).all(|one| one.races == 0))
}

/// The programs with their instructions for each access.
fn counted(file: &Path) -> anyhow::Result<Vec<(String, f64)>> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, number) = line.split_once(' ').context("a name and a number")?;
            Ok((name.to_owned(), number.parse()?))
        })
        .collect()
}

fn build(compiler: &str, suite: &Path, work: &Path, name: &str) -> anyhow::Result<PathBuf> {
    std::fs::create_dir_all(work)?;
    let program = work.join(name);
    let mut command = Command::new(compiler);
    command.args(["-std=gnu11", "-O3", "-fno-tree-vectorize", "-g", "-fsanitize=thread"]);
    command.arg("-pthread").arg("-o").arg(&program);
    command.arg(suite.join(format!("{name}.c"))).arg("-lm");
    let status = command.status().with_context(|| format!("cannot run {compiler}"))?;
    anyhow::ensure!(status.success(), "{compiler} cannot build {name}");
    Ok(program)
}

fn record(
    warpsan: &Path,
    program: &Path,
    trace: &Path,
    threads: u32,
    scale: u32,
) -> anyhow::Result<()> {
    if trace.exists() {
        std::fs::remove_dir_all(trace)?;
    }
    std::fs::create_dir_all(trace)?;
    let mut command = Command::new(warpsan);
    command.args(["run", "--allow-idle", "--record-trace"]).arg(trace).arg("--").arg(program);
    command.arg("--threads").arg(threads.to_string()).arg("--scale").arg(scale.to_string());
    let output = command.output().context("warpsan run")?;
    anyhow::ensure!(
        output.status.success(),
        "warpsan cannot record {}: {}",
        program.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

fn measure(args: &Args, warpsan: &Path, name: &str, trace: &Path) -> anyhow::Result<Measured> {
    let mut command = Command::new(warpsan);
    command.args(["hardware", "--model", "parsnip", "--format", "json"]).arg(trace);
    if let Some(turns) = args.turns {
        command.arg("--turns").arg(turns.to_string());
    }
    let output = command.output().context("warpsan hardware")?;
    anyhow::ensure!(
        output.status.success(),
        "warpsan hardware: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let all: Value = serde_json::from_slice(&output.stdout)?;
    let one = &all["traces"][0];
    let number = |value: &Value| value.as_f64().context("a number");
    let runs = &one["comparison"];
    let usual = &runs["parsnip"];
    let cycles = number(&usual["cycles"])?;
    let times = |run: &str| anyhow::Ok(number(&runs[run]["cycles"])? / cycles);
    let sources: Vec<f64> = usual["sources"]
        .as_array()
        .context("sources")?
        .iter()
        .map(number)
        .collect::<Result<_, _>>()?;
    let checks: f64 = sources.iter().sum();
    let instructions = number(&usual["instructions"])?;
    let event = |name: &str| anyhow::Ok(1000.0 * number(&usual["events"][name])? / instructions);
    let cost = |name: &str| number(&usual["costs"][name]);
    let costs = [
        cost("references")?,
        cost("missing_lines")?,
        cost("local_tables")?,
        cost("remote_tables")?,
        cost("software_checks")?,
        cost("drains")?,
    ];
    let all_costs: f64 = costs.iter().sum();
    let file = std::fs::read_dir(trace)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|ending| ending == "threads"))
        .context("a trace")?;
    let start = Instant::now();
    let replayed =
        Command::new(warpsan).args(["replay", "--detector", "parsnip"]).arg(file).output()?;
    let seconds = start.elapsed().as_secs_f64();
    anyhow::ensure!(replayed.status.success(), "{name} races, or cannot be replayed");
    Ok(Measured {
        name: name.to_owned(),
        slowdown: cycles / number(&usual["plain_cycles"])?,
        variants: [
            times("without_buffers")?,
            times("without_prediction")?,
            times("in_l1")?,
            times("in_llc")?,
        ],
        sources: sources.iter().map(|source| source / checks).collect(),
        events: [event("drains")?, event("rejections")?, event("software_checks")?],
        costs: costs.map(|cost| cost / all_costs.max(1.0)),
        races: one["races"].as_u64().context("races")?,
        speed: number(&usual["accesses"])? / seconds / 1e6,
    })
}

fn mean(measured: &[Measured], of: impl Fn(&Measured) -> f64) -> f64 {
    geometric_mean(&measured.iter().map(of).collect::<Vec<_>>())
}

fn print(measured: &[Measured]) {
    let times = |number: f64| format!("{number:.2}");
    let percent = |part: f64| format!("{:.1}", part * 100.0);
    let mut rows = Vec::new();
    for one in measured {
        let mut row = vec![one.name.clone(), times(one.slowdown)];
        row.extend(one.variants.map(times));
        row.extend(one.sources.iter().copied().map(percent));
        row.extend(one.costs.map(percent));
        row.extend(one.events.map(times));
        row.push(one.races.to_string());
        row.push(times(one.speed));
        rows.push(row);
    }
    let mut means = vec!["mean".to_owned(), times(mean(measured, |one| one.slowdown))];
    means.extend((0..4).map(|number| times(mean(measured, |one| one.variants[number]))));
    rows.push(means);
    let mut thesis = vec!["thesis".to_owned()];
    thesis.extend(THESIS.map(times));
    rows.push(thesis);
    let header = [
        "program",
        "slowdown",
        "no buffers",
        "no prediction",
        "in L1",
        "in LLC",
        "references %",
        "own %",
        "other %",
        "buffers %",
        "software %",
        "cost: lines %",
        "missing %",
        "own %",
        "other %",
        "checks %",
        "drains %",
        "drains/1k",
        "rejections/1k",
        "checks/1k",
        "races",
        "M/s",
    ];
    rows.iter_mut().for_each(|row| row.resize(header.len(), String::new()));
    table::print(&header, &rows);
}

/// Figure 4.8.
fn print_scaling(by_threads: &[(u32, Vec<Measured>)]) {
    println!("\nSlowdown by the number of threads");
    let mut header = vec!["program".to_owned()];
    header.extend(by_threads.iter().map(|(threads, _)| threads.to_string()));
    let Some((_, first)) = by_threads.first() else { return };
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (number, one) in first.iter().enumerate() {
        let mut row = vec![one.name.clone()];
        row.extend(by_threads.iter().map(|(_, all)| format!("{:.2}", all[number].slowdown)));
        rows.push(row);
    }
    let mut means = vec!["mean".to_owned()];
    means.extend(by_threads.iter().map(|(_, all)| format!("{:.2}", mean(all, |one| one.slowdown))));
    rows.push(means);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    table::print(&header, &rows);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_of_the_suite_is_counted() {
        let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/parsnip");
        let counted = counted(&suite.join("instructions.txt")).expect("the list is right");
        assert_eq!(counted.len(), 10);
        for (name, instructions) in &counted {
            assert!(suite.join(format!("{name}.c")).is_file(), "{name}");
            assert!(*instructions >= 1.0, "{name}");
        }
    }
}
