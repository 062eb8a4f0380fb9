//! `bench-simt`: how fast the CPU engine runs kernels without a detector.

use std::path::Path;

use anyhow::Context;
use warpsan_testkit::engine_speed::{
    Native, NativeError, Throughput, against_native, geometric_mean, throughput_of_arithmetic,
    throughput_of_memory, workloads,
};
use warpsan_toolchain::{Search, Toolchain};

use super::{Common, fetch, table};

/// Millions of warp instructions per second that every release has to reach in arithmetic.
const WANTED_ARITHMETIC: f64 = 40.0;
/// The same for a kernel that is bound by memory.
const WANTED_MEMORY: f64 = 15.0;
/// How many times longer than native code the engine may take, as the mean of the algorithms.
const ALLOWED_RATIO: f64 = 12.0;

/// Measure the CPU engine with detector `none`, beside native code
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How often everything is run; the median counts
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    repetitions: usize,
}

/// Measures one kernel.
type Measure = fn(&Toolchain, &Path, usize) -> anyhow::Result<Throughput>;

/// True if the engine is fast enough in all that was measured.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let suite = common.root().join("suites/bench");
    let mut ask = |offer: &_| fetch::decide(offer, common.yes);
    let search = Search::new(common.cuda_path.clone());
    let toolchain = search.find_or_install(&mut ask, &mut fetch::FetchProgress::default())?;
    let repetitions = args.repetitions.max(1);
    println!("Processor times, medians of {repetitions}, detector `none`.");
    let is_fast = throughput(&toolchain, &suite, common, repetitions)?;
    let is_near_native = ratios(&toolchain, &suite, common, repetitions)?;
    Ok(is_fast && is_near_native)
}

/// The instructions per second of both kernels.
fn throughput(
    toolchain: &Toolchain,
    suite: &Path,
    common: &Common,
    repetitions: usize,
) -> anyhow::Result<bool> {
    let kernels: [(&str, Measure, f64); 2] = [
        ("arithmetic", throughput_of_arithmetic, WANTED_ARITHMETIC),
        ("memory", throughput_of_memory, WANTED_MEMORY),
    ];
    let (mut rows, mut is_fast) = (Vec::new(), true);
    for (name, measure, wanted) in kernels.into_iter().filter(|(name, ..)| common.takes(name)) {
        eprintln!("{name}");
        let measured = measure(toolchain, suite, repetitions).context(name)?;
        is_fast &= measured.millions_per_second() >= wanted;
        rows.push(vec![
            name.to_owned(),
            measured.size.clone(),
            format!("{:.1}", measured.warp_instructions as f64 / 1e6),
            format!("{:.0}", measured.seconds * 1e3),
            format!("{:.1}", measured.millions_per_second()),
            format!("{wanted:.0}"),
        ]);
    }
    if rows.is_empty() {
        return Ok(true);
    }
    let header =
        ["kernel", "size", "M warp instructions", "engine ms", "M/s on one core", "wanted"];
    table::print(&header, &rows);
    Ok(is_fast)
}

/// The engine's time beside that of native code.
fn ratios(
    toolchain: &Toolchain,
    suite: &Path,
    common: &Common,
    repetitions: usize,
) -> anyhow::Result<bool> {
    let native = match Native::build(suite) {
        Ok(native) => native,
        Err(NativeError::NoCompiler) => {
            println!("There is no g++ here, so nothing is compared with native code.");
            return Ok(true);
        }
        Err(NativeError::Broken(message)) => anyhow::bail!("the native code: {message}"),
    };
    let (mut rows, mut ratios) = (Vec::new(), Vec::new());
    for workload in workloads().iter().filter(|workload| common.takes(workload.name)) {
        eprintln!("{}", workload.name);
        let measured = against_native(toolchain, suite, &native, workload, repetitions)
            .context(workload.name)?;
        let instructions = measured.warp_instructions as f64 / 1e6;
        ratios.push(measured.ratio());
        rows.push(vec![
            workload.name.to_owned(),
            workload.size.clone(),
            format!("{instructions:.2}"),
            format!("{:.1}", instructions / measured.engine_seconds),
            format!("{:.1}", measured.engine_seconds * 1e3),
            format!("{:.2}", measured.native_seconds * 1e3),
            format!("{:.1}", measured.ratio()),
        ]);
    }
    if ratios.is_empty() {
        return Ok(true);
    }
    let header =
        ["algorithm", "size", "M warp instructions", "M/s", "engine ms", "g++ -O2 ms", "ratio"];
    println!();
    table::print(&header, &rows);
    let mean = geometric_mean(&ratios);
    println!(
        "The geometric mean of the ratios is {mean:.1}; at most {ALLOWED_RATIO:.0} is wanted."
    );
    Ok(mean <= ALLOWED_RATIO)
}
