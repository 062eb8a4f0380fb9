//! Programs of the suites, instrumented so that everything is shipped to the host, run on the emulated device, and judged
//! by detectors from what came through the queues.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context;
use warpsan_detect::{Detector, DetectorId, Settings, by_name};
use warpsan_event::{Batch, EventMask, EventSink};
use warpsan_gpu::shipping::ShippingError;
use warpsan_instrument::{DevicePlan, Instrumented};
use warpsan_model::LaunchId;
use warpsan_report::{AccessReport, Race, Treatment};
use warpsan_toolchain::Toolchain;

use super::judged::{DeviceFinding, finding_of, launch_all};
use super::{Choices, EmulatedDevice, EmulatedLaunch, ShippedKernel};
use warpsan_oracle::differential::Reported as Races;
use warpsan_suite::{Answer, Expectation, Program, Reported, Side};

/// What came of one run of a program.
#[derive(Debug)]
pub struct ShippedProgram {
    /// What the detector says of what was shipped.
    pub answer: Answer,
    /// What only one of the two found, where checks on the device judge, too.
    pub differences: Vec<String>,
    /// Operations that were shipped.
    pub operations: u64,
}

/// A flag of a program that asks for what a device does not do.
#[derive(Debug, thiserror::Error)]
#[error("the device does not know `{0}`")]
pub struct UnknownFlag(pub(super) String);

struct Judge {
    detector: Box<dyn Detector>,
    races: Races,
}

impl EventSink for Judge {
    fn interest(&self) -> EventMask {
        self.detector.interest()
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        self.detector.batch(batch, &mut self.races);
    }
}

/// Runs a program with one seed and has a detector judge what is shipped; an error if a kernel of it cannot be
/// instrumented so, or needs what is not emulated.
pub fn answer_when_shipped(
    program: &Program,
    toolchain: &Toolchain,
    detector: &str,
    choices: &Choices,
    seed: u64,
) -> anyhow::Result<ShippedProgram> {
    answer(program, toolchain, detector, choices, (seed, EmulatedDevice::launch_shipped))
}

/// The same for a device whose lanes do not reconverge once they have diverged.
pub fn answer_when_shipped_without_reconvergence(
    program: &Program,
    toolchain: &Toolchain,
    detector: &str,
    choices: &Choices,
    seed: u64,
) -> anyhow::Result<ShippedProgram> {
    answer(
        program,
        toolchain,
        detector,
        choices,
        (seed, EmulatedDevice::launch_shipped_without_reconvergence),
    )
}

/// How a launch of the emulated device is shipped.
type Launch = fn(
    &mut EmulatedDevice,
    &Instrumented,
    DevicePlan,
    &EmulatedLaunch<'_>,
    LaunchId,
    &mut (dyn EventSink + Send),
) -> anyhow::Result<ShippedKernel>;

fn answer(
    program: &Program,
    toolchain: &Toolchain,
    detector: &str,
    choices: &Choices,
    (seed, launch_it): (u64, Launch),
) -> anyhow::Result<ShippedProgram> {
    let plan = choices.plan;
    let settings = settings_of(program, detector, choices, seed)?;
    let detector = by_name(detector, settings).context("there is no such detector")?;
    let mut judge = Judge { detector, races: Races::default() };
    let mut shipped = ShippedProgram {
        answer: Answer::Failure("there is no launch".to_owned()),
        differences: Vec::new(),
        operations: 0,
    };
    let mut on_device = Vec::new();
    let mut failure = None;
    let mut launches = 0;
    launch_all(program, toolchain, choices, |device, made, launch| {
        let launch = EmulatedLaunch { seed: seed + u64::from(launches), ..launch.clone() };
        let done = launch_it(device, made, plan, &launch, LaunchId(launches), &mut judge)?;
        launches += 1;
        on_device.extend(
            done.reports.iter().map(|report| finding_of(report, made, choices.plan, &program.path)),
        );
        match (done.shipped, done.end) {
            (Ok(counts), Ok(())) => shipped.operations += counts.operations,
            // A barrier that can never complete.
            (Err(ShippingError::Stopped), Err(_)) if may_stop(program) => {}
            (Err(ShippingError::Stopped), Err(error)) => failure = Some(error.to_string()),
            (Err(error), _) => failure = Some(error.to_string()),
            (Ok(_), Err(error)) => failure = Some(error.to_string()),
        }
        Ok(())
    })?;
    let races = judge.races.races.iter().map(|race| reported(race, &program.path));
    let races: Vec<Reported> = match plan.has_metadata() {
        true => races.collect(),
        false => races.map(|race| as_expected(race, program)).collect(),
    };
    if plan.has_metadata() && settings.warp_sync != Treatment::Allow {
        shipped.differences = differences(&on_device, &races);
    }
    shipped.answer = match failure {
        Some(message) => Answer::Failure(message),
        None => Answer::Checked { races, not_covered: Vec::new() },
    };
    Ok(shipped)
}

/// What the flags of a program ask of a detector; an error where a device does not do that.
pub(super) fn settings_of(
    program: &Program,
    detector: &str,
    choices: &Choices,
    seed: u64,
) -> anyhow::Result<Settings> {
    let mut settings = Settings { seed, iguard: choices.iguard, ..Settings::default() };
    if let Ok(detector) = detector.parse::<DetectorId>() {
        settings.warp_sync = detector.warp_sync;
    }
    for flag in &program.flags {
        match flag.as_str() {
            "--fence-sc=order" => settings.fence_sc_orders = true,
            "--warp-sync=allow" => settings.warp_sync = Treatment::Allow,
            // The choices have these.
            of_iguard if of_iguard.starts_with("--iguard-") => {}
            other => anyhow::bail!(UnknownFlag(other.to_owned())),
        }
    }
    Ok(settings)
}

/// What only the device or only the host found: kinds and lines count.
fn differences(on_device: &[DeviceFinding], on_host: &[Reported]) -> Vec<String> {
    let text = |kind: &str, one: Option<u64>, other: Option<u64>| {
        let line = |line: Option<u64>| line.map_or_else(|| "?".to_owned(), |line| line.to_string());
        format!("{kind} on lines {} and {}", line(one.min(other)), line(one.max(other)))
    };
    let of_device: BTreeSet<String> =
        on_device.iter().map(|found| text(found.kind, found.noticed, found.before)).collect();
    let of_host: BTreeSet<String> = on_host
        .iter()
        .map(|race| text(&race.kind, race.sides[0].line, race.sides[1].line))
        .collect();
    let only = |one: &BTreeSet<String>, other: &BTreeSet<String>, who: &str| -> Vec<String> {
        one.difference(other).map(|race| format!("only {who} found {race}")).collect()
    };
    [only(&of_device, &of_host, "the device"), only(&of_host, &of_device, "the host")].concat()
}

/// Races with the lines of an expectation are taken for it: what kind of race a pair of accesses is may depend on who
/// came first, and operations of lanes are interleaved otherwise on a device than by the CPU engine.
fn as_expected(race: Reported, program: &Program) -> Reported {
    let is_it = |one: &&Expectation| {
        one.kind == race.kind && one.severity.as_ref().is_none_or(|known| *known == race.severity)
    };
    let of_lines = || program.expectations.iter().filter(|one| race.lines() == Some(one.lines));
    match of_lines().next() {
        Some(expected) if !of_lines().any(|one| is_it(&one)) => Reported {
            kind: expected.kind.clone(),
            severity: expected.severity.clone().unwrap_or_else(|| race.severity.clone()),
            ..race
        },
        _ => race,
    }
}

fn may_stop(program: &Program) -> bool {
    program.expectations.iter().any(|expectation| expectation.kind == "barrier-divergence")
}

/// A race as expectations speak of it.
fn reported(race: &Race, program: &Path) -> Reported {
    let mut sides = [side(&race.first, program), side(&race.second, program)];
    sides.sort();
    Reported {
        kind: race.kind.to_string(),
        severity: race.severity.name().to_owned(),
        sides,
        is_within_a_warp: false,
        count: race.count,
        group: None,
        advice: race.advice.clone(),
    }
}

fn side(access: &AccessReport, program: &Path) -> Side {
    let of_frames = access.frames.iter().filter_map(|frame| frame.position.as_ref());
    let mut positions = access.position.iter().chain(of_frames);
    let here = positions.find(|one| Path::new(&*one.file).file_name() == program.file_name());
    Side {
        line: here.map(|position| u64::from(position.line)),
        instruction: access.instruction.clone(),
    }
}
