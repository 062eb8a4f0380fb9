//! Random kernels that have barriers alone, most of them racy: the sets of the device find exactly what is there, pair by pair of
//! instructions. (Those of the host name another line where they have merged regions of several.)

use std::collections::BTreeSet;

use warpsan_instrument::{DevicePlan, SetScheme};
use warpsan_model::Geometry;
use warpsan_ptx::Document;
use warpsan_testkit::instrumented::{EmulatedDevice, EmulatedLaunch, Parsed};

use crate::barrier_kernels::{BYTES, Mix, RaceOnLines, kernel, races_of};

const KERNELS: u64 = 150;
/// Of so many kernels one is tried with the eager scheme as well, which takes long where all accesses meet in a few lines.
const EAGER_ONES: u64 = 15;

fn on_device(
    document: &Document,
    geometry: Geometry,
    plan: DevicePlan,
    seed: u64,
) -> anyhow::Result<BTreeSet<RaceOnLines>> {
    let parsed = Parsed::of(document);
    let made = parsed.instrument(parsed.kernels()[0], "sm_90", plan)?;
    let mut device = EmulatedDevice::for_plan(plan)?;
    let data = device.allocate(BYTES)?;
    let launch = EmulatedLaunch {
        kernel: "k",
        geometry,
        parameters: data.0.to_le_bytes().to_vec(),
        cooperative: false,
        cluster: None,
        dynamic_shared_bytes: 0,
        options: 0,
        seed,
    };
    let reports = device.launch(&made, &launch)?;
    let line = |site: u32| made.sites.sites[site as usize].ptx_line;
    let found = reports.iter().map(|report| {
        let kind = if report.class() == 1 { "warp-sync" } else { "missing-sync" };
        let (one, other) = (line(report.site), line(report.previous_site));
        (kind.to_owned(), one.min(other), one.max(other))
    });
    Ok(found.collect())
}

#[test]
fn sets_of_the_device_find_every_race_and_no_other() {
    let (mut compared, mut races) = (0, 0);
    for seed in 0..KERNELS {
        let (text, geometry) = kernel(seed, Mix::BARRIERS_OF_BLOCKS);
        let document = Document::parse(text.clone());
        assert_eq!(document.errors(), [], "{text}");
        // Threads that leave early may be waited for by none, but a barrier in a loop may be one that some never reach.
        let Ok(there) = races_of(&document, geometry, seed, None).map(|races| races.all()) else {
            continue;
        };
        let is_eager = seed % EAGER_ONES == 0;
        let schemes = [
            ("lazily", DevicePlan::Sets(SetScheme::Lazy)),
            ("eagerly", DevicePlan::Sets(SetScheme::Eager)),
        ];
        for (scheme, plan) in schemes.into_iter().take(1 + usize::from(is_eager)) {
            let on_device = on_device(&document, geometry, plan, seed)
                .unwrap_or_else(|error| panic!("kernel {seed}, {scheme}: {error:#}\n{text}"));
            assert_eq!(on_device, there, "kernel {seed}, {scheme}, with {geometry:?}:\n{text}");
        }
        compared += 1;
        races += there.len();
    }
    assert!(compared > KERNELS / 2 && races > 100, "{compared} kernels, {races} races");
}
