//! Random kernels with accesses of every size, fences, locks and barriers, most of them racy: device and host judge the
//! same accesses in the same order, with every granularity and history.

use std::collections::BTreeSet;

use warpsan_detect::{Detector, Settings, by_name};
use warpsan_event::{Batch, EventMask, EventSink};
use warpsan_instrument::{DevicePlan, DeviceReport, Instrumented, MetadataPlan, Shape};
use warpsan_model::LaunchId;
use warpsan_oracle::differential::Reported;
use warpsan_oracle::synchronised::{GLOBAL_BYTES, SynchronisedKernel};
use warpsan_ptx::Document;
use warpsan_report::Treatment;
use warpsan_testkit::instrumented::{EmulatedDevice, EmulatedLaunch, Parsed};

const KERNELS: u64 = 60;
const SHAPES: [(u8, u8); 7] = [(1, 1), (2, 1), (8, 2), (16, 1), (4, 2), (4, 8), (2, 4)];

struct Judge {
    detector: Box<dyn Detector>,
    races: Reported,
}

impl EventSink for Judge {
    fn interest(&self) -> EventMask {
        self.detector.interest()
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        self.detector.batch(batch, &mut self.races);
    }
}

/// The kind of a race and the lines of both instructions in the PTX.
type RaceOnLines = (String, u32, u32);

fn of_device(report: &DeviceReport, made: &Instrumented) -> RaceOnLines {
    let kind = match report.rule_number() {
        1 => "scope",
        2 => "warp-sync",
        5 => "lock",
        _ => "missing-sync",
    };
    let line = |site: u32| made.sites.sites[site as usize].ptx_line;
    let (one, other) = (line(report.site), line(report.previous_site));
    (kind.to_owned(), one.min(other), one.max(other))
}

/// What device and host find in a kernel; nothing where it is not checked, or does not end.
fn found(
    kernel: &SynchronisedKernel,
    (granularity, history): (u8, u8),
    seed: u64,
) -> Option<[BTreeSet<RaceOnLines>; 2]> {
    let shape = Shape::new(granularity, history);
    let plan = DevicePlan::Metadata(MetadataPlan::of(shape).ordered());
    assert!(plan.is_general() && plan.is_ordered());
    let document = Document::parse(kernel.text());
    let parsed = Parsed::of(&document);
    let made = parsed.instrument(parsed.kernels()[0], "sm_90", plan).ok()?;
    let mut device = EmulatedDevice::for_plan(plan).expect("a device");
    let data = device.allocate(GLOBAL_BYTES).expect("memory");
    let mut parameters = data.0.to_le_bytes().to_vec();
    parameters.extend([0; 4]);
    let extents = kernel.extents;
    let launch = EmulatedLaunch {
        kernel: "k",
        geometry: extents.geometry(),
        parameters,
        cooperative: false,
        cluster: (extents.cluster > 1).then(|| extents.clusters()),
        dynamic_shared_bytes: 0,
        options: 0,
        seed,
    };
    let mut settings = Settings { seed, warp_sync: Treatment::Error, ..Settings::default() };
    settings.iguard.granularity = granularity.try_into().expect("a choice");
    settings.iguard.history = history.try_into().expect("a choice");
    let detector = by_name("iguard", settings).expect("a detector");
    let mut judge = Judge { detector, races: Reported::default() };
    let shipped = device.launch_shipped(&made, plan, &launch, LaunchId(0), &mut judge);
    let shipped = shipped.unwrap_or_else(|error| panic!("kernel {seed}: {error:#}"));
    if shipped.end.is_err() {
        return None;
    }
    shipped.shipped.unwrap_or_else(|error| panic!("kernel {seed}: {error}"));
    let on_host = judge.races.races.iter().map(|race| {
        let (one, other) = (race.first.ptx_line, race.second.ptx_line);
        (race.kind.to_string(), one.min(other), one.max(other))
    });
    let on_device = shipped.reports.iter().map(|report| of_device(report, &made));
    Some([on_device.collect(), on_host.collect()])
}

#[test]
fn device_and_host_find_the_same_in_random_kernels() {
    let (mut compared, mut races) = (0, 0);
    for seed in 0..KERNELS {
        let kernel = SynchronisedKernel::random(seed);
        let shape = SHAPES[seed as usize % SHAPES.len()];
        let Some([on_device, on_host]) = found(&kernel, shape, seed) else { continue };
        compared += 1;
        races += on_host.len();
        assert_eq!(on_device, on_host, "kernel {seed} with {shape:?}:\n{}", kernel.text());
    }
    assert!(compared > KERNELS / 2 && races > 50, "{compared} kernels, {races} races");
}
