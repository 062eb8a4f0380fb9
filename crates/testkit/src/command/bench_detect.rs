//! `bench-detect`: what detecting races costs on the CPU engine.

use warpsan_testkit::detector_cost::{Cost, Workloads, cost};
use warpsan_testkit::engine_speed::geometric_mean;

use super::{Common, table};

/// How many times longer than with `none` a run may take, as the mean of the workloads.
const ALLOWED_RATIO: f64 = 3.0;
/// Shadow bytes for each byte touched, where warps access neighbouring bytes.
const ALLOWED_SHADOW_COALESCED: f64 = 2.0;
/// The same for any workload.
const ALLOWED_SHADOW: f64 = 16.0;

/// Measure detector `hb` beside `none` on the CPU engine, and its shadow memory
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How often everything is run; the median counts
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    repetitions: usize,
}

/// True if time and memory are within their bars.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let suite = common.root().join("suites/bench");
    let toolchain = common.toolchain()?;
    let repetitions = args.repetitions.max(1);
    println!(
        "Processor times in ms, medians of {repetitions}. `events`: the engine tells what `hb` wants, and nobody listens."
    );
    let (mut rows, mut costs) = (Vec::new(), Vec::new());
    for workload in Workloads::new().iter().filter(|workload| common.takes(workload.name)) {
        eprintln!("{}", workload.name);
        let measured = cost(&toolchain, &suite, workload, repetitions)
            .map_err(|message| anyhow::anyhow!("{}: {message}", workload.name))?;
        rows.push(row(workload.name, &workload.size, &measured));
        costs.push((workload.name, measured));
    }
    anyhow::ensure!(!costs.is_empty(), "no workload has such a name");
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
    Ok(judge(&costs))
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
    let (ratio, telling) = (mean(Cost::ratio), mean(Cost::events_ratio));
    println!(
        "The geometric mean of hb / none is {ratio:.2}; at most {ALLOWED_RATIO} is wanted. That of events / none is {telling:.2}."
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
