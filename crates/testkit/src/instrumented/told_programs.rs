//! Programs of the suites, instrumented so that the host is told of everything, run on the emulated device, and judged by
//! detectors from what came through the queues.

use std::path::Path;

use warpsan_detect::{Detector, Settings, by_name};
use warpsan_event::{Batch, EventMask, EventSink};
use warpsan_gpu::shipping::ShippingError;
use warpsan_instrument::Checks;
use warpsan_model::LaunchId;
use warpsan_report::{AccessReport, Race};
use warpsan_toolchain::Toolchain;

use super::EmulatedLaunch;
use super::judged::{Found, found, launch_all};
use crate::differential::Reported as Races;
use crate::ui::{Answer, Program, Reported, Side};

/// What came of one run of a program.
#[derive(Debug)]
pub struct ToldProgram {
    /// What the detector says of what it was told.
    pub answer: Answer,
    /// What the checks on the device found.
    pub on_device: Vec<Found>,
    /// Operations that were told.
    pub operations: u64,
}

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

/// Runs a program with one seed and has a detector judge what the host is told; an error if a kernel of it cannot be
/// instrumented so, or needs what is not emulated.
pub fn answer_when_told(
    program: &Program,
    toolchain: &Toolchain,
    (checks, detector): (Checks, &str),
    options: u32,
    seed: u64,
) -> Result<ToldProgram, String> {
    let fence_sc_orders = program.flags.iter().any(|flag| flag == "--fence-sc=order");
    let settings = Settings { seed, fence_sc_orders, ..Settings::default() };
    let detector = by_name(detector, settings).ok_or("there is no such detector")?;
    let mut judge = Judge { detector, races: Races::default() };
    let mut told = ToldProgram {
        answer: Answer::Failure("there is no launch".to_owned()),
        on_device: Vec::new(),
        operations: 0,
    };
    let mut failure = None;
    let mut launches = 0;
    launch_all(program, toolchain, checks, |device, made, launch| {
        let launch = EmulatedLaunch { options, seed: seed + u64::from(launches), ..launch.clone() };
        let done = device.launch_told(made, checks, &launch, LaunchId(launches), &mut judge)?;
        launches += 1;
        told.on_device.extend(done.reports.iter().map(|report| found(report, made, &program.path)));
        match (done.shipped, done.end) {
            (Ok(counts), Ok(())) => told.operations += counts.operations,
            // A barrier that can never complete.
            (Err(ShippingError::Stopped), Err(_)) if may_stop(program) => {}
            (Err(ShippingError::Stopped), Err(error)) => failure = Some(error.to_string()),
            (Err(error), _) => failure = Some(error.to_string()),
            (Ok(_), Err(error)) => failure = Some(error.to_string()),
        }
        Ok(())
    })?;
    let races = judge.races.races.iter().map(|race| reported(race, &program.path)).collect();
    told.answer = match failure {
        Some(message) => Answer::Failure(message),
        None => Answer::Checked { races, not_covered: Vec::new() },
    };
    Ok(told)
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
        count: race.count,
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
