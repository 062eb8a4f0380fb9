//! `engine`: the same kernel under the detectors `hb` and `none`, as a ratio of wall-clock times.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::process::{cargo, run as run_command, workspace_root};

/// How often each detector runs; the median counts.
const REPETITIONS: usize = 7;

/// Builds warpsan with optimisation, measures both detectors in turn and prints the ratio.
pub(crate) fn run() -> anyhow::Result<()> {
    run_command(&mut cargo(&["build", "--release", "--package", "warpsan-cli"]))?;
    let warpsan = workspace_root().join("target/release/warpsan");
    let program = workspace_root().join("xtask/src/bench/engine.cu");

    // One run ahead of the others compiles the kernel into the cache.
    time(&warpsan, &program, "none")?;
    let mut none = Vec::new();
    let mut hb = Vec::new();
    for _ in 0..REPETITIONS {
        none.push(time(&warpsan, &program, "none")?);
        hb.push(time(&warpsan, &program, "hb")?);
    }
    let (none, hb) = (median(none), median(hb));
    println!("none  {:8.1} ms", none.as_secs_f64() * 1e3);
    println!("hb    {:8.1} ms", hb.as_secs_f64() * 1e3);
    println!("ratio {:8.2}", hb.as_secs_f64() / none.as_secs_f64());
    Ok(())
}

/// The wall-clock time of one check, which has to end without a race.
fn time(warpsan: &Path, program: &Path, detector: &str) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let output = std::process::Command::new(warpsan)
        .args(["check", "--detector", detector])
        .arg(program)
        .output()
        .with_context(|| format!("cannot start {}", warpsan.display()))?;
    let elapsed = start.elapsed();
    if !output.status.success() {
        bail!(
            "warpsan check --detector {detector} ended with {}:\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(elapsed)
}

/// The middle one of an odd number of measurements.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::{Duration, median};

    #[test]
    fn the_median_is_the_middle_one() {
        let times = [5, 1, 9].map(Duration::from_secs).to_vec();
        assert_eq!(median(times), Duration::from_secs(5));
    }
}
