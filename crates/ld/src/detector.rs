//! The detector: launches of a process, one after the other.

use crate::blocks::{BlockCheck, CheckedBlocks, check_blocks};
use crate::crew::Crew;
use crate::findings::Findings;
use crate::refusal;
use crate::targets::Targets;
use crate::warps::{CheckedBlock, WarpCheck, check_block};
use std::sync::atomic::{AtomicU64, Ordering};
use warpsan_detect::ld::{AfterRace, Between, UNEXPLAINED, ValueRace};
use warpsan_detect::{Circumstances, Settings, Statistic, shared_variable};
use warpsan_event::{Batch, EventMask, EventSink};
use warpsan_model::{DeviceAddress, Space};
use warpsan_report::{AllocationReport, NotCovered, RaceSink};
use warpsan_simt::{DeviceMemory, Launch, LaunchError, LaunchStats, Outcome, run};

/// How often something happened, and how much.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    launches: u64,
    refused: u64,
    block_passes: u64,
    warp_passes: u64,
    regions: u64,
    racy_regions: u64,
    regions_without_writes: u64,
    racy_warps: u64,
    racy_bytes: u64,
    copies: u64,
    target_bytes: u64,
    copy_bytes: u64,
    held_bytes: u64,
    races: u64,
}

/// The detector of the paper, on the CPU engine.
#[derive(Debug)]
pub struct Ld {
    settings: Settings,
    counts: Counts,
}

/// A launch that is being checked, and its surroundings.
struct Checked<'a> {
    launch: &'a Launch<'a>,
    memory: &'a DeviceMemory,
    targets: Targets,
    goes_on: bool,
    /// Copies of blocks, and of the warps of a block.
    copies: (u64, u64),
}

impl Ld {
    /// A detector with these settings.
    pub fn new(settings: Settings) -> Ld {
        Ld { settings, counts: Counts::default() }
    }

    /// Says whether a launch is not for copies, and reports why.
    pub fn refuses(
        &mut self,
        launch: &Launch<'_>,
        memory: &DeviceMemory,
        races: &mut dyn RaceSink,
    ) -> bool {
        self.counts.launches += 1;
        let refusal = refusal::for_detection(launch, memory.has_registered_ranges());
        let Some(refusal) = refusal else { return false };
        self.counts.refused += 1;
        races.not_checked(not_covered(
            launch,
            format!("a kernel that the detector ld does not check: {refusal}"),
            "check it with --detector hb",
        ));
        true
    }

    /// Runs a launch that is not refused on copies of memory, and reports its races. What it leaves in memory is what the
    /// launch would.
    pub fn run(
        &mut self,
        launch: &Launch<'_>,
        memory: &DeviceMemory,
        races: &mut dyn RaceSink,
    ) -> Outcome {
        let launch = launch.for_blocks(memory);
        let checked = self.plan(&launch, memory);
        match self.check(&checked, races) {
            Ok(outcome) => outcome,
            Err(error) => as_it_is(&checked, &error, races),
        }
    }

    fn plan<'a>(&self, launch: &'a Launch<'a>, memory: &'a DeviceMemory) -> Checked<'a> {
        let targets = Targets::of(launch, memory);
        let most = |units: u64, target: u64| {
            let asked = self.settings.ld.copies.0.map_or(u64::MAX, u64::from);
            let fitting = self.settings.ld.memory.bytes();
            let fitting = fitting.map_or(u64::MAX, |bytes| Targets::copies_within(bytes, target));
            units.min(asked).min(fitting)
        };
        let blocks = most(launch.geometry.grid.count(), targets.global);
        let warps = u64::from(launch.geometry.warps_per_block());
        let warps = most(warps, targets.global + targets.shared);
        let goes_on = self.settings.ld.after_race == AfterRace::GoOn;
        Checked { launch, memory, targets, goes_on, copies: (blocks, warps) }
    }

    fn check(
        &mut self,
        checked: &Checked<'_>,
        races: &mut dyn RaceSink,
    ) -> Result<Outcome, LaunchError> {
        let Checked { launch, memory, goes_on, copies, .. } = *checked;
        let crew = Crew::new(launch, memory);
        let blocks = launch.geometry.grid.count();
        let lanes = self.settings.ld.lanes;
        let check = BlockCheck { blocks, copies: copies.0, goes_on, lanes };
        let CheckedBlocks {
            mut findings,
            union,
            printed,
            out_of_bounds,
            instructions,
            accesses,
            passes,
            copy_bytes,
        } = check_blocks(&crew, check)?;
        self.counts.block_passes += passes;
        self.note_copies(copies.0, checked.targets.global, copy_bytes);
        let has_race = findings.races.iter().any(|(race, _)| race.between == Between::Blocks);
        if launch.geometry.warps_per_block() > 1 && (goes_on || !has_race) {
            for block in self.check_warps(&crew, checked)? {
                findings.append(block.findings);
            }
        }
        crew.put_after(&union);
        drop(crew);
        self.report(checked, findings, races);
        Ok(Outcome {
            stats: LaunchStats { warp_instructions: instructions, accesses },
            printed,
            turns: None,
            out_of_bounds,
            result: Ok(()),
        })
    }

    /// Warps of each block against each other. After a race, blocks behind that one are left out.
    fn check_warps(
        &mut self,
        crew: &Crew<'_>,
        checked: &Checked<'_>,
    ) -> Result<Vec<CheckedBlock>, LaunchError> {
        let blocks = checked.launch.geometry.grid.count();
        let check = WarpCheck { copies: checked.copies.1, goes_on: checked.goes_on };
        let first_racy = AtomicU64::new(u64::MAX);
        let results = crew.each(blocks as usize, |worker, block| {
            if block as u64 > first_racy.load(Ordering::Relaxed) {
                return None;
            }
            let done = check_block(worker, block as u32, check);
            worker.run.take_printed();
            let stops = match &done {
                Ok(done) => !check.goes_on && !done.findings.is_empty(),
                Err(_) => true,
            };
            if stops {
                first_racy.fetch_min(block as u64, Ordering::Relaxed);
            }
            Some(done)
        });
        let last = first_racy.into_inner();
        let mut all = Vec::new();
        let mut regions = rustc_hash::FxHashSet::default();
        for (block, done) in results.into_iter().enumerate() {
            let Some(done) = done.filter(|_| block as u64 <= last) else { continue };
            let done = done?;
            self.counts.warp_passes += done.passes;
            self.counts.regions_without_writes += done.without_writes;
            regions.extend(done.regions.iter().copied());
            let target = checked.targets.global + checked.targets.shared;
            self.note_copies(checked.copies.1, target, done.copy_bytes);
            all.push(done);
        }
        self.counts.regions += regions.len() as u64;
        Ok(all)
    }

    fn note_copies(&mut self, copies: u64, target: u64, held: u64) {
        let counts = &mut self.counts;
        if copies * target >= counts.copy_bytes {
            counts.copies = copies;
            counts.target_bytes = target;
            counts.copy_bytes = copies * target;
        }
        counts.held_bytes = counts.held_bytes.max(held);
    }

    fn report(&mut self, checked: &Checked<'_>, findings: Findings, races: &mut dyn RaceSink) {
        let launch = checked.launch;
        self.counts.racy_regions += findings.regions.len() as u64;
        self.counts.racy_warps += findings.warps.len() as u64;
        self.counts.racy_bytes += findings.byte_count();
        if findings.unexplained > 0 {
            races.not_checked(not_covered(
                launch,
                UNEXPLAINED.to_owned(),
                "a race of it may be missing; check it with --detector hb",
            ));
        }
        let circumstances = Circumstances {
            facts: &launch.kernel.facts,
            sites: &launch.kernel.sites,
            geometry: &launch.geometry,
            launch: launch.id,
            seed: self.settings.seed,
        };
        for (found, times) in &findings.races {
            let allocation = allocation(checked, found);
            let race = warpsan_detect::ld::race(found, &self.settings, &circumstances, allocation);
            if let Some(mut race) = race {
                race.count = *times;
                self.counts.races += 1;
                races.race(race);
            }
        }
    }

    /// How often each step was taken so far, and what copies needed.
    pub fn statistics(&self) -> Vec<Statistic> {
        let Counts {
            launches,
            refused,
            block_passes,
            warp_passes,
            regions,
            racy_regions,
            regions_without_writes,
            racy_warps,
            racy_bytes,
            copies,
            target_bytes,
            copy_bytes,
            held_bytes,
            races,
        } = self.counts;
        [
            ("launches", launches),
            ("launches that were refused", refused),
            ("passes of blocks", block_passes),
            ("passes of warps, by region and block", warp_passes),
            ("regions analysed", regions),
            ("regions with races", racy_regions),
            ("regions without writes, by block", regions_without_writes),
            ("warps in races", racy_warps),
            ("bytes in races", racy_bytes),
            ("private copies, of the launch with the largest", copies),
            ("bytes of target variables", target_bytes),
            ("bytes of copies: copies × target variables", copy_bytes),
            ("bytes that copies held at most", held_bytes),
            ("races", races),
        ]
        .into_iter()
        .map(|(name, value)| Statistic { name, value })
        .collect()
    }
}

/// A launch that cannot be run on copies: it fails without us, too, or it waits for what other warps write.
fn as_it_is(checked: &Checked<'_>, error: &LaunchError, races: &mut dyn RaceSink) -> Outcome {
    let outcome = run(checked.launch, checked.memory, &mut Nobody);
    if outcome.result.is_ok() {
        races.not_checked(not_covered(
            checked.launch,
            format!("a kernel that the detector ld cannot run on private copies: {error}"),
            "its warps or blocks may wait for each other; check it with --detector hb",
        ));
    }
    outcome
}

fn not_covered(launch: &Launch<'_>, what: String, advice: &str) -> NotCovered {
    let place = format!("kernel `{}`", launch.kernel.facts.display_name);
    NotCovered { what, place, advice: advice.to_owned() }
}

/// The variable or the allocation that a race is in.
fn allocation(checked: &Checked<'_>, found: &ValueRace) -> Option<AllocationReport> {
    if found.space == Space::Shared {
        return shared_variable(&checked.launch.kernel.facts, found.address);
    }
    let allocation = checked.memory.allocation_at(DeviceAddress(found.address))?;
    let offset = found.address - allocation.address.0;
    let label =
        allocation.label.map_or_else(|| "device memory".to_owned(), |name| name.to_string());
    Some(AllocationReport { label, bytes: allocation.bytes, offset })
}

/// Nobody listens.
pub(crate) struct Nobody;

impl EventSink for Nobody {
    fn interest(&self) -> EventMask {
        EventMask::NONE
    }

    fn batch(&mut self, _: &Batch<'_>) {}
}
