//! Random kernels against hb's entries on the device: what is reported is there, and of every location that has races one is reported.

use std::collections::BTreeSet;

use warpsan_instrument::{DevicePlan, DeviceReport, Refusal};
use warpsan_model::{Dim3, Geometry};
use warpsan_ptx::Document;
use warpsan_testkit::instrumented::{EmulatedDevice, EmulatedLaunch, Parsed};

use crate::barrier_kernels::{BYTES, Mix, RaceOnLines, kernel, races_of};

/// Kernels that are tried, and the seed of the first, unless the environment has others (`WARPSAN_RANDOM_KERNELS`, `WARPSAN_RANDOM_FIRST`).
const KERNELS: u64 = 1000;
const FIRST: u64 = 0;

/// What the device reports of each of two launches, one after the other; nothing if the entries are not for the kernel.
fn on_device(
    document: &Document,
    geometry: Geometry,
    seed: u64,
) -> anyhow::Result<Option<[BTreeSet<RaceOnLines>; 2]>> {
    let plan = DevicePlan::HappensBefore;
    let parsed = Parsed::of(document);
    let made = match parsed.instrument(parsed.kernels()[0], "sm_90", plan) {
        Ok(made) => made,
        Err(Refusal::BarriersOfSome) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
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
    let line = |site: u32| made.sites.sites[site as usize].ptx_line;
    let race = |report: &DeviceReport| {
        let kind = if report.class() == 1 { "warp-sync" } else { "missing-sync" };
        let (one, other) = (line(report.site), line(report.previous_site));
        (kind.to_owned(), one.min(other), one.max(other))
    };
    // The second one finds the entries of the first.
    let first = device.launch(&made, &launch)?;
    let second = device.launch(&made, &launch)?;
    Ok(Some([first, second].map(|reports| reports.iter().map(race).collect())))
}

#[test]
fn entries_of_the_device_report_every_racy_location_and_nothing_else() {
    let number = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let kernels = number("WARPSAN_RANDOM_KERNELS", KERNELS);
    let first = number("WARPSAN_RANDOM_FIRST", FIRST);
    let (mut compared, mut races) = (0, 0);
    for seed in first..first + kernels {
        let mix =
            Mix { leaving: seed % 4 == 0, warp_barriers: seed % 2 == 0, updates: seed % 3 == 0 };
        let (text, geometry) = kernel(seed, mix);
        let document = Document::parse(text.clone());
        assert_eq!(document.errors(), [], "{text}");
        let Ok(there) = races_of(&document, geometry, seed) else { continue };
        let found = on_device(&document, geometry, seed)
            .unwrap_or_else(|error| panic!("kernel {seed}: {error:#}\n{text}"));
        let Some(found) = found else { continue };
        let all = there.all();
        for (launch, found) in found.iter().enumerate() {
            let what = format!("kernel {seed}, launch {launch}");
            let false_ones: Vec<_> = found.difference(&all).collect();
            assert!(false_ones.is_empty(), "{what}: {false_ones:?} with {geometry:?}:\n{text}");
            for of_byte in there.of_bytes() {
                let is_reported = !of_byte.is_disjoint(found);
                assert!(
                    is_reported,
                    "{what}: none of {of_byte:?}, but {found:?}, with {geometry:?}:\n{text}"
                );
            }
        }
        compared += 1;
        races += all.len();
    }
    assert!(compared > kernels / 2 && races > 100, "{compared} kernels, {races} races");
}

#[test]
fn two_writers_of_a_word_that_both_have_read_are_a_pair_of_their_own() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_0)\n{\n\
                .reg .b32 %r<12>;\n.reg .b64 %rd<12>;\n.reg .pred %p<6>;\nld.param.u64 %rd1, [k_0];\n\
                mov.u32 %r1, %laneid;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 ret;\n\
                ld.global.u32 %r9, [%rd1];\nst.global.u32 [%rd1], %r9;\nret;\n}\n";
    let document = Document::parse(text.to_owned());
    let geometry = Geometry { grid: Dim3::new(1, 1, 1), block: Dim3::new(64, 1, 1) };
    let line = |what: &str| text.lines().position(|line| line.starts_with(what)).unwrap_or(0) + 1;
    let (load, store) = (line("ld.global") as u32, line("st.global") as u32);
    let pair = |one, other| ("missing-sync".to_owned(), one, other);
    let wanted = BTreeSet::from([pair(load, store), pair(store, store)]);
    for seed in 0..40 {
        let found = on_device(&document, geometry, seed).expect("a launch").expect("entries");
        assert_eq!(found, [wanted.clone(), wanted.clone()], "seed {seed}");
    }
}

#[test]
fn what_one_lane_writes_and_all_read_is_a_race() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_0)\n{\n\
                .reg .b32 %r<12>;\n.reg .b64 %rd<12>;\n.reg .pred %p<6>;\nld.param.u64 %rd1, [k_0];\n\
                mov.u32 %r1, %laneid;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra ALL;\n\
                st.global.u32 [%rd1], 7;\nALL:\nld.global.u32 %r9, [%rd1];\nret;\n}\n";
    let document = Document::parse(text.to_owned());
    let geometry = Geometry { grid: Dim3::new(1, 1, 1), block: Dim3::new(32, 1, 1) };
    let line = |what: &str| text.lines().position(|line| line.starts_with(what)).unwrap_or(0) + 1;
    let (load, store) = (line("ld.global") as u32, line("st.global") as u32);
    let wanted = BTreeSet::from([("warp-sync".to_owned(), store, load)]);
    for seed in 0..20 {
        let found = on_device(&document, geometry, seed).expect("a launch").expect("entries");
        assert_eq!(found, [wanted.clone(), wanted.clone()], "seed {seed}");
    }
}

/// A kernel whose threads load so many elements in a row, from their own on. The first thread stores to the one that only the last load of the last thread reads.
fn many_loads(loads: u32) -> String {
    let mut text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_0)\n{\n\
                    .reg .b32 %r<12>;\n.reg .b64 %rd<12>;\n.reg .pred %p<6>;\nld.param.u64 %rd1, [k_0];\n\
                    mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
        .to_owned();
    for load in 0..loads {
        text += &format!("ld.global.u32 %r2, [%rd3+{}];\n", load * 4);
    }
    let last = (63 + loads - 1) * 4;
    text + &format!(
        "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\nst.global.u32 [%rd1+{last}], %r2;\nEND:\nret;\n}}\n"
    )
}

#[test]
fn the_address_of_a_load_is_its_own_where_others_are_checked_first() {
    let geometry = Geometry { grid: Dim3::new(1, 1, 1), block: Dim3::new(64, 1, 1) };
    for loads in 1..12 {
        let text = many_loads(loads);
        let document = Document::parse(text.clone());
        assert_eq!(document.errors(), [], "{text}");
        let line = |what: &str| {
            text.lines().position(|line| line.starts_with(what)).unwrap_or(0) as u32 + 1
        };
        let (load, store) = (line("ld.global") + loads - 1, line("st.global"));
        let wanted = BTreeSet::from([("missing-sync".to_owned(), load, store)]);
        let found = on_device(&document, geometry, 1).expect("a launch").expect("entries");
        assert_eq!(found, [wanted.clone(), wanted], "{loads} loads");
    }
}
