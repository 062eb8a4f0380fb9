//! Programs of the suite of iGUARD with their checks in place, on the emulated device.

use std::path::Path;

use warpsan_event::Site;
use warpsan_instrument::{Checks, DeviceReport, Instrumented};
use warpsan_ir::display_name;
use warpsan_model::{Dim3, Geometry};
use warpsan_ptx::Document;
use warpsan_toolchain::{KernelOptions, Toolchain};

use super::Parsed;
use super::emulated::{EmulatedDevice, EmulatedLaunch};
use crate::ui::{Expectation, Program};

/// How a launch of the suite begins.
const LAUNCH: &str = "//@ launch:";

/// A launch as a program's comment names it: `name<<<2, 64, cooperative>>>(data: u32[128], out: u8[4])`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Described {
    kernel: String,
    grid: u32,
    block: u32,
    cooperative: bool,
    cluster: Option<u32>,
    /// Bytes of each array.
    arrays: Vec<u64>,
}

/// A race that the checks of a kernel found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The name of its kind, as in reports.
    pub kind: &'static str,
    /// The line of the access that noticed.
    pub noticed: Option<u64>,
    /// The line of the access before it. It is written down a moment after the access itself, so that it may be that
    /// of an older one where two threads are there at the same time.
    pub before: Option<u64>,
}

impl Found {
    /// Whether it may be the race that a program expects.
    pub fn may_be(&self, expected: &Expectation) -> bool {
        let (one, other) = expected.lines;
        self.kind == expected.kind && [Some(one), Some(other)].contains(&self.noticed)
    }

    /// Whether it is the race that a program expects, with both lines.
    pub fn is(&self, expected: &Expectation) -> bool {
        let lines =
            self.noticed.zip(self.before).map(|(one, other)| (one.min(other), one.max(other)));
        self.kind == expected.kind && lines == Some(expected.lines)
    }
}

/// What the checks find in a program, with one seed; an error if it needs what is not emulated.
pub fn found_in(
    program: &Program,
    toolchain: &Toolchain,
    options: u32,
    seed: u64,
) -> Result<Vec<Found>, String> {
    let compiled = toolchain
        .compile_kernels(&program.path, &KernelOptions::default())
        .map_err(|error| error.to_string())?;
    let document = Document::parse(compiled.ptx);
    let parsed = Parsed::of(&document);
    let source = std::fs::read_to_string(&program.path).map_err(|error| error.to_string())?;
    let lines = source.lines().filter_map(|line| line.trim().strip_prefix(LAUNCH));
    let mut races = Vec::new();
    let mut device = EmulatedDevice::new()?;
    for line in lines {
        let described =
            described(line.trim()).ok_or_else(|| format!("`{line}` is not understood"))?;
        let kernels = parsed.kernels();
        let is_it = |name: &str| display_name(name).split('(').next() == Some(&described.kernel);
        let kernel = kernels.iter().find(|kernel| is_it(kernel.name));
        let kernel = kernel.ok_or_else(|| format!("there is no kernel {}", described.kernel))?;
        let made = parsed.instrument(kernel, "sm_90", Checks::Iguard)?;
        let mut parameters = Vec::new();
        for bytes in &described.arrays {
            parameters.extend(device.allocate(*bytes)?.0.to_le_bytes());
        }
        let launch = EmulatedLaunch {
            kernel: kernel.name,
            geometry: Geometry {
                grid: Dim3::new(described.grid, 1, 1),
                block: Dim3::new(described.block, 1, 1),
            },
            parameters,
            cooperative: described.cooperative,
            cluster: described.cluster.map(|blocks| Dim3::new(blocks, 1, 1)),
            options,
            seed,
        };
        let reports = device.launch(&made, &launch)?;
        races.extend(reports.iter().map(|report| found(report, &made, &program.path)));
    }
    Ok(races)
}

fn described(line: &str) -> Option<Described> {
    let (kernel, rest) = line.split_once("<<<")?;
    let (extents, arguments) = rest.split_once(">>>")?;
    let mut words = extents.split(',').map(str::trim);
    let (grid, block) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let (mut cooperative, mut cluster) = (false, None);
    for word in words {
        match word.split_once('=') {
            Some(("cluster", blocks)) => cluster = Some(blocks.parse().ok()?),
            None if word == "cooperative" => cooperative = true,
            _ => return None,
        }
    }
    let arguments = arguments.trim().strip_prefix('(')?.strip_suffix(')')?;
    let array = |argument: &str| -> Option<u64> {
        let (_, ty) = argument.split_once(':')?;
        let (element, count) = ty.trim().strip_suffix(']')?.split_once('[')?;
        let bits: u64 = element.trim_start_matches(['u', 's', 'f']).parse().ok()?;
        Some(bits / 8 * count.parse::<u64>().ok()?)
    };
    let arrays = arguments.split(',').map(array).collect::<Option<Vec<u64>>>()?;
    Some(Described { kernel: kernel.to_owned(), grid, block, cooperative, cluster, arrays })
}

/// A race as expectations speak of it.
fn found(report: &DeviceReport, made: &Instrumented, program: &Path) -> Found {
    let kind = match report.rule_number() {
        1 => "scope",
        2 => "warp-sync",
        5 => "lock",
        _ => "missing-sync",
    };
    let line = |site: u32| line_of(made.sites.sites.get(site as usize)?, program);
    Found { kind, noticed: line(report.site), before: line(report.previous_site) }
}

/// The line in the program itself: a helper from a header counts as the line that calls it.
fn line_of(site: &Site, program: &Path) -> Option<u64> {
    let mut positions = site.frames.iter().filter_map(|frame| frame.position.as_ref());
    let here =
        positions.find(|position| Path::new(&*position.file).file_name() == program.file_name());
    here.map(|position| u64::from(position.line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_read() {
        let wanted = Described {
            kernel: "steps".to_owned(),
            grid: 2,
            block: 64,
            cooperative: true,
            cluster: None,
            arrays: vec![512, 3],
        };
        let line = "steps<<<2, 64, cooperative>>>(first: u32[128], second: u8[3])";
        assert_eq!(described(line), Some(wanted));
        let clusters = described("k<<<2, 32, cluster=2>>>(data: f64[1])").expect("it reads");
        assert_eq!((clusters.cluster, clusters.arrays), (Some(2), vec![8]));
        for wrong in ["k<<<2>>>(a: u32[1])", "k<<<2, 1>>>(a: 5)", "k<<<1, 1, fast>>>(a: u8[1])"] {
            assert_eq!(described(wrong), None, "{wrong}");
        }
    }
}
