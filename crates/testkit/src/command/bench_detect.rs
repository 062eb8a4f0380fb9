//! `bench-detect`: what detecting races costs on the CPU engine.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use warpsan_testkit::detector_cost::{
    COMPARED, Cost, TraceCost, WITHOUT_VOLATILE, Workloads, cost, cost_of_sets, cost_on_trace,
};
use warpsan_testkit::engine_speed::geometric_mean;
use warpsan_testkit::traces::record;

use super::{Common, table, warpsan};

/// How many times longer than with `none` a run may take, as the mean of the workloads.
const ALLOWED_RATIO: f64 = 3.0;
/// Shadow bytes for each byte touched, where warps access neighbouring bytes.
const ALLOWED_SHADOW_COALESCED: f64 = 2.0;
/// The same for any workload.
const ALLOWED_SHADOW: f64 = 16.0;

/// How many times longer than reading a trace `curd` may take over it, where barriers are the only synchronisation.
const ALLOWED_RATIO_OF_SETS: f64 = 2.0;

/// How many times longer than with `none` a launch may take with `ld`, as the mean of its programs.
const ALLOWED_RATIO_OF_COPIES: f64 = 8.0;

/// The programs that `ld` is measured on, and their size.
const PROGRAMS_OF_COPIES: &str = "suites/ld";

/// The applications whose traces all detectors are measured on.
const APPLICATIONS: &str = "suites/scor/apps";

/// Measure detector `hb` beside `none` on the CPU engine, and its shadow memory; `curd` over traces of kernels that have barriers
/// only; `ld` on programs of its own, at their paper's sizes; and all detectors over traces of whole programs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How often everything is run; the median counts
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    repetitions: usize,
    /// How much the applications have to do: `small`, or `paper` for the sizes of their paper, which takes hours
    #[arg(long, value_name = "NAME", default_value = "small")]
    size: String,
    /// The warpsan that records them, where it is not the one beside this command
    #[arg(long, value_name = "FILE")]
    warpsan: Option<PathBuf>,
}

/// True if time and memory are within their bars.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let parts = [
        run_kernels(args, common)?,
        run_sets(args, common)?,
        run_copies(args, common)?,
        run_applications(args, common)?,
    ];
    anyhow::ensure!(parts.iter().any(Option::is_some), "nothing has such a name");
    Ok(parts.into_iter().flatten().all(|is_good| is_good))
}

/// The detector `curd` on kernels with barriers only; nothing if no such workload was asked for.
fn run_sets(args: &Args, common: &Common) -> anyhow::Result<Option<bool>> {
    let workloads = Workloads::new();
    let suite = common.root().join("suites/bench");
    let (mut rows, mut ratios, mut is_good) = (Vec::new(), Vec::new(), true);
    for workload in workloads.iter().filter(|workload| common.takes(workload.name)) {
        let costs = cost_of_sets(&common.toolchain()?, &suite, workload, args.repetitions)
            .context(workload.name)?;
        let Some([none, curd]) = costs else { continue };
        if let Some(race) = &curd.race {
            println!("{}: curd reports a race, and the kernel has none: {race}", workload.name);
            is_good = false;
        }
        let ratio = curd.seconds / none.seconds;
        let mut row = vec![workload.name.to_owned(), workload.size.clone()];
        row.extend([none.seconds, curd.seconds].map(|seconds| format!("{:.1}", seconds * 1e3)));
        row.push(format!("{ratio:.2}"));
        row.push(
            curd.shadow_bytes
                .map_or_else(String::new, |bytes| format!("{:.1}", bytes as f64 / 1e3)),
        );
        rows.push(row);
        ratios.push(ratio);
    }
    if rows.is_empty() {
        return Ok(None);
    }
    println!("\nOver traces of kernels that have barriers only; `none` reads the trace.");
    table::print(&["kernel", "size", "none ms", "curd ms", "curd / none", "curd kB"], &rows);
    let mean = geometric_mean(&ratios);
    println!(
        "The geometric mean of curd / none is {mean:.2}; at most {ALLOWED_RATIO_OF_SETS} is wanted."
    );
    Ok(Some(is_good && mean <= ALLOWED_RATIO_OF_SETS))
}

/// The detector `ld`, which executes kernels itself; nothing if no program of its was asked for.
fn run_copies(args: &Args, common: &Common) -> anyhow::Result<Option<bool>> {
    let folder = common.root().join(PROGRAMS_OF_COPIES);
    let programs = programs_in(&folder, common)?;
    if programs.is_empty() {
        return Ok(None);
    }
    let command = warpsan(args.warpsan.as_deref())?;
    let (mut rows, mut ratios) = (Vec::new(), Vec::new());
    for (name, source) in &programs {
        eprintln!("{name}");
        let built = common.toolchain()?.compile_program(source, &[])?;
        let [none, ld] = time_of_launches(&command, &built.path, ["none", "ld"], args.repetitions)
            .with_context(|| name.clone())?;
        ratios.push(ld / none);
        rows.push(vec![
            name.clone(),
            format!("{none:.2}"),
            format!("{ld:.2}"),
            format!("{:.2}", ld / none),
        ]);
    }
    println!("\nTime of a launch, programs of {PROGRAMS_OF_COPIES} at the sizes of their paper.");
    table::print(&["program", "none ms", "ld ms", "ld / none"], &rows);
    let mean = geometric_mean(&ratios);
    println!(
        "The geometric mean of ld / none is {mean:.2}; at most {ALLOWED_RATIO_OF_COPIES} is wanted."
    );
    Ok(Some(mean <= ALLOWED_RATIO_OF_COPIES))
}

/// The CUDA files of a folder that were asked for, by name.
fn programs_in(folder: &Path, common: &Common) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let unlisted = || format!("cannot list {}", folder.display());
    let mut programs = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(unlisted)? {
        let path = entry.with_context(unlisted)?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|ending| ending == "cu") && common.takes(&name) {
            programs.push((name, path));
        }
    }
    programs.sort();
    Ok(programs)
}

/// The median time of a launch, which the program measures itself, with each detector in turn.
fn time_of_launches(
    warpsan: &Path,
    program: &Path,
    detectors: [&str; 2],
    repetitions: usize,
) -> anyhow::Result<[f64; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..repetitions.max(1) {
        for (times, detector) in times.iter_mut().zip(detectors) {
            let ended = Command::new(warpsan)
                .args(["run", "--quiet", "--detector", detector, "--"])
                .arg(program)
                .args(["--size", "paper", "--time"])
                .output()
                .context("cannot run warpsan")?;
            anyhow::ensure!(ended.status.success(), "with {detector}: {}", ended.status);
            let said = String::from_utf8_lossy(&ended.stdout);
            let time = said.split("ms per launch").nth(1).and_then(|text| text.lines().next());
            times.push(time.context("no time")?.trim().parse::<f64>()?);
        }
    }
    Ok(times.map(|mut all| {
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    }))
}

/// All detectors over the same traces; nothing if no application was asked for.
fn run_applications(args: &Args, common: &Common) -> anyhow::Result<Option<bool>> {
    let folder = common.root().join(APPLICATIONS);
    let programs = programs_in(&folder, common)?;
    if programs.is_empty() {
        return Ok(None);
    }
    let command = warpsan(args.warpsan.as_deref())?;
    let (mut rows, mut by_its_rules, mut is_good) = (Vec::new(), Vec::new(), true);
    for (name, program) in &programs {
        eprintln!("{name}");
        let costs = costs_of(&command, program, args).with_context(|| name.clone())?;
        for (detector, cost) in COMPARED.iter().zip(&costs) {
            match &cost.race {
                Some(_) if WITHOUT_VOLATILE.contains(detector) => by_its_rules.push(name.as_str()),
                Some(race) => {
                    println!("{name}: {detector} reports a race, and the program has none: {race}");
                    is_good = false;
                }
                None => {}
            }
        }
        rows.push(row_of_application(name, &costs));
    }
    let mut header = vec!["application".to_owned()];
    header.extend(COMPARED.map(|detector| format!("{detector} ms")));
    header.extend(COMPARED[1..].iter().map(|detector| format!("{detector} / none")));
    header.extend(COMPARED[1..].iter().map(|detector| format!("{detector} kB")));
    println!("\nOver traces of {APPLICATIONS}, size {}; `none` reads the trace.", args.size);
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    table::print(&header, &rows);
    by_its_rules.dedup();
    if !by_its_rules.is_empty() {
        let [one, other] = WITHOUT_VOLATILE;
        println!("{one} or {other} report races, by their rules, in {}.", by_its_rules.join(", "));
    }
    Ok(Some(is_good))
}

fn costs_of(warpsan: &Path, program: &Path, args: &Args) -> anyhow::Result<Vec<TraceCost>> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let trace = record(warpsan, program, &["--size", &args.size], folder.path())?;
    COMPARED.iter().map(|detector| cost_on_trace(&trace, detector, args.repetitions)).collect()
}

fn row_of_application(name: &str, costs: &[TraceCost]) -> Vec<String> {
    let kilobytes = |cost: &TraceCost| {
        cost.shadow_bytes
            .map_or_else(|| "?".to_owned(), |bytes| format!("{:.1}", bytes as f64 / 1e3))
    };
    let mut row = vec![name.to_owned()];
    row.extend(costs.iter().map(|cost| format!("{:.1}", cost.seconds * 1e3)));
    row.extend(costs[1..].iter().map(|cost| format!("{:.2}", cost.seconds / costs[0].seconds)));
    row.extend(costs[1..].iter().map(kilobytes));
    row
}

/// The detector `hb` while kernels run; nothing if no workload was asked for.
fn run_kernels(args: &Args, common: &Common) -> anyhow::Result<Option<bool>> {
    let workloads = Workloads::new();
    let chosen: Vec<_> = workloads.iter().filter(|workload| common.takes(workload.name)).collect();
    if chosen.is_empty() {
        return Ok(None);
    }
    let suite = common.root().join("suites/bench");
    let toolchain = common.toolchain()?;
    let repetitions = args.repetitions.max(1);
    println!(
        "Processor times in ms, medians of {repetitions}. `events`: the engine emits what `hb` needs, and nobody listens."
    );
    let (mut rows, mut costs) = (Vec::new(), Vec::new());
    for workload in chosen {
        eprintln!("{}", workload.name);
        let measured = cost(&toolchain, &suite, workload, repetitions).context(workload.name)?;
        rows.push(row(workload.name, &workload.size, &measured));
        costs.push((workload.name, measured));
    }
    let header = [
        "kernel",
        "size",
        "none",
        "events",
        "hb",
        "events / none",
        "hb / none",
        "touched kB",
        "shadow kB",
        "shadow / touched",
        "allowed",
    ];
    table::print(&header, &rows);
    Ok(Some(judge(&costs)))
}

fn row(name: &str, size: &str, cost: &Cost) -> Vec<String> {
    let unknown = || "?".to_owned();
    vec![
        name.to_owned(),
        size.to_owned(),
        format!("{:.1}", cost.none_seconds * 1e3),
        format!("{:.1}", cost.events_seconds * 1e3),
        format!("{:.1}", cost.detector_seconds * 1e3),
        format!("{:.2}", cost.events_ratio()),
        format!("{:.2}", cost.ratio()),
        format!("{:.1}", cost.touched_bytes as f64 / 1e3),
        cost.shadow_bytes.map_or_else(unknown, |bytes| format!("{:.1}", bytes as f64 / 1e3)),
        cost.shadow_per_byte().map_or_else(unknown, |bytes| format!("{bytes:.2}")),
        match cost.is_coalesced {
            true => format!("{} (coalesced)", allowed_shadow(cost)),
            false => allowed_shadow(cost).to_string(),
        },
    ]
}

fn allowed_shadow(cost: &Cost) -> f64 {
    if cost.is_coalesced { ALLOWED_SHADOW_COALESCED } else { ALLOWED_SHADOW }
}

/// Says what is not within its bar.
fn judge(costs: &[(&str, Cost)]) -> bool {
    let mean = |of: fn(&Cost) -> f64| {
        geometric_mean(&costs.iter().map(|(_, cost)| of(cost)).collect::<Vec<_>>())
    };
    let (ratio, events_ratio) = (mean(Cost::ratio), mean(Cost::events_ratio));
    println!(
        "The geometric mean of hb / none is {ratio:.2}; at most {ALLOWED_RATIO} is wanted. That of events / none is {events_ratio:.2}."
    );
    let mut is_good = ratio <= ALLOWED_RATIO;
    for (name, cost) in costs {
        if let Some(race) = &cost.race {
            println!("{name}: a race was reported, and the kernel has none: {race}");
            is_good = false;
        }
        match cost.shadow_per_byte() {
            Some(bytes) if bytes <= allowed_shadow(cost) => {}
            Some(bytes) => {
                let allowed = allowed_shadow(cost);
                println!("{name}: {bytes:.2} shadow bytes per byte touched; {allowed} are allowed");
                is_good = false;
            }
            None => {
                println!("{name}: the detector does not say how much shadow memory it has");
                is_good = false;
            }
        }
    }
    is_good
}
