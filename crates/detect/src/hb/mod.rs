//! Happens-before under the PTX memory model.
//!
//! A race is a pair of overlapping accesses, one of them a write, that are neither morally strong
//! nor ordered: by program order, by barriers of warps, blocks and clusters, by release and acquire
//! patterns through strong accesses and fences with scopes, by the observation of strong writes to the
//! same address, or by the end of a kernel. Lanes of a warp are threads like any others.
//!
//! Paper: none; the definition is the project's race model, after the memory consistency chapter of
//! the PTX manual. Clocks are kept per thread and compressed per block, as in Barracuda.
//!
//! It can miss a race that the schedule it saw did not show, and a second race of a weak write that
//! a later racy write to the same bytes has replaced. It never reports accesses that the rules above
//! order. Not yet: mbarriers and asynchronous copies (kernels that use them are named as not covered),
//! the kinds `lock` and `missing-fence` and fences of too narrow scope, which are all told as
//! `missing-sync`.

mod classify;
mod conflict;
mod history;
mod sync;

use crate::allocations::Allocations;
use crate::shadow::Shadow;
use crate::{Detector, Settings};
use classify::{Conflict, Setting};
use conflict::{conflict, same_event_conflict};
use history::{History, Record};
use std::collections::HashMap;
use std::sync::Arc;
use sync::{Place, Synchronisation};
use warpsan_event::{
    Access, AccessKind, Batch, Event, EventMask, KernelFacts, LaneAddresses, SiteTable,
};
use warpsan_model::{
    BlockIndex, Dim3, Geometry, LaunchId, SiteId, Space, Strength, ThreadInBlock, ThreadRef,
    WARP_LANES, lanes,
};
use warpsan_report::{RaceKey, RaceKind, RaceSink, Severity};

/// What is done with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// It is compared with the past.
    Compare,
    /// It becomes part of the past, after others of its instruction.
    Remember,
    /// Both at once.
    Both,
}

/// The default detector.
#[derive(Debug)]
pub struct HappensBefore {
    settings: Settings,
    launch: LaunchId,
    geometry: Geometry,
    facts: Arc<KernelFacts>,
    sites: Arc<SiteTable>,
    allocations: Allocations,
    threads: Synchronisation,
    global: Shadow<History>,
    shared: HashMap<u32, Shadow<History>>,
    events: u64,
    /// What was reported in this launch, and how often it was seen since.
    reported: HashMap<(SiteId, SiteId, RaceKind, Severity), (RaceKey, u64)>,
}

impl HappensBefore {
    /// A detector with these settings.
    pub fn new(settings: Settings) -> Self {
        let nothing = Dim3::new(0, 0, 0);
        HappensBefore {
            settings,
            launch: LaunchId(0),
            geometry: Geometry { grid: nothing, block: nothing },
            facts: Arc::default(),
            sites: Arc::default(),
            allocations: Allocations::default(),
            threads: Synchronisation::default(),
            global: Shadow::default(),
            shared: HashMap::new(),
            events: 0,
            reported: HashMap::new(),
        }
    }

    /// Everything before a kernel is ordered before all of it, and all of it before what follows.
    fn forget_launch(&mut self, races: &mut dyn RaceSink) {
        for (_, (key, again)) in self.reported.drain() {
            if again > 0 {
                races.seen_again(&key, again);
            }
        }
        self.global.clear();
        self.shared.clear();
    }

    fn access(&mut self, access: &Access<'_>, races: &mut dyn RaceSink) {
        self.events += 1;
        let only_reads = access.kind == AccessKind::Read;
        // A broadcast is one record for all its lanes; everything else goes lane by lane.
        if let (LaneAddresses::Uniform(address), true) = (access.addresses, only_reads) {
            let mut remaining = access.mask;
            while remaining != 0 {
                let same = self.lanes_with_equal_epoch(access, remaining);
                self.lanes(access, same, 0, address, Step::Both, races);
                remaining &= !same;
            }
            return;
        }
        // Where lanes of one store may overlap, all are compared with what was there before any of
        // them is remembered: the first would hide the past from the others.
        let steps: &[Step] =
            if may_overlap(access) { &[Step::Compare, Step::Remember] } else { &[Step::Both] };
        for step in steps {
            for (rank, (lane, address)) in access.lanes().enumerate() {
                self.lanes(access, 1 << lane, rank, address, *step, races);
            }
        }
    }

    /// The lanes of `mask` whose epoch is that of its lowest lane.
    fn lanes_with_equal_epoch(&mut self, access: &Access<'_>, mask: u32) -> u32 {
        let epoch_of =
            |detector: &mut Self, lane: u32| detector.threads.thread(thread_of(access, lane)).epoch;
        let first = epoch_of(self, mask.trailing_zeros());
        lanes(mask)
            .filter(|lane| epoch_of(self, *lane) == first)
            .fold(0, |same, lane| same | 1 << lane)
    }

    /// The access of some lanes at one address. Several lanes come only with reads.
    fn lanes(
        &mut self,
        access: &Access<'_>,
        mask: u32,
        rank: usize,
        address: u64,
        step: Step,
        races: &mut dyn RaceSink,
    ) {
        let first = thread_of(access, mask.trailing_zeros());
        let wrote = access.wrote & mask != 0;
        for element in 0..usize::from(access.elements) {
            let record = Record {
                block: access.block,
                cluster: self.threads.cluster(access.block),
                warp: access.warp,
                mask,
                active: access.mask,
                epoch: self.threads.thread(first).epoch,
                site: access.site,
                event: self.events,
                strength: access.strength,
                writes: wrote,
                observes: matches!(access.kind, AccessKind::Read | AccessKind::ReadModifyWrite),
                atomic: matches!(access.kind, AccessKind::ReadModifyWrite | AccessKind::Reduction),
                read_only_path: access.read_only_path,
                start: address.wrapping_add(element as u64 * u64::from(access.bytes)),
                bytes: access.bytes,
                value: stored_value(access, rank * usize::from(access.elements) + element),
            };
            let memory = (access.space == Space::Shared).then_some(access.owner);
            self.observe(memory, &record);
            self.check(memory, &record, step, races);
            if step != Step::Compare {
                self.publish(memory, first, &record);
            }
        }
    }

    /// `memory` is the block whose shared memory it is; none for global memory.
    fn check(
        &mut self,
        memory: Option<BlockIndex>,
        record: &Record,
        step: Step,
        races: &mut dyn RaceSink,
    ) {
        let shadow = match memory {
            Some(owner) => self.shared.entry(owner.0).or_default(),
            None => &mut self.global,
        };
        let threads = &mut self.threads;
        let facts = &self.facts;
        let blocks_never_meet =
            !facts.uses_strong_accesses && !facts.uses_fences && !facts.uses_cluster;
        let mut worst: Option<(Conflict, u64)> = None;
        shadow.visit(record.start, u64::from(record.bytes), |at, history| {
            let found = match step {
                Step::Remember => same_event_conflict(history, record),
                Step::Compare | Step::Both => conflict(history, record, threads),
            };
            if let Some(found) = found
                && worst.is_none_or(|(known, _)| known.severity < found.severity)
            {
                worst = Some((found, at));
            }
            if step != Step::Compare {
                history.add(*record, blocks_never_meet);
            }
        });
        if let Some((conflict, at)) = worst {
            let space = if memory.is_some() { Space::Shared } else { Space::Global };
            self.report(space, record, &conflict, at, races);
        }
    }

    /// What a strong read acquires is known before it is compared with others.
    fn observe(&mut self, memory: Option<BlockIndex>, record: &Record) {
        if let (Some(order), Some(scope), true) =
            (record.strength.order(), record.strength.scope(), record.observes)
        {
            for lane in lanes(record.mask) {
                let thread = record.thread(lane);
                self.threads.strong_read(thread, place(memory, record), order, scope);
            }
        }
    }

    /// What a write carries, or ends, for those who read the location later.
    fn publish(&mut self, memory: Option<BlockIndex>, thread: ThreadRef, record: &Record) {
        if !record.writes {
            return;
        }
        match (record.strength.order(), record.strength.scope()) {
            (Some(order), Some(scope)) => {
                let place = place(memory, record);
                self.threads.strong_write(thread, place, order, scope, record.atomic);
            }
            _ => self.threads.weak_write(place(memory, record)),
        }
    }

    #[cold]
    fn report(
        &mut self,
        space: Space,
        record: &Record,
        conflict: &Conflict,
        at: u64,
        races: &mut dyn RaceSink,
    ) {
        let sites = (conflict.other.site, record.site, conflict.kind, conflict.severity);
        if let Some((_, again)) = self.reported.get_mut(&sites) {
            *again += 1;
            return;
        }
        let race = classify::race(&self.setting(), space, record, conflict, at);
        self.reported.insert(sites, (race.key(), 0));
        races.race(race);
    }

    fn setting(&self) -> Setting<'_> {
        Setting {
            seed: self.settings.seed,
            launch: self.launch,
            geometry: &self.geometry,
            facts: &self.facts,
            sites: &self.sites,
            allocations: &self.allocations,
        }
    }
}

impl Detector for HappensBefore {
    fn interest(&self) -> EventMask {
        EventMask::STRUCTURE | EventMask::ACCESSES | EventMask::SYNCHRONISATION | EventMask::VALUES
    }

    fn not_covered(&self, facts: &KernelFacts) -> Option<String> {
        let what = match (facts.uses_async_copies, facts.uses_mbarriers) {
            (false, false) => return None,
            (true, false) => "asynchronous copies are neither ordered nor compared with accesses",
            (false, true) => "what mbarriers order is not known",
            (true, true) => {
                "asynchronous copies are neither ordered nor compared with accesses, and what \
                 mbarriers order is not known"
            }
        };
        Some(format!("the detector hb does not cover the whole kernel yet: {what}"))
    }

    fn batch(&mut self, events: &Batch<'_>, races: &mut dyn RaceSink) {
        for event in events.events() {
            match &event {
                Event::LaunchBegin { launch, facts, sites, geometry } => {
                    self.forget_launch(races);
                    self.launch = *launch;
                    self.geometry = *geometry;
                    self.facts = Arc::clone(facts);
                    self.sites = Arc::clone(sites);
                    self.threads.begin(geometry);
                }
                Event::Clusters { extent } => self.threads.set_clusters(*extent),
                Event::LaunchEnd { .. } => self.forget_launch(races),
                Event::BlockEnd { block } => {
                    self.threads.end_block(*block);
                    self.shared.remove(&block.0);
                }
                Event::Access(access) => self.access(access, races),
                Event::Fence { block, warp, mask, order, scope, .. } => {
                    for lane in lanes(*mask) {
                        let thread = ThreadInBlock(warp * WARP_LANES + lane);
                        self.threads.fence(ThreadRef { block: *block, thread }, *order, *scope);
                    }
                }
                Event::BlockArrive { block, warp, mask, barrier, .. } => {
                    self.threads.block_arrive(*block, *warp, *mask, *barrier);
                }
                Event::BlockBarrier { block, barrier, participants } => {
                    self.threads.block_barrier(*block, *barrier, participants);
                }
                Event::ClusterArrive { block, warp, mask, order, phase, .. } => {
                    if order.releases() {
                        self.threads.cluster_arrive(*block, *warp, *mask, *phase);
                    }
                }
                Event::ClusterWait { block, warp, mask, phase, .. } => {
                    self.threads.cluster_wait(*block, *warp, *mask, *phase);
                }
                Event::WarpBarrier { block, warp, mask } => {
                    self.threads.warp_barrier(*block, *warp, *mask);
                }
                Event::BarrierDivergence { block, site, thread, other_site, other_thread } => {
                    let sides = [(*site, *thread), (*other_site, *other_thread)];
                    races.race(classify::barrier_divergence(&self.setting(), *block, sides));
                }
                Event::Allocation { address, bytes, label } => {
                    self.allocations.add(*address, *bytes, label);
                }
                Event::Free { address } => self.allocations.remove(*address),
                // Not covered yet, and said so for each kernel that has them.
                Event::ProxyFence { .. }
                | Event::Mbarrier(_)
                | Event::CopyBegin(_)
                | Event::CopyEnd { .. }
                | Event::CopySignal { .. }
                | Event::CopyWait { .. } => {}
            }
        }
    }
}

fn thread_of(access: &Access<'_>, lane: u32) -> ThreadRef {
    let thread = ThreadInBlock(access.warp * WARP_LANES + lane);
    ThreadRef { block: access.block, thread }
}

/// Whether two lanes of a weak store can write the same byte.
fn may_overlap(access: &Access<'_>) -> bool {
    let bytes = u64::from(access.bytes) * u64::from(access.elements);
    let apart = match access.addresses {
        LaneAddresses::Strided { stride, .. } => (stride as i64).unsigned_abs() >= bytes,
        LaneAddresses::Uniform(_) => access.mask.count_ones() <= 1,
        LaneAddresses::PerLane(_) => false,
    };
    access.kind == AccessKind::Write && access.strength == Strength::Weak && !apart
}

/// What a store wrote to one of its elements. Other accesses may bring values of other meanings.
fn stored_value(access: &Access<'_>, element: usize) -> Option<[u64; 2]> {
    if access.kind != AccessKind::Write {
        return None;
    }
    if access.bytes > 8 {
        let words = access.values.get(2 * element..2 * element + 2)?;
        return Some([words[0], words[1]]);
    }
    access.values.get(element).map(|value| [*value, 0])
}

fn place(memory: Option<BlockIndex>, record: &Record) -> Place {
    Place { in_block: memory.map(|owner| owner.0), start: record.start, bytes: record.bytes }
}

#[cfg(test)]
mod tests;
