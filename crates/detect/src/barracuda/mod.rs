//! Barracuda: races in shared and global memory, by vector clocks of all threads.
//!
//! Y. Peng, "Efficient Precise Dynamic Data Race Detection for CPU and GPU", PhD thesis, University of Pennsylvania, 2019,
//! chapter 5; first published as "BARRACUDA: Binary-level Analysis of Runtime RAces in CUDA programs", PLDI 2017. The rules are those of its figures 5.4 and 5.5, the formats of clocks those of figure 5.9, and the
//! shadow memory that of figure 5.10.
//!
//! A race is two accesses of a location (a byte), at least one of them a write and not both atomic, that synchronisation order
//! does not order. That is the order of a thread; of the instructions of a warp, which executes in lockstep: whatever active
//! lanes have done is before their next instruction; of barriers; and of a release and an acquire of one location, if both
//! have block scope and are of one block, or one of them has grid scope. What acquires and what releases is inferred from
//! fences (`operations.rs`). Lanes of one instruction are concurrent, and so are the paths of a branch, since the hardware may
//! execute either first. Races are classified: **divergence** (one warp), **intra-block** and **inter-block**.
//!
//! Where it deviates, or says what the thesis leaves open:
//! - **Branches** are known by the lanes that execute: fewer than executed together before are `if`, others are `else`. `fi` is
//!   where the engine says that lanes reconverge (`Event::Reconvergence`), or where lanes of several paths execute together.
//!   The thesis infers all three "from static PTX code by examining the targets of branch instructions", and logs "all branch
//!   convergence points". CUDA has not promised since that lanes meet there. A GPU may let them execute without reconvergence,
//!   and ships no convergence points: its lanes are put together (`EventMask::JOINED`) only as far as the code says that all of
//!   them come to an access. So of what a GPU ships, two branches behind each other between which no lanes of both touch
//!   memory or meet look like the two paths of one, and lanes of both are reported. Lanes that diverge in a loop may stay so
//!   until it is over.
//! - **A load that the compiler has hoisted out of a branch** counts for the lanes of the branch, whose `fi` is not known: it
//!   comes with the next access or join of all.
//! - **An atomic behind a fence**, with none behind itself, acquires and releases; the thesis says it only of one between two
//!   fences. A fence that makes an acquire of `atom.cas` or a release of `atom.exch` makes nothing else (`operations.rs`).
//! - **A predicated access** is a branch, as in the thesis.
//! - **Barriers** do without threads that have ended, whose accesses are before it, as the figure's join over all threads of
//!   the block has it. The thesis calls that barrier divergence; CUDA allows it by now. Barriers of a part of the block order
//!   that part; who only arrives is before those who wait. `__syncwarp` is where lanes meet.
//! - **Clocks are levelled** where threads meet, and sparse clocks have entries for whole warps and blocks (`clock/`). Answers
//!   are those of plain vector clocks.
//! - **Four bytes share an entry** of shadow memory as long as they have one history. Of reads that a write is not after, the one
//!   of the first thread is reported.
//! - **A synchronisation location** is known by its first byte: a release of 8 bytes is none for an acquire of their second half.
//! - **Acquire-release at grid scope**, which figure 5.5 leaves out, is an acquire, then a release. Where the fences in front and
//!   behind have different scopes, each half has its own.
//! - **Operations with acquire and release semantics** are acquires and releases; the scope of a cluster is taken for that of the
//!   grid, as the system's is.
//! - **After a race** the access is remembered as if there were none.
//!
//! It can miss races between synchronising accesses and others, which are not compared; whatever an acquire or release orders that
//! was none (a load that happens to stand before a fence, data that is stored right behind one); races that are ordered by
//! lockstep, which CUDA does not promise any more; what a compare-and-swap that failed seems to acquire; and an order that holds
//! in this run only. It reports what several threads release by plain stores to one location, since a release takes the place
//! of former ones, and what is used under the second of two locks that are given back behind one fence.
//! Asynchronous copies, `mbarrier` objects and clusters are outside of it, and kernels that have them are said to be not covered.
//!
//! It never reports two accesses of one thread, two launches that overlap, accesses of the host, two atomics, whatever their
//! scopes, or lanes of one instruction that write the same value.

mod checking;
mod clock;
mod epoch;
mod findings;
mod location;
mod messages;
mod operations;
mod readers;
mod rules;
mod shadow;
mod specification;
mod synchronisation;

pub use specification::SPECIFICATION;

use crate::allocations::Allocations;
use crate::last_access::blocks::waiting;
use crate::last_access::instruction::site_info;
use crate::last_access::launch::Launch;
use crate::last_access::sites::Sites;
use crate::reporting::{Reported, Scene};
use crate::{Detector, Settings, Statistic};
use clock::{BlockClocks, Branch, Format, WarpClocks};
use findings::PendingRace;
use operations::Operations;
use rules::{Rule, rules_of_reads};
use rustc_hash::FxHashMap;
use shadow::Shadow;
use std::sync::Arc;
use synchronisation::Synchronisation;
use warpsan_event::{Access, Batch, Event, EventMask, KernelFacts, SiteTable};
use warpsan_model::{Geometry, LaunchId, WARP_LANES};
use warpsan_report::RaceSink;

/// How often something happened.
#[derive(Debug, Default)]
struct Counts {
    rules: [u64; Rule::ALL.len()],
    formats: [u64; Format::ALL.len()],
    parts_of_barriers: u64,
    same_value: u64,
    races: u64,
}

impl Counts {
    #[inline]
    fn rule(&mut self, rule: Rule) {
        self.rules[rule as usize] += 1;
    }

    /// Lanes have read one location, the first of them by this rule.
    #[inline]
    fn reads(&mut self, first: Rule, lanes: u32) {
        for (rule, times) in rules_of_reads(first, lanes) {
            self.rules[rule as usize] += times;
        }
    }
}

/// The detector of the thesis.
#[derive(Debug)]
pub struct Barracuda {
    settings: Settings,
    launch: Launch,
    threads_per_block: u32,
    allocations: Allocations,
    sites: Sites,
    operations: Operations,
    /// The blocks that have begun and not ended.
    blocks: FxHashMap<u32, BlockClocks>,
    synchronisation: Synchronisation,
    shadow: Shadow,
    found: Vec<PendingRace>,
    reported: Reported<PendingRace>,
    counts: Counts,
    shadow_peak: u64,
}

impl Barracuda {
    /// A detector with these settings.
    pub fn new(settings: Settings) -> Self {
        Barracuda {
            settings,
            launch: Launch::default(),
            threads_per_block: 0,
            allocations: Allocations::default(),
            sites: Sites::default(),
            operations: Operations::default(),
            blocks: FxHashMap::default(),
            synchronisation: Synchronisation::default(),
            shadow: Shadow::new(),
            found: Vec::new(),
            reported: Reported::default(),
            counts: Counts::default(),
            shadow_peak: 0,
        }
    }

    fn begin_launch(
        &mut self,
        launch: LaunchId,
        facts: &Arc<KernelFacts>,
        sites: &Arc<SiteTable>,
        geometry: Geometry,
    ) {
        self.launch = Launch::new(launch, facts, sites, geometry);
        self.threads_per_block = geometry.threads_per_block();
        self.sites.clear();
        self.operations = Operations::of(sites);
        self.blocks.clear();
        self.synchronisation.begin_launch(geometry.grid.count());
        self.shadow.begin_launch();
    }

    fn end_launch(&mut self, races: &mut dyn RaceSink) {
        self.shadow_peak = self.shadow_peak.max(self.shadow.bytes());
        self.reported.end_launch(races);
    }

    /// A block, which begins if it has not.
    fn block(&mut self, block: u32) -> &mut BlockClocks {
        let threads = self.threads_per_block;
        self.blocks.entry(block).or_insert_with(|| BlockClocks::new(block, threads))
    }

    fn warp(&mut self, block: u32, warp: u32) -> Option<&mut WarpClocks> {
        self.block(block).warps.get_mut(warp as usize)
    }

    /// Lanes go on together, which may show a branch or its end. The format of their clocks; none if there are no such lanes.
    #[inline]
    fn activate(&mut self, block: u32, warp: u32, mask: u32) -> Option<Format> {
        let warp = self.warp(block, warp)?;
        let branch = warp.activate(mask)?;
        let format = warp.active().format();
        match branch {
            Branch::None => {}
            Branch::If => self.counts.rule(Rule::If),
            Branch::ElseOrEnd => self.counts.rule(Rule::ElseEndIf),
        }
        Some(format)
    }

    /// Lanes begin an instruction; no if there are no such lanes.
    #[inline]
    fn begin(&mut self, block: u32, warp: u32, mask: u32) -> bool {
        let format = self.activate(block, warp, mask);
        if let Some(format) = format {
            self.counts.formats[format as usize] += 1;
        }
        format.is_some()
    }

    /// `endi(w)`.
    #[inline]
    fn end(&mut self, block: u32, warp: u32) {
        if let Some(warp) = self.warp(block, warp) {
            warp.active_mut().advance();
            self.counts.rule(Rule::EndInsn);
        }
    }

    /// An instruction that only has lanes meet.
    fn meet(&mut self, block: u32, warp: u32, mask: u32) {
        if self.begin(block, warp, mask) {
            self.end(block, warp);
        }
    }

    #[inline]
    fn access(&mut self, access: &Access<'_>) {
        let (block, warp) = (access.block.0, access.warp);
        if self.launch.is_of_host || !self.begin(block, warp, access.mask) {
            return;
        }
        self.sites.info(access.site, &self.launch.sites, || site_info(access));
        let role = self.operations.role(access.site, access.strength);
        match role.synchronises() {
            true => self.synchronise(access, role),
            false => self.check(access),
        }
        self.end(block, warp);
    }

    fn barrier(&mut self, block: u32, barrier: u32, participants: &[u64]) {
        let state = self.block(block);
        let waiting = |warp| waiting(participants, warp);
        let all_waited = participants.iter().all(|lanes| lanes >> 32 == 0);
        if all_waited && state.are_all(waiting) {
            state.meet();
            self.counts.rule(Rule::Bar);
        } else {
            state.meet_partly(barrier, waiting);
            self.counts.parts_of_barriers += 1;
        }
    }

    fn arrive(&mut self, block: u32, warp: u32, mask: u32, barrier: u32) {
        if self.begin(block, warp, mask) {
            self.block(block).arrive(barrier, warp as usize);
            self.counts.rule(Rule::EndInsn);
        }
    }

    fn end_block(&mut self, block: u32) {
        self.blocks.remove(&block);
        self.shadow.end_block(block);
        self.synchronisation.end_block(block);
    }

    /// Takes the event with this number, and reports what it finds.
    #[inline]
    pub(crate) fn take(&mut self, events: &Batch<'_>, number: usize, races: &mut dyn RaceSink) {
        self.event(events, number, races);
        if !self.found.is_empty() {
            self.report(races);
        }
    }

    /// One event of a batch. What races is found, and not reported yet.
    #[inline]
    fn event(&mut self, events: &Batch<'_>, number: usize, races: &mut dyn RaceSink) {
        match events.access(number) {
            Some(access) => self.access(&access),
            None => {
                if let Some(event) = events.event(number) {
                    self.other_event(&event, races);
                }
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
            Event::BlockEnd { block } => self.end_block(block.0),
            Event::LanesEnd { block, warp, mask } => {
                if let Some(warp) = self.warp(block.0, warp) {
                    warp.end_lanes(mask);
                }
            }
            Event::Access(ref access) => self.access(access),
            Event::Fence { block, warp, mask, .. } | Event::WarpBarrier { block, warp, mask } => {
                self.meet(block.0, warp, mask);
            }
            // `fi(w)`.
            Event::Reconvergence { block, warp, mask } => {
                self.activate(block.0, warp, mask);
            }
            Event::BlockArrive { block, warp, mask, barrier, .. } => {
                self.arrive(block.0, warp, mask, barrier);
            }
            Event::BlockBarrier { block, barrier, participants } => {
                self.barrier(block.0, barrier, participants);
            }
            Event::BarrierDivergence {
                block,
                site,
                thread,
                other_site,
                other_thread,
                completes,
                ..
            } => {
                // Whole warps that meet at two places are all active, which is what the rule BAR asks for.
                let is_of_one_warp = thread / WARP_LANES == other_thread / WARP_LANES;
                if !completes || is_of_one_warp {
                    let waiting = [(site, thread), (other_site, other_thread)];
                    let circumstances = self.launch.circumstances(self.settings.seed);
                    races.race(messages::barrier_divergence(block, waiting, &circumstances));
                }
            }
            Event::Allocation { address, bytes, label } => {
                self.allocations.add(address, bytes, label)
            }
            Event::Free { address } => {
                self.allocations.remove(address);
            }
            // What orders launches, and what the thesis does not know: see `not_covered`.
            Event::LaunchOrder { .. }
            | Event::Clusters { .. }
            | Event::ClusterArrive { .. }
            | Event::ClusterWait { .. }
            | Event::PrerequisiteWait { .. }
            | Event::ProxyFence { .. }
            | Event::Mbarrier(_)
            | Event::CopyBegin(_)
            | Event::CopyEnd { .. }
            | Event::CopySignal { .. }
            | Event::CopyWait { .. } => {}
        }
    }

    /// Reports what was found since the last event.
    #[cold]
    fn report(&mut self, races: &mut dyn RaceSink) {
        let scene = Scene {
            launch: &self.launch,
            allocations: &self.allocations,
            sites: &self.sites,
            seed: self.settings.seed,
        };
        let found = self.found.drain(..).map(|one| (one, 1));
        self.reported.report(found, races, |one| Some(one.race(&scene)));
    }
}

/// What a detector of the thesis does not know about in such a kernel, in a sentence.
pub(crate) fn not_followed(detector: &str, facts: &KernelFacts) -> Option<String> {
    let unknown = [
        (facts.uses_bulk_copies, "bulk copies"),
        (facts.uses_async_copies, "asynchronous copies"),
        (facts.uses_mbarriers, "mbarrier objects"),
        (facts.uses_cluster, "clusters"),
    ];
    let unknown: Vec<&str> =
        unknown.iter().filter(|(is_used, _)| *is_used).map(|(_, what)| *what).collect();
    let what = unknown.join(" and ");
    (!unknown.is_empty()).then(|| format!("the detector {detector} does not follow {what}"))
}

impl Detector for Barracuda {
    fn interest(&self) -> EventMask {
        EventMask::STRUCTURE
            | EventMask::ACCESSES
            | EventMask::SYNCHRONISATION
            | EventMask::VALUES
            | EventMask::JOINED
            | EventMask::RECONVERGENCE
    }

    fn not_covered(&self, facts: &KernelFacts) -> Option<String> {
        not_followed("barracuda", facts)
    }

    fn batch(&mut self, events: &Batch<'_>, races: &mut dyn RaceSink) {
        for number in 0..events.len() {
            self.take(events, number, races);
        }
    }

    fn statistics(&self) -> Vec<Statistic> {
        let rules = Rule::ALL.map(|rule| (rule.name(), self.counts.rules[rule as usize]));
        let formats =
            Format::ALL.map(|format| (format.name(), self.counts.formats[format as usize]));
        let others = [
            ("barriers of a part of a block", self.counts.parts_of_barriers),
            ("lanes of one instruction that wrote the same value", self.counts.same_value),
            ("accesses that race", self.counts.races),
            ("shadow bytes (peak)", self.shadow_peak.max(self.shadow.bytes())),
        ];
        let all = rules.into_iter().chain(formats).chain(others);
        all.map(|(name, value)| Statistic { name, value }).collect()
    }
}

#[cfg(test)]
mod tests;
