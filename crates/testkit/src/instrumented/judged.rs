//! Programs of the suite of iGUARD with their checks in place, on the emulated device.

use std::path::Path;

use anyhow::Context;
use warpsan_event::Site;
use warpsan_instrument::{DevicePlan, DeviceReport, Instrumented};
use warpsan_ir::display_name;
use warpsan_model::{Dim3, Geometry};
use warpsan_ptx::Document;
use warpsan_toolchain::{KernelOptions, Toolchain};

use super::described::{Argument, launches_of};
use super::emulated::{EmulatedDevice, EmulatedLaunch};
use super::{Choices, Parsed};
use warpsan_suite::{Expectation, Program};

/// Programs of which the emulated device has not all: the counter of a grid's barrier lies in memory of the driver, which
/// has no metadata.
pub const NOT_EMULATED: [&str; 1] = ["r4_figure_3_grid_barrier.cu"];

/// A race that the checks of a kernel found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceFinding {
    /// The name of its kind, as in reports.
    pub kind: &'static str,
    /// The line of the access that noticed.
    pub noticed: Option<u64>,
    /// The line of the access before it. It is written down a moment after the access itself, so that it may be that
    /// of an older one where two threads are there at the same time.
    pub before: Option<u64>,
}

impl DeviceFinding {
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
    choices: &Choices,
    seed: u64,
) -> anyhow::Result<Vec<DeviceFinding>> {
    let mut races = Vec::new();
    launch_all(program, toolchain, choices, |device, made, launch| {
        let launch = EmulatedLaunch { seed, ..launch.clone() };
        let reports = device.launch(made, &launch)?;
        let of = |report| finding_of(report, made, choices.plan, &program.path);
        races.extend(reports.iter().map(of));
        Ok(())
    })?;
    Ok(races)
}

/// Instruments the kernels that a program launches, and has each launch done.
pub(crate) fn launch_all(
    program: &Program,
    toolchain: &Toolchain,
    choices: &Choices,
    mut launch: impl FnMut(
        &mut EmulatedDevice,
        &Instrumented,
        &EmulatedLaunch<'_>,
    ) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let compiled = toolchain.compile_kernels(&program.path, &KernelOptions::default())?;
    let document = Document::parse(compiled.ptx);
    let parsed = Parsed::of(&document);
    let mut device = EmulatedDevice::for_plan(choices.plan)?;
    for described in launches_of(&program.path)? {
        let kernels = parsed.kernels();
        let is_it = |name: &str| display_name(name).split('(').next() == Some(&described.kernel);
        let kernel = kernels.iter().find(|kernel| is_it(kernel.name));
        let kernel = kernel.with_context(|| format!("there is no kernel {}", described.kernel))?;
        let made = parsed.instrument(kernel, "sm_90", choices.plan)?;
        device.place_program(&document, &made)?;
        let parameters = parameters(&mut device, &made, &described.arguments)?;
        let emulated = EmulatedLaunch {
            kernel: kernel.name,
            geometry: Geometry { grid: described.grid, block: described.block },
            dynamic_shared_bytes: described.dynamic_shared_bytes,
            parameters,
            cooperative: described.cooperative,
            cluster: described.cluster.map(|blocks| Dim3::new(blocks, 1, 1)),
            options: choices.options(),
            seed: 1,
        };
        launch(&mut device, &made, &emulated)?;
    }
    Ok(())
}

/// The parameter block of a launch, with arrays in memory of the device.
fn parameters(
    device: &mut EmulatedDevice,
    made: &Instrumented,
    arguments: &[Argument],
) -> anyhow::Result<Vec<u8>> {
    if arguments.len() != made.parameters.len() {
        anyhow::bail!("{} arguments for {} parameters", arguments.len(), made.parameters.len());
    }
    let mut block = Vec::new();
    for (argument, (offset, bytes)) in arguments.iter().zip(&made.parameters) {
        let word = match argument {
            Argument::Number(number) => *number,
            Argument::Array(contents) => {
                let address = device.allocate(contents.len() as u64)?;
                let written = device.memory().write(address, contents);
                written?;
                address.0
            }
        };
        block.resize(*offset, 0);
        block.extend_from_slice(&word.to_le_bytes()[..(*bytes).min(8)]);
    }
    Ok(block)
}

/// A race as expectations speak of it.
pub(crate) fn finding_of(
    report: &DeviceReport,
    made: &Instrumented,
    plan: DevicePlan,
    program: &Path,
) -> DeviceFinding {
    let kind = match report.rule_number() {
        // CURD's classes: lanes of a warp, warps of a block, blocks.
        _ if plan.has_sets() && report.class() == 1 => "warp-sync",
        _ if plan.has_sets() => "missing-sync",
        1 => "scope",
        2 => "warp-sync",
        5 => "lock",
        _ => "missing-sync",
    };
    let line = |site: u32| line_of(made.sites.sites.get(site as usize)?, program);
    DeviceFinding { kind, noticed: line(report.site), before: line(report.previous_site) }
}

/// The line in the program itself: a helper from a header counts as the line that calls it.
fn line_of(site: &Site, program: &Path) -> Option<u64> {
    let mut positions = site.frames.iter().filter_map(|frame| frame.position.as_ref());
    let here =
        positions.find(|position| Path::new(&*position.file).file_name() == program.file_name());
    here.map(|position| u64::from(position.line))
}
