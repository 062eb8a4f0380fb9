//! `bench-ptx`: how fast the PTX of CUB and Thrust is parsed.

use anyhow::Context;
use warpsan_testkit::corpus::{Architecture, Mode, Unit};
use warpsan_testkit::parse_speed::measure;

use super::{Bench, Common, table};

/// The speed that every release has to reach, in megabytes per second.
const WANTED: f64 = 60.0;

/// Measure the parser on the PTX of CUB and Thrust, on one core, beside ptxas
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How often each text is parsed; the median counts
    #[arg(long, value_name = "NUMBER", default_value_t = 15)]
    repetitions: usize,
}

/// True if the parser is fast enough on all texts together.
pub(crate) fn run(args: &Args, common: &Common) -> anyhow::Result<bool> {
    let bench = Bench::set_up(common, false)?;
    let sm_90 = Architecture::parse("90");
    let is_wanted = |unit: &Unit| {
        unit.source.is_large()
            && Some(&unit.architecture) == sm_90.as_ref()
            && matches!(unit.mode, Mode::Optimised | Mode::Debug)
    };
    let units: Vec<Unit> = bench.units(common).into_iter().filter(is_wanted).collect();
    anyhow::ensure!(
        !units.is_empty(),
        "no source for sm_90 that uses CUB or Thrust has such a name"
    );
    let (mut rows, mut bytes, mut parse, mut ptxas) = (Vec::new(), 0, 0.0, 0.0);
    for unit in &units {
        eprintln!("{unit}");
        let measured = measure(&bench.compilers, unit, args.repetitions.max(1))
            .with_context(|| unit.to_string())?;
        bytes += measured.bytes;
        parse += measured.parse.as_secs_f64();
        ptxas += measured.ptxas.as_secs_f64();
        rows.push(row(
            format!("{} {}", unit.source.name, unit.mode),
            measured.bytes,
            measured.parse.as_secs_f64(),
            measured.ptxas.as_secs_f64(),
        ));
    }
    rows.push(row("all".to_owned(), bytes, parse, ptxas));
    table::print(&["file", "kB", "MB/s", "parse ms", "ptxas ms", "ptxas / parse"], &rows);
    let speed = bytes as f64 / 1e6 / parse;
    println!("{speed:.0} MB/s over all; at least {WANTED:.0} are wanted");
    Ok(speed >= WANTED)
}

fn row(name: String, bytes: usize, parse: f64, ptxas: f64) -> Vec<String> {
    vec![
        name,
        format!("{:.0}", bytes as f64 / 1e3),
        format!("{:.1}", bytes as f64 / 1e6 / parse),
        format!("{:.2}", parse * 1e3),
        format!("{:.1}", ptxas * 1e3),
        format!("{:.0}", ptxas / parse),
    ]
}
