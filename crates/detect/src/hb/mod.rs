//! Happens-before under the PTX memory model.
//!
//! A race is a pair of overlapping accesses, one of them a write, that are neither morally strong
//! nor ordered: by program order, by barriers of warps, blocks and clusters, by release and acquire
//! patterns through strong accesses and fences with scopes, by `mbarrier` objects and waits for
//! asynchronous copies, by the observation of strong writes to the same address, or by the order of
//! launches, of which `griddepcontrol.wait` is a part. Lanes of a warp are threads like any others.
//!
//! Paper: none; the definition is the project's race model, after the memory consistency chapter of
//! the PTX manual. Clocks are kept per warp and compressed along the hierarchy, as in Barracuda;
//! neighbouring locations with the same history share an entry, as in SlimFast and CURD.
//!
//! It can miss a race that the schedule it saw did not show, and a second race on a byte where one was
//! already reported. It never reports accesses that the rules above order.
//!
//! Choices where the model leaves one: a `red` continues a chain of updates, but observes nothing. A read
//! through the generic proxy needs no proxy fence before an asynchronous write to the same place, since
//! nothing of it is left to be carried over. A phase of an `mbarrier` passes on what was released in it
//! and in those before it.

mod access;
mod chain;
mod classify;
mod clusters;
mod compare;
mod copies;
mod diagnosis;
mod found;
mod handoff;
mod launches;
mod locks;
mod objects;
mod observe;
mod pass;
mod reads;
mod reductions;
mod rules;
mod segments;
mod shadow;
mod specification;
mod stored;
mod strong;
mod threads;
mod weak;
mod words;
mod writers;

pub use rules::{Rule, Rules};
pub use specification::SPECIFICATION;

use crate::allocations::Allocations;
use crate::clock::Ended;
use crate::{Detector, Settings, Statistic};
use chain::Released;
use compare::Earlier;
use copies::{BulkCopy, BulkEnd};
use found::Conflict;
use handoff::{Arrival, Fault, Handoff, Handoffs};
use launches::{AnnouncedOrder, Launched};
use locks::Locks;
use reads::NotedReads;
use rustc_hash::FxHashMap;
use shadow::{Shadow, SharedMemories};
use std::collections::VecDeque;
use std::sync::Arc;
use threads::{LaneId, Phases, Threads};
use warpsan_event::{Access, AccessKind, Batch, Event, EventMask, KernelFacts, SiteTable};
use warpsan_model::{BlockIndex, Dim3, Geometry, LaunchId, Order, Scope, SiteId, Strength, lanes};
use warpsan_report::{RaceKey, RaceKind, RaceSink, Severity};

/// How many events ahead memory is asked for that will be needed.
const AHEAD: usize = 6;

/// What an instruction does, as its accesses showed it.
#[derive(Debug, Clone, Copy)]
struct SiteInfo {
    strength: Strength,
    /// Bytes of one element.
    bytes: u8,
    /// It is a plain store.
    stores: bool,
    /// It is of the kind that locks are taken with.
    takes_locks: bool,
}

impl SiteInfo {
    /// An instruction that has not accessed memory yet.
    const UNKNOWN: SiteInfo =
        SiteInfo { strength: Strength::Weak, bytes: 0, stores: false, takes_locks: false };
}

impl Default for SiteInfo {
    fn default() -> Self {
        SiteInfo::UNKNOWN
    }
}

/// How often a pair of sites was looked at, and the hand-off that was found last.
type LookedAt = (u64, Option<(Handoff, Fault)>);

/// Both instructions, and what is wrong.
type ReportedPair = (u32, u32, RaceKind, Severity);

/// The default detector.
#[derive(Debug)]
pub struct HappensBefore {
    settings: Settings,
    rules: Rules,
    launch: LaunchId,
    geometry: Geometry,
    facts: Arc<KernelFacts>,
    site_table: Arc<SiteTable>,
    allocations: Allocations,
    threads: Threads,
    global: Shadow,
    shared: SharedMemories,
    sites: Vec<SiteInfo>,
    first_site: u32,
    /// The numbers of the next launch's first block and first site, while earlier launches are remembered.
    next_block: u32,
    next_site: u32,
    /// Launches that the running one is not simply after.
    launched: Vec<Launched>,
    earlier: Vec<Earlier>,
    /// Launches that a thread of the running one is after once it has waited for them.
    prerequisites: Ended,
    /// What the next launch is after, where that is not everything.
    announced_order: Option<AnnouncedOrder>,
    /// The kernel has nothing that could order threads of two blocks.
    blocks_never_meet: bool,
    noted_reads: NotedReads,
    objects: FxHashMap<(u32, u64), Phases>,
    bulk_copies: FxHashMap<u64, BulkCopy>,
    just_ended: Option<u64>,
    bulk_ends: FxHashMap<(u32, u32), BulkEnd>,
    fence_order: Option<Released>,
    locks: Locks,
    handoffs: Handoffs,
    arrivals: FxHashMap<(u32, u64), VecDeque<Arrival>>,
    /// By cluster: arrivals at its barrier that order nothing.
    relaxed_arrivals: FxHashMap<u32, VecDeque<Arrival>>,
    /// By pair of sites: how often hand-offs between them were looked for, and what came of it last.
    looked_at: FxHashMap<(u32, u32), LookedAt>,
    versions: u64,
    /// Numbers the events that are put together line by line, from 1.
    events: u64,
    found: Vec<Conflict>,
    /// What was reported in this launch, and how often it was seen since.
    reported: FxHashMap<ReportedPair, (RaceKey, u64)>,
    shadow_peak: u64,
    shared_peak: u64,
}

impl HappensBefore {
    /// A detector with these settings.
    pub fn new(settings: Settings) -> Self {
        Self::with_rules(settings, Rules::all())
    }

    /// A detector that leaves out what the rules leave out.
    pub fn with_rules(settings: Settings, rules: Rules) -> Self {
        let nothing = Dim3::new(0, 0, 0);
        HappensBefore {
            settings,
            rules,
            launch: LaunchId(0),
            geometry: Geometry { grid: nothing, block: nothing },
            facts: Arc::default(),
            site_table: Arc::default(),
            allocations: Allocations::default(),
            threads: Threads::default(),
            global: Shadow::default(),
            shared: SharedMemories::default(),
            sites: Vec::new(),
            first_site: 0,
            next_block: 0,
            next_site: 0,
            launched: Vec::new(),
            earlier: Vec::new(),
            prerequisites: Ended::default(),
            announced_order: None,
            blocks_never_meet: false,
            noted_reads: NotedReads::default(),
            objects: FxHashMap::default(),
            bulk_copies: FxHashMap::default(),
            just_ended: None,
            bulk_ends: FxHashMap::default(),
            fence_order: None,
            locks: Locks::default(),
            handoffs: Handoffs::default(),
            arrivals: FxHashMap::default(),
            relaxed_arrivals: FxHashMap::default(),
            looked_at: FxHashMap::default(),
            versions: 0,
            events: 0,
            found: Vec::new(),
            reported: FxHashMap::default(),
            shadow_peak: 0,
            shared_peak: 0,
        }
    }

    /// The number of a site among those of all launches that are remembered.
    #[inline]
    fn site_number(&self, site: SiteId) -> u32 {
        self.first_site + site.0
    }

    /// The number of a block among all that are remembered.
    #[inline]
    fn block_number(&self, block: BlockIndex) -> u32 {
        self.threads.base + block.0
    }

    fn shadow(&mut self, owner: Option<u32>) -> &mut Shadow {
        shadow_of(&mut self.shared, &mut self.global, owner)
    }

    #[inline]
    fn access(&mut self, access: &Access<'_>) {
        let site = self.site_number(access.site) as usize;
        if self.sites.get(site).is_none_or(|info| info.bytes == 0) {
            self.learn_site(access);
        }
        match access.strength {
            Strength::Weak => self.weak_access(access),
            strength => {
                if strength == Strength::Volatile {
                    self.rules.count(Rule::Volatile);
                }
                self.strong_access(access);
            }
        }
    }

    #[cold]
    fn learn_site(&mut self, access: &Access<'_>) {
        let site = self.site_number(access.site) as usize;
        let takes_locks = self.facts.may_use_locks && {
            let instruction = &self.site_table.get(access.site).instruction;
            instruction.contains(".cas") || instruction.contains(".exch")
        };
        if self.sites.len() <= site {
            self.sites.resize(site + 1, SiteInfo::default());
        }
        self.sites[site] = SiteInfo {
            strength: access.strength,
            bytes: access.bytes,
            stores: access.kind == AccessKind::Write,
            takes_locks,
        };
    }

    fn fence(
        &mut self,
        block: BlockIndex,
        warp: u32,
        mask: u32,
        site: SiteId,
        kind: (Order, Scope),
    ) {
        let site = self.site_number(site);
        let block = self.block_number(block);
        for lane in lanes(mask) {
            self.locks.fence(LaneId { block, warp, lane });
        }
        if self.settings.fence_sc_orders && self.rules.applies(Rule::FenceScOrder) {
            self.fence_order.get_or_insert_default();
        }
        let in_order = self.fence_order.as_mut();
        self.threads.fence(block, warp, mask, kind, site, &mut self.rules, in_order);
    }

    fn other_event(&mut self, event: Option<Event<'_>>, races: &mut dyn RaceSink) {
        let Some(event) = event else { return };
        match &event {
            Event::LaunchOrder { launch, after, after_wait, open } => {
                self.announced_order = Some(AnnouncedOrder {
                    launch: *launch,
                    after: after.to_vec(),
                    after_wait: after_wait.to_vec(),
                    open: open.to_vec(),
                });
            }
            Event::LaunchBegin { launch, facts, sites, geometry } => {
                self.begin_launch(*launch, facts, sites, geometry, races);
            }
            Event::Clusters { extent } => self.threads.set_clusters(*extent),
            Event::LaunchEnd { .. } => self.end_launch(races),
            Event::BlockEnd { block } => self.end_block(*block),
            Event::Fence { block, warp, mask, site, order, scope } => {
                self.fence(*block, *warp, *mask, *site, (*order, *scope));
            }
            Event::Mbarrier(access) => self.mbarrier(access),
            Event::CopyBegin(copies) => self.copy_begin(copies),
            Event::CopyEnd { copy } => self.just_ended = Some(*copy),
            Event::BarrierDivergence {
                block,
                site,
                thread,
                other_site,
                other_thread,
                completes,
            } => {
                let sides = [(*site, *thread), (*other_site, *other_thread)];
                races.race(self.barrier_divergence(*block, sides, *completes));
            }
            Event::Allocation { address, bytes, label } => {
                // What was there before is another memory's history.
                self.global.forget(address.0, *bytes);
                self.allocations.add(*address, *bytes, label);
            }
            Event::Free { address } => self.allocations.remove(*address),
            other => self.synchronisation(other),
        }
    }

    fn synchronisation(&mut self, event: &Event<'_>) {
        match event {
            Event::BlockArrive { block, warp, mask, barrier, .. } => {
                let block = self.block_number(*block);
                self.threads.block_arrive(block, *warp, *mask, *barrier);
            }
            Event::BlockBarrier { block, barrier, participants } => {
                self.rules.count(Rule::BlockBarrier);
                if self.rules.applies(Rule::BlockBarrier) {
                    let block = self.block_number(*block);
                    self.threads.block_barrier(block, *barrier, participants, &mut self.rules);
                    self.forget_what_was_noted(block);
                }
            }
            Event::ClusterArrive { block, warp, mask, site, order, phase } => {
                self.cluster_arrive((*block, *warp, *mask), *site, *order, *phase);
            }
            Event::ClusterWait { block, warp, mask, site, phase } => {
                self.cluster_wait((*block, *warp, *mask), *site, *phase);
            }
            Event::WarpBarrier { block, warp, mask } => {
                self.rules.count(Rule::WarpBarrier);
                if self.rules.applies(Rule::WarpBarrier) {
                    let block = self.block_number(*block);
                    self.threads.warp_barrier(block, *warp, *mask);
                }
            }
            Event::PrerequisiteWait { block, warp, mask, .. } => {
                self.wait_for_prerequisites((*block, *warp, *mask));
            }
            Event::ProxyFence { block, warp, mask, proxy, .. } => {
                self.rules.count(Rule::ProxyFence);
                let block = self.block_number(*block);
                self.threads.proxy_fence(block, *warp, *mask, *proxy);
            }
            Event::CopyWait { block, warp, mask, bulk, read, before, .. } => {
                self.copy_wait((*block, *warp, *mask), (*bulk, *read), before);
            }
            Event::CopySignal { block, warp, lane, copy, owner, address, phase } => {
                let block = self.block_number(*block);
                let issuer = LaneId { block, warp: *warp, lane: *lane };
                let object = (self.block_number(*owner), *address);
                self.copy_signal(issuer, *copy, object, *phase);
            }
            _ => {}
        }
    }

    fn end_block(&mut self, block: BlockIndex) {
        let block = self.block_number(block);
        // A sample is enough: blocks of one launch are much alike.
        if block.is_multiple_of(64) {
            self.note_peak();
        }
        // Others of the cluster may still reach into the memory of a block that has ended.
        for ended in self.threads.end_block(block) {
            self.shared.remove(ended);
            self.objects.retain(|(owner, _), _| *owner != ended);
        }
    }
}

/// The shadow of a block's shared memory, or of global memory. Not a method, so that the rest of the
/// detector can be used at the same time.
fn shadow_of<'a>(
    shared: &'a mut SharedMemories,
    global: &'a mut Shadow,
    owner: Option<u32>,
) -> &'a mut Shadow {
    match owner {
        Some(owner) => shared.get_or_begin(owner),
        None => global,
    }
}

impl Detector for HappensBefore {
    fn interest(&self) -> EventMask {
        EventMask::STRUCTURE | EventMask::ACCESSES | EventMask::SYNCHRONISATION | EventMask::VALUES
    }

    fn batch(&mut self, events: &Batch<'_>, races: &mut dyn RaceSink) {
        for number in 0..events.len() {
            if let Some(address) = events.global_address(number + AHEAD) {
                self.global.prefetch(address);
            }
            match events.access(number) {
                Some(access) => self.access(&access),
                None => self.other_event(events.event(number), races),
            }
            if !self.found.is_empty() {
                self.tell(races);
            }
        }
    }

    fn statistics(&self) -> Vec<Statistic> {
        let mut statistics = self.rules.statistics();
        statistics.push(Statistic { name: "shadow bytes (peak)", value: self.shadow_peak });
        statistics
    }
}

#[cfg(test)]
mod tests;
