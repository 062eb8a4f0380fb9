//! Measurements. Each is a row of [`BENCHES`] and a module of its own below.

mod detect;
mod ptx;
mod simt;
mod startup;

use anyhow::bail;

/// One thing that can be measured.
struct Bench {
    name: &'static str,
    about: &'static str,
    run: fn() -> anyhow::Result<()>,
}

const BENCHES: &[Bench] = &[
    Bench {
        name: "detect",
        about: "what race detection costs on the CPU engine: time with detector `hb` beside `none`, and shadow memory",
        run: detect::run,
    },
    Bench {
        name: "ptx",
        about: "how fast the PTX of CUB and Thrust is parsed on one core, beside the time of ptxas",
        run: ptx::run,
    },
    Bench {
        name: "simt",
        about: "how fast the CPU engine runs kernels on one core, beside `g++ -O2` code of the same algorithms",
        run: simt::run,
    },
    Bench {
        name: "startup",
        about: "how long `warpsan run` takes to start a trivial program, beside its own time, and one with 20 MB of code",
        run: startup::run,
    },
];

/// Prints what can be measured.
pub(crate) fn list() {
    for bench in BENCHES {
        println!("cargo xtask bench {:8}  {}", bench.name, bench.about);
    }
}

/// Runs the measurement of that name.
pub(crate) fn run(name: &str) -> anyhow::Result<()> {
    match BENCHES.iter().find(|bench| bench.name == name) {
        Some(bench) => (bench.run)(),
        None => bail!("there is no bench `{name}`; `cargo xtask bench` lists them"),
    }
}
