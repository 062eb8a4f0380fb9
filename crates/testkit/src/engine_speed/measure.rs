//! Repetitions and medians.

use std::path::Path;

use warpsan_toolchain::Toolchain;

use super::compare::difference;
use super::machine::Machine;
use super::native::Native;
use super::throughput;
use super::workload::Workload;

/// The speed of the engine on one kernel.
#[derive(Debug, Clone)]
pub struct Throughput {
    /// The kernel's size in words.
    pub size: String,
    /// Instructions, counted once for a warp.
    pub warp_instructions: u64,
    /// The median processor time.
    pub seconds: f64,
}

impl Throughput {
    /// Millions of warp instructions in a second of one core.
    pub fn millions_per_second(&self) -> f64 {
        self.warp_instructions as f64 / 1e6 / self.seconds
    }
}

/// The engine beside native code.
#[derive(Debug, Clone)]
pub struct AgainstNative {
    /// Instructions of the kernels, counted once for a warp.
    pub warp_instructions: u64,
    /// The median processor time of the engine.
    pub engine_seconds: f64,
    /// The median processor time of the native code.
    pub native_seconds: f64,
}

impl AgainstNative {
    /// How many times longer the engine takes.
    pub fn ratio(&self) -> f64 {
        self.engine_seconds / self.native_seconds
    }
}

/// Measures a kernel that does arithmetic in registers.
pub fn throughput_of_arithmetic(
    toolchain: &Toolchain,
    suite: &Path,
    repetitions: usize,
) -> anyhow::Result<Throughput> {
    let workload = throughput::arithmetic();
    throughput(toolchain, suite, &workload, throughput::check_arithmetic, repetitions)
}

/// Measures a kernel that streams through global memory.
pub fn throughput_of_memory(
    toolchain: &Toolchain,
    suite: &Path,
    repetitions: usize,
) -> anyhow::Result<Throughput> {
    let workload = throughput::memory();
    throughput(toolchain, suite, &workload, throughput::check_memory, repetitions)
}

fn throughput(
    toolchain: &Toolchain,
    suite: &Path,
    workload: &Workload,
    check: fn(&Workload, &[u8]) -> anyhow::Result<()>,
    repetitions: usize,
) -> anyhow::Result<Throughput> {
    let mut machine = Machine::new(toolchain, suite, workload)?;
    let (mut times, mut warp_instructions) = (Vec::new(), 0);
    for _ in 0..repetitions {
        let run = machine.run()?;
        check(workload, &run.output)?;
        times.push(run.seconds);
        warp_instructions = run.warp_instructions;
    }
    Ok(Throughput { size: workload.size.clone(), warp_instructions, seconds: median(times) })
}

/// Measures the engine and the native code in turn. An error if their results differ.
pub fn against_native(
    toolchain: &Toolchain,
    suite: &Path,
    native: &Native,
    workload: &Workload,
    repetitions: usize,
) -> anyhow::Result<AgainstNative> {
    let mut machine = Machine::new(toolchain, suite, workload)?;
    native.write_buffers(workload)?;
    let (mut engine_times, mut native_times, mut warp_instructions) = (Vec::new(), Vec::new(), 0);
    for _ in 0..repetitions {
        let by_native = native.run(workload)?;
        let by_engine = machine.run()?;
        if let Some(message) = difference(&by_engine.output, &by_native.output, workload.elements) {
            anyhow::bail!("the results differ: {message}");
        }
        native_times.push(by_native.seconds);
        engine_times.push(by_engine.seconds);
        warp_instructions = by_engine.warp_instructions;
    }
    let (engine_seconds, native_seconds) = (median(engine_times), median(native_times));
    Ok(AgainstNative { warp_instructions, engine_seconds, native_seconds })
}

/// The middle one of the times.
pub(crate) fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The mean of ratios.
pub fn geometric_mean(ratios: &[f64]) -> f64 {
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (logarithms / ratios.len() as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!(median(vec![5.0, 1.0, 9.0]), 5.0);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn the_geometric_mean_is_that_of_ratios() {
        assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-12);
        assert!((geometric_mean(&[7.0]) - 7.0).abs() < 1e-12);
    }

    #[test]
    fn speeds_and_ratios_are_quotients() {
        let speed = Throughput { size: String::new(), warp_instructions: 30_000_000, seconds: 2.0 };
        assert_eq!(speed.millions_per_second(), 15.0);
        let both =
            AgainstNative { warp_instructions: 1, engine_seconds: 0.6, native_seconds: 0.05 };
        assert!((both.ratio() - 12.0).abs() < 1e-12);
    }
}
