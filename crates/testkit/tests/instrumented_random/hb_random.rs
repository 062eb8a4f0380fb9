//! Random kernels against hb's entries on the device: what is reported is there, and of every location that has races one is reported.

use std::collections::BTreeSet;

use warpsan_instrument::{DevicePlan, DeviceReport, Refusal, entry_gaps};
use warpsan_model::Geometry;
use warpsan_ptx::Document;
use warpsan_testkit::instrumented::{EmulatedDevice, EmulatedLaunch, EntryGaps, Parsed};

use crate::barrier_kernels::{GLOBAL_BYTES, Mix, RaceOnLines, kernel, races_of};

/// Kernels that are tried, and the seed of the first, unless the environment has others (`WARPSAN_RANDOM_KERNELS`, `WARPSAN_RANDOM_FIRST`).
const KERNELS: u64 = 1000;
const FIRST: u64 = 0;

/// What the device reports of each of two launches, one after the other; nothing if the entries are not for the kernel.
pub(crate) fn on_device(
    document: &Document,
    geometry: Geometry,
    seed: u64,
    plan: DevicePlan,
) -> anyhow::Result<Option<[BTreeSet<RaceOnLines>; 2]>> {
    let parsed = Parsed::of(document);
    let made = match parsed.instrument(parsed.kernels()[0], "sm_90", plan) {
        Ok(made) => made,
        Err(Refusal::BarriersOfSome) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut device = EmulatedDevice::for_plan(plan)?;
    let data = device.allocate(GLOBAL_BYTES)?;
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
    // The second one finds the entries of the first, and has its threads in another order.
    let first = device.launch(&made, &launch)?;
    let second = device.launch(&made, &EmulatedLaunch { seed: !seed, ..launch })?;
    Ok(Some([first, second].map(|reports| reports.iter().map(race).collect())))
}

/// Whether what was lost is what entries cannot know: whether a thread has written the source of its own copy before or after, where that is in a loop; and what else
/// raced, or was ordered, where volatile accesses meet weak ones; and whether two accesses are of one epoch, where a tile has passed many barriers.
fn may_be_undecided(mix: Mix, error: &anyhow::Error) -> bool {
    let gaps = error.downcast_ref::<EntryGaps>().map_or(0, |gaps| gaps.0);
    let of_copies = if mix.copies { entry_gaps::SOURCES } else { 0 };
    let of_volatile = if mix.volatile { entry_gaps::OBSERVED | entry_gaps::WITNESSES } else { 0 };
    let of_tiles = if mix.tiles.is_some() { entry_gaps::EPOCHS } else { 0 };
    gaps != 0 && gaps & !(of_copies | of_volatile | of_tiles) == 0
}

/// What came of a kernel.
enum Outcome {
    /// The entries are not for it, or it cannot run.
    NotFor,
    /// Something could not be known, and the device said so.
    Undecided,
    /// So many races are in it, and the device has said the same.
    Compared(usize),
}

/// Compares what the device reports of a kernel with the races that are in it.
fn compare(seed: u64, mix: Mix) -> Outcome {
    let (text, geometry) = kernel(seed, mix);
    let document = Document::parse(text.clone());
    assert_eq!(document.errors(), [], "{text}");
    let Ok(there) = races_of(&document, geometry, seed, mix.tiles) else { return Outcome::NotFor };
    // Where entries of shared memory are, is no matter.
    let plan = match seed % 10 {
        9 => DevicePlan::HappensBeforeInSlots,
        _ => DevicePlan::HappensBefore,
    };
    let found = match on_device(&document, geometry, seed, plan) {
        Ok(found) => found,
        Err(error) if may_be_undecided(mix, &error) => return Outcome::Undecided,
        Err(error) => panic!("kernel {seed}: {error:#}\n{text}"),
    };
    let Some(found) = found else { return Outcome::NotFor };
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
    Outcome::Compared(all.len())
}

/// The numbers of the kernels that are tried.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str, usual: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let first = number("WARPSAN_RANDOM_FIRST", FIRST);
    first..first + number("WARPSAN_RANDOM_KERNELS", usual)
}

/// Kernels that have shown a fault. Of a word that a copy reads which nobody waits for, the writer was not compared with readers of other blocks; and of two such copies
/// of one thread, the earlier one stood for both. And a copy was not compared with updates of what it was reading. Of volatile stores without volatile loads, and of
/// several of them that came before a weak access, pairs of two volatile ones alone were reported.
const ONCE_WRONG: [u64; 5] = [62480, 830, 118515, 107821, 121177];

#[test]
fn entries_of_the_device_report_every_racy_location_and_nothing_else() {
    let (mut compared, mut with_volatile, mut with_owners) = (0, 0, 0);
    let (mut races, mut undecided) = (0, 0);
    let seeds = seeds(KERNELS);
    let kernels = seeds.end - seeds.start;
    for seed in seeds.chain(ONCE_WRONG) {
        let (leaving, warp_barriers) = (seed % 4 == 0, seed % 2 == 0);
        let (updates, copies) = (seed % 3 == 0, seed % 5 == 0);
        let volatile = seed % 7 == 0 && !updates && !copies;
        let stores_alone = seed % 7 == 1 && !warp_barriers && !updates && !copies;
        // All mixes have loops over lines now and then.
        let loops_of_lines = seed % 11 < 4;
        let mix = Mix {
            leaving,
            warp_barriers,
            tiles: None,
            updates,
            copies,
            volatile,
            stores_alone,
            loops_of_lines,
        };
        match compare(seed, mix) {
            Outcome::NotFor => {}
            Outcome::Undecided => undecided += 1,
            Outcome::Compared(found) => {
                compared += 1;
                with_volatile += u64::from(mix.volatile);
                with_owners += u64::from(mix.stores_alone);
                races += found;
            }
        }
    }
    assert!(compared > kernels / 2 && races > 100, "{compared} kernels, {races} races");
    assert!(with_volatile > kernels / 20, "{with_volatile} kernels with volatile accesses");
    assert!(with_owners > kernels / 50, "{with_owners} kernels without loads of shared memory");
    assert!(undecided <= kernels / 50, "{undecided} undecided");
}

/// Kernels that have shown a fault: two readers of a word came at the same time, one of them from a line, and the site of a third one was kept.
const ONCE_WRONG_TILES: [u64; 1] = [5787];

#[test]
fn barriers_of_tiles_order_what_is_in_a_tile() {
    let seeds = seeds(KERNELS / 8);
    let kernels = seeds.end - seeds.start;
    let (mut compared, mut races, mut undecided) = (0, 0, 0);
    for seed in seeds.chain(ONCE_WRONG_TILES) {
        let mix = Mix {
            leaving: false,
            warp_barriers: seed % 2 == 0,
            tiles: Some([2, 4, 8, 16][(seed / 13 % 4) as usize]),
            updates: seed % 3 == 0,
            copies: false,
            volatile: false,
            stores_alone: seed % 7 == 1,
            loops_of_lines: seed % 11 < 4,
        };
        match compare(seed, mix) {
            Outcome::NotFor => {}
            Outcome::Undecided => undecided += 1,
            Outcome::Compared(found) => (compared, races) = (compared + 1, races + found),
        }
    }
    assert!(compared > kernels / 2 && races > 20, "{compared} kernels, {races} races");
    assert!(undecided <= kernels / 20, "{undecided} undecided");
}
