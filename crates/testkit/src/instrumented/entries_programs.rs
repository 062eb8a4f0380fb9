//! Programs of the suites with hb's entries on the emulated device, and the report that users get.

use std::sync::Arc;

use warpsan_detect::DetectorId;
use warpsan_detect::specification::device::DeviceRequest;
use warpsan_gpu::ReportedRace;
use warpsan_instrument::{DevicePlan, DeviceReport, Instrumented};
use warpsan_model::Dim3;
use warpsan_report::{Report, Summary, render_json};
use warpsan_runtime::gpu_process::Judge;
use warpsan_suite::{Answer, Program};
use warpsan_toolchain::Toolchain;

use super::judged::launch_all;
use super::shipped_programs::settings_of;
use super::{Choices, EmulatedLaunch, UnknownFlag};

/// The detector whose entries they are.
const DETECTOR: &str = "hb";

/// Runs a program with one seed and hb's entries, behind shared memory or in slots; an error if the entries are not for one of its kernels, if something was lost, or if it needs what is not
/// emulated.
pub fn answer_with_entries(
    program: &Program,
    toolchain: &Toolchain,
    seed: u64,
    plan: DevicePlan,
) -> anyhow::Result<Answer> {
    let choices = Choices::of(program, plan);
    let settings = settings_of(program, DETECTOR, &choices, seed)?;
    let detector: DetectorId = DETECTOR.parse()?;
    if (detector.device_request)(&settings, false) != DeviceRequest::Entries {
        anyhow::bail!(UnknownFlag(program.flags.join(" ")));
    }
    let judge = Judge { detector, settings, plan };
    let mut report = Report::new(Summary::default());
    launch_all(program, toolchain, &choices, |device, made, launch| {
        let launch = EmulatedLaunch { seed, ..launch.clone() };
        for found in device.launch(made, &launch)? {
            report.add_races(judge.race(&reported(found, made, &launch), |_| None)?);
        }
        Ok(())
    })?;
    report.hide_library_code();
    report.sort();
    Ok(Answer::of_report(&serde_json::from_str(&render_json(&report)?)?, &program.path))
}

/// The report as the engine hands it on.
fn reported(
    report: DeviceReport,
    made: &Instrumented,
    launch: &EmulatedLaunch<'_>,
) -> ReportedRace {
    let extents = |dim: Dim3| [dim.x, dim.y, dim.z];
    ReportedRace {
        report,
        kernel: launch.kernel.into(),
        sites: Arc::new(made.sites.clone()),
        accesses: made.accesses.clone().into(),
        grid: extents(launch.geometry.grid),
        block: extents(launch.geometry.block),
    }
}
