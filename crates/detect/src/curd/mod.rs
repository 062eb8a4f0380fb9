//! CURD: races in shared and global memory, by the sets of locations that threads and blocks read and write.
//!
//! Y. Peng, "Efficient Precise Dynamic Data Race Detection for CPU and GPU", PhD thesis, University of Pennsylvania, 2019,
//! chapter 6; first published as "CURD: A Dynamic CUDA Race Detector", PLDI 2018.
//!
//! A kernel that has atomics, fences, or anything else that sets do not know, is for Barracuda (`choice.rs`,
//! `../barracuda/`). Any other one has only barriers of whole blocks. A race in it is two accesses of a byte, at least one of them a
//! write, of two threads of a block between the same two barriers, or of two blocks of a launch. Every thread has a set of
//! regions that it read, and one of those that it wrote, in shared and in global memory; at a barrier, and at the end of a
//! block, these are compared with each other, go to the sets of the block if they are of global memory, and begin anew. Blocks
//! are compared when the kernel has ended (lazily) or at each barrier (eagerly). Sets know no lockstep, no paths and no values: whatever
//! two lanes of a warp do to one location is a **warning** about synchronisation within a warp; two warps are an
//! **intra-block** race, two blocks an **inter-block** race.
//!
//! Where it deviates, or says what the thesis leaves open:
//! - **Lanes insert together.** The sets of a warp's threads are one list of strips: one region for each lane, at equal distances
//!   (`strips.rs`). A strip is merged with another one where each of its lanes would merge its own region, and not where only
//!   some would. So the threads' sets have the same bytes, and may have more regions than in the thesis; these keep their lines.
//! - **Strips are compared as a whole**, by arithmetic, and lane by lane only where many are intertwined (`writes.rs`).
//! - **Reads are not compressed for the check in a block**: each is looked up in the compressed set of writes, which is sorted.
//! - **Blocks' sets keep strips** that are not one region, and scattered addresses up to a number, as they are.
//! - **`alreadyChecked`** is one number for a block, since barriers come one after the other here (`inter_block.rs`).
//! - **Barriers** do without threads that have ended, whose sets are compared with those of the others.
//! - **Sizes are bounded**, as in the thesis. That of a thread's set is one of its warp: all threads together have room for so many
//!   regions each. What finds no room is not checked, and the report says so.
//!
//! It can miss what Barracuda misses, in kernels that it gives to it: there, lockstep orders lanes. It reports lanes that
//! write the same value; and what only runs of one schedule order, such as blocks that wait for a flag without fences. The line of a
//! side may be another one where regions of different lines were merged; the reason says so, by the thesis' `complete` bit. Addresses
//! are exact. Asynchronous copies, `mbarrier` objects and clusters are outside of it, and kernels that have them are said to be not covered.
//!
//! It never reports two accesses of one thread, two launches that overlap, accesses of the host, or, where sets are used, barriers that
//! not all threads reach.

mod choice;
mod compressed;
mod device;
mod findings;
mod inter_block;
mod intra_block;
mod messages;
mod overlap;
mod regions;
mod reporting;
mod sets;
mod settings;
mod specification;
mod statistics;
mod strips;
mod writes;

use crate::allocations::Allocations;
use crate::barracuda::Barracuda;
use crate::last_access::instruction::site_info;
use crate::last_access::launch::Launch;
use crate::last_access::sites::Sites;
use crate::reporting::{Reported, Scene};
use crate::{Detector, Settings, Statistic};
pub use choice::beyond_sets;
use findings::{Findings, PendingRace};
use inter_block::Grid;
use intra_block::{Block, Checked};
use reporting::Gap;
use rustc_hash::FxHashMap;
use sets::{Row, SetCounts};
pub use settings::{CurdSettings, DeviceMemory, InterBlock};
pub use specification::SPECIFICATION;
use std::sync::Arc;
use warpsan_event::{Access, AccessKind, Batch, Event, EventMask, KernelFacts, SiteTable};
use warpsan_model::{Geometry, LaunchId, WARP_LANES};
use warpsan_report::RaceSink;
use writes::{Among, Writes};

/// How often something happened.
#[derive(Debug, Default)]
struct Counts {
    launches_by_sets: u64,
    launches_by_barracuda: u64,
    barriers: u64,
    write_checks: u64,
    read_checks: u64,
    blocks_reused: u64,
    without_room: u64,
    races: u64,
}

/// The detector of the thesis.
#[derive(Debug)]
pub struct Curd {
    settings: Settings,
    /// For kernels that are not for sets.
    barracuda: Barracuda,
    uses_sets: bool,
    launch: Launch,
    threads_per_block: u32,
    allocations: Allocations,
    sites: Sites,
    /// The blocks that have begun and not ended; which place has which block; and the place that was used last.
    blocks: Vec<Block>,
    places: FxHashMap<u32, usize>,
    last: Option<(u32, usize)>,
    /// Blocks that have ended, for their memory.
    spare: Vec<Block>,
    writes: Writes,
    grid: Grid,
    findings: Findings,
    reported: Reported<PendingRace>,
    set_counts: SetCounts,
    counts: Counts,
    shadow_peak: u64,
    /// Gaps that were reported of this launch.
    reported_no_room: bool,
    reported_unknown: bool,
}

impl Curd {
    /// A detector with these settings.
    pub fn new(settings: Settings) -> Self {
        Curd {
            settings,
            barracuda: Barracuda::new(settings),
            uses_sets: true,
            launch: Launch::default(),
            threads_per_block: 0,
            allocations: Allocations::default(),
            sites: Sites::default(),
            blocks: Vec::new(),
            places: FxHashMap::default(),
            last: None,
            spare: Vec::new(),
            writes: Writes::new(Among::Threads),
            grid: Grid::new(settings.curd),
            findings: Findings::default(),
            reported: Reported::default(),
            set_counts: SetCounts::default(),
            counts: Counts::default(),
            shadow_peak: 0,
            reported_no_room: false,
            reported_unknown: false,
        }
    }

    /// Whether a kernel so far had more synchronisation than sets know.
    pub fn has_used_barracuda(&self) -> bool {
        self.counts.launches_by_barracuda > 0
    }

    fn begin_launch(
        &mut self,
        launch: LaunchId,
        facts: &Arc<KernelFacts>,
        sites: &Arc<SiteTable>,
        geometry: Geometry,
    ) {
        self.launch = Launch::new(launch, facts, sites, geometry);
        self.uses_sets = beyond_sets(facts, sites).is_none();
        if !self.launch.is_of_host {
            self.counts.launches_by_sets += u64::from(self.uses_sets);
            self.counts.launches_by_barracuda += u64::from(!self.uses_sets);
        }
        if self.threads_per_block != geometry.threads_per_block() {
            self.threads_per_block = geometry.threads_per_block();
            self.spare.clear();
        }
        self.sites.clear();
        (self.reported_no_room, self.reported_unknown) = (false, false);
    }

    fn end_launch(&mut self, races: &mut dyn RaceSink) {
        // Blocks that did not come to their end, as in a launch that was given up.
        while let Some(block) = self.blocks.last() {
            self.end_block(block.number, races);
        }
        let bytes = self.grid.bytes();
        self.shadow_peak = self.shadow_peak.max(bytes);
        self.grid.end(&mut self.findings);
        self.report_all(races);
        self.reported.end_launch(races);
    }

    /// The place of a block, which begins if it has not.
    #[inline]
    fn place(&mut self, block: u32) -> usize {
        match self.last {
            Some((last, place)) if last == block => place,
            _ => self.look_up(block),
        }
    }

    #[inline(never)]
    fn look_up(&mut self, block: u32) -> usize {
        let next = self.blocks.len();
        let place = *self.places.entry(block).or_insert(next);
        if place == next {
            let threads = self.threads_per_block;
            let begun = match self.spare.pop() {
                Some(mut spare) => {
                    self.counts.blocks_reused += 1;
                    spare.begin(block, threads);
                    spare
                }
                None => Block::new(block, threads),
            };
            self.blocks.push(begun);
        }
        self.last = Some((block, place));
        place
    }

    #[inline]
    fn access(&mut self, access: &Access<'_>) {
        if self.launch.is_of_host || access.mask == 0 {
            return;
        }
        self.sites.info(access.site, &self.launch.sites, || site_info(access));
        let place = self.place(access.block.0);
        let row = Row {
            addresses: access.addresses,
            mask: access.mask,
            bytes: access.bytes_of_lane(),
            base: access.warp * WARP_LANES,
            site: access.site.0,
        };
        if let Some(set) = self.blocks[place].set(access.warp, access.space, writes(access)) {
            set.insert(&row, &self.settings.curd, &mut self.set_counts);
        }
    }

    /// The threads of a block have met, or the block has ended: their sets are compared and begin anew.
    fn end_of_region(&mut self, place: usize) {
        let block = &mut self.blocks[place];
        let Checked { checks, with_reads } = block.check(&mut self.writes, &mut self.findings);
        self.counts.write_checks += checks;
        self.counts.read_checks += with_reads;
        self.grid.take(block, &mut self.findings);
        block.clear();
    }

    fn barrier(&mut self, block: u32, participants: &[u64], races: &mut dyn RaceSink) {
        let place = self.place(block);
        if self.blocks[place].have_all_waited(participants) {
            self.counts.barriers += 1;
            self.end_of_region(place);
            self.report_all(races);
        } else {
            self.unknown(races);
        }
    }

    fn end_block(&mut self, block: u32, races: &mut dyn RaceSink) {
        let Some(place) = self.places.remove(&block) else { return };
        self.end_of_region(place);
        let ended = self.blocks.swap_remove(place);
        if let Some(moved) = self.blocks.get(place) {
            self.places.insert(moved.number, place);
        }
        self.last = None;
        if ended.warps() == self.threads_per_block.div_ceil(WARP_LANES) as usize {
            self.spare.push(ended);
        }
        self.report_all(races);
    }

    /// An operation that sets do not know.
    fn unknown(&mut self, races: &mut dyn RaceSink) {
        if !self.reported_unknown {
            self.reported_unknown = true;
            self.report_gap(Gap::UnknownOperation, races);
        }
    }

    /// Reports what was found since the last time, and whether there was room.
    fn report_all(&mut self, races: &mut dyn RaceSink) {
        if !self.findings.is_empty() {
            self.report(races);
        }
        let without_room = self.set_counts.no_room + self.grid.set_counts.no_room;
        if without_room > self.counts.without_room {
            self.counts.without_room = without_room;
            if !self.reported_no_room {
                self.reported_no_room = true;
                self.report_gap(Gap::NoRoom, races);
            }
        }
    }

    fn other_event(&mut self, event: &Event<'_>, races: &mut dyn RaceSink) {
        match *event {
            Event::LaunchBegin { launch, facts, sites, geometry } => {
                self.end_launch(races);
                self.begin_launch(launch, facts, sites, geometry);
            }
            Event::LaunchEnd { .. } => self.end_launch(races),
            Event::Allocation { address, bytes, label } => {
                self.allocations.add(address, bytes, label);
            }
            Event::Free { address } => {
                self.allocations.remove(address);
            }
            _ if !self.uses_sets => {}
            Event::BlockEnd { block } => self.end_block(block.0, races),
            Event::LanesEnd { block, warp, mask } => {
                let place = self.place(block.0);
                self.blocks[place].end_lanes(warp, mask);
            }
            Event::Access(ref access) => self.access(access),
            Event::BlockBarrier { block, participants, .. } => {
                self.barrier(block.0, participants, races);
            }
            Event::Fence { .. }
            | Event::WarpBarrier { .. }
            | Event::BlockArrive { .. }
            | Event::Mbarrier(_)
            | Event::ClusterArrive { .. }
            | Event::ClusterWait { .. } => self.unknown(races),
            // What orders launches, and what the thesis does not know: see `not_covered`.
            Event::LaunchOrder { .. }
            | Event::Clusters { .. }
            | Event::PrerequisiteWait { .. }
            | Event::ProxyFence { .. }
            | Event::CopyBegin(_)
            | Event::CopyEnd { .. }
            | Event::CopySignal { .. }
            | Event::CopyWait { .. }
            // Sets know no paths.
            | Event::Reconvergence { .. }
            | Event::BarrierDivergence { .. } => {}
        }
    }

    /// Whether Barracuda has to know of an event: of memory always, of launches that are not for sets, and of what is in
    /// these.
    fn is_for_barracuda(&self, event: &Event<'_>) -> bool {
        !self.uses_sets || matches!(event, Event::Allocation { .. } | Event::Free { .. })
    }

    /// Reports the races that were found since the last time.
    #[cold]
    fn report(&mut self, races: &mut dyn RaceSink) {
        let scene = Scene {
            launch: &self.launch,
            allocations: &self.allocations,
            sites: &self.sites,
            seed: self.settings.seed,
        };
        let found = self.findings.take();
        self.counts.races += found.iter().map(|(_, times)| *times).sum::<u64>();
        let race = |one: &PendingRace| reporting::race(one, &self.settings, &scene);
        self.reported.report(found.into_iter(), races, race);
    }

    /// Something was not checked; each thing is reported once for a launch.
    #[cold]
    fn report_gap(&self, gap: Gap, races: &mut dyn RaceSink) {
        races.not_checked(gap.report(&self.launch.circumstances(self.settings.seed)));
    }
}

/// Whether an access goes to the write sets. An atomic does, and is reported as unknown to sets.
#[inline]
fn writes(access: &Access<'_>) -> bool {
    access.kind != AccessKind::Read
}

impl Detector for Curd {
    fn interest(&self) -> EventMask {
        self.barracuda.interest()
    }

    fn not_covered(&self, facts: &KernelFacts) -> Option<String> {
        crate::barracuda::not_followed("curd", facts)
    }

    fn batch(&mut self, events: &Batch<'_>, races: &mut dyn RaceSink) {
        for number in 0..events.len() {
            match events.access(number) {
                Some(access) if self.uses_sets => {
                    self.access(&access);
                    if !matches!(access.kind, AccessKind::Read | AccessKind::Write) {
                        self.unknown(races);
                    }
                }
                Some(_) => self.barracuda.take(events, number, races),
                None => {
                    let Some(event) = events.event(number) else { continue };
                    self.other_event(&event, races);
                    if self.is_for_barracuda(&event) {
                        self.barracuda.take(events, number, races);
                    }
                }
            }
        }
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.counted()
    }
}

#[cfg(test)]
mod tests;
