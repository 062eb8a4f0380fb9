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
//!
//! # Code map
//!
//! [`HappensBefore`] is the algorithm, one event after another. It holds three parts, and each sees no more of the
//! others than is said here:
//!
//! - `CausalityOrder` answers whether an earlier access is ordered before a new one. Every warp counts epochs; a
//!   `View` says up to which epoch a lane knows what others did, and synchronisation joins views. An epoch never
//!   goes back, and nobody forgets what is known. It knows neither memory nor reports.
//! - `History` remembers who accessed which bytes: an `Entry` for weak accesses that are alike, a `StrongLocation` for
//!   strong ones, both in lines of 128 bytes. What is dropped is ordered before all that may come, or something that
//!   stays races with whoever would race with it. It asks the order through closures, and keeps a `Chain` for it with
//!   each strong location.
//! - `Diagnosis` names what is missing: hand-offs, locks, the kind, messages, what was reported already. It sees
//!   the others through an `Evidence` of shared references, so that no verdict depends on it. It tags the history: an
//!   entry has the set of locks that were held, a strong location its last `Writers`.
//!
//! Blocks and sites of all remembered launches are counted through (`BlockNumber`,
//! `SiteNumber`); those of the running launch come last.

mod accesses;
mod clusters;
mod copies;
mod device;
mod diagnosis;
mod history;
mod host;
mod ids;
mod launches;
mod objects;
mod order;
mod rules;
mod specification;
mod strong_access;
mod swap;

pub use rules::{Rule, Rules};
pub use specification::SPECIFICATION;

use crate::{Detector, Settings, Statistic};
use diagnosis::{Diagnosis, End, Evidence};
use history::History;
use ids::{LaneId, WarpLanes, WarpNumber};
use order::{AnnouncedOrder, CausalityOrder, Object};
use std::sync::Arc;
use swap::Swap;
use warpsan_event::{Access, Batch, Event, EventMask, KernelFacts, OperationKind, ProxyKind};
use warpsan_model::{BlockIndex, Order, Scope, SiteId, Strength};
use warpsan_report::RaceSink;

/// How many events ahead memory is asked for that will be needed.
const AHEAD: usize = 6;

/// The default detector.
#[derive(Debug)]
pub struct HappensBefore {
    settings: Settings,
    rules: Rules,
    /// The kernel that runs.
    kernel: Arc<KernelFacts>,
    order: CausalityOrder,
    history: History,
    diagnosis: Diagnosis,
}

impl HappensBefore {
    /// A detector with these settings.
    pub fn new(settings: Settings) -> Self {
        Self::with_rules(settings, Rules::all())
    }

    /// A detector that leaves out what the rules leave out.
    pub fn with_rules(settings: Settings, rules: Rules) -> Self {
        HappensBefore {
            settings,
            rules,
            kernel: Arc::default(),
            order: CausalityOrder::default(),
            history: History::default(),
            diagnosis: Diagnosis::default(),
        }
    }

    /// The diagnosis, and what it may look at.
    fn diagnosis(&mut self) -> (&mut Diagnosis, Evidence<'_>) {
        let evidence = Evidence {
            settings: &self.settings,
            rules: &self.rules,
            kernel: &self.kernel,
            order: &self.order,
            sites: &self.history.sites,
        };
        (&mut self.diagnosis, evidence)
    }

    /// Explains what was found since the last event.
    #[cold]
    fn explain_pending(&mut self) {
        let (diagnosis, evidence) = self.diagnosis();
        diagnosis.explain_pending(&evidence);
    }

    #[inline]
    fn access(&mut self, access: &Access<'_>) {
        if !self.history.sites.is_known(self.order.site_number(access.site)) {
            self.learn_site(access);
        }
        let warp = self.order.lanes(access.block, access.warp, access.mask).warp();
        self.diagnosis.parts.access(warp, self.order.site_number(access.site), access.mask);
        match access.strength {
            Strength::Weak => self.weak_access(access),
            Strength::Volatile => {
                self.rules.count(Rule::Volatile);
                self.strong_access(access);
            }
            Strength::Strong { .. } => self.strong_access(access),
        }
        if self.order.may_meet_host {
            self.host_may_hand_over(access);
        }
    }

    #[cold]
    fn learn_site(&mut self, access: &Access<'_>) {
        let site = self.order.launches.site_table.get(access.site);
        let takes_locks = match site.operation().kind {
            OperationKind::Atomic(kind) if self.kernel.may_use_locks => {
                Swap::of(kind, &site.instruction)
            }
            _ => None,
        };
        self.history.sites.learn(self.order.site_number(access.site), access, takes_locks);
    }

    fn fence(&mut self, fencing: WarpLanes, site: SiteId, kind: (Order, Scope)) {
        let site = self.order.site_number(site);
        let (order, scope) = kind;
        if self.settings.fence_sc_orders && order == Order::SeqCst {
            let state = self.order.threads.warp(fencing.warp());
            let end = End { site, scope, is_fence: true, is_sc: true, epoch: state.epoch };
            self.diagnosis.handoffs.note_fence(fencing, end, state);
        }
        self.order.fence(fencing, kind, site, &self.settings, &self.rules);
    }

    /// Every event but the accesses of warps.
    fn other_event(&mut self, event: &Event<'_>, races: &mut dyn RaceSink) {
        match *event {
            Event::Access(ref access) => self.access(access),
            Event::LaunchOrder { launch, after, after_wait, perhaps_after, open } => {
                self.order.launches.announce(AnnouncedOrder {
                    launch,
                    after: after.to_vec(),
                    after_wait: after_wait.to_vec(),
                    perhaps_after: perhaps_after.to_vec(),
                    open: open.iter().copied().collect(),
                });
            }
            Event::LaunchBegin { launch, facts, sites, ref geometry } => {
                self.begin_launch(launch, facts, sites, geometry, races);
            }
            Event::Clusters { extent } => self.order.threads.set_clusters(extent),
            Event::LaunchEnd { .. } => self.end_launch(races),
            Event::BlockEnd { block } => self.end_block(block),
            // A barrier says itself who took part in it.
            Event::LanesEnd { .. } => {}
            Event::Fence { block, warp, mask, site, order, scope } => {
                self.fence(self.order.lanes(block, warp, mask), site, (order, scope));
            }
            Event::BlockArrive { block, warp, mask, barrier, .. } => {
                let lanes = self.order.lanes(block, warp, mask);
                self.order.threads.block_arrive(lanes, barrier);
            }
            Event::BlockBarrier { block, barrier, participants } => {
                self.block_barrier(block, barrier, participants);
            }
            Event::ClusterArrive { block, warp, mask, site, order, phase } => {
                self.cluster_arrive(self.order.lanes(block, warp, mask), site, order, phase);
            }
            Event::ClusterWait { block, warp, mask, site, phase } => {
                self.cluster_wait(self.order.lanes(block, warp, mask), site, phase);
            }
            Event::WarpBarrier { block, warp, mask } => {
                self.rules.count(Rule::WarpBarrier);
                let all = self.order.launches.geometry.lanes_of_warp(warp);
                let meeting = self.order.lanes(block, warp, mask).warp();
                self.diagnosis.parts.barrier(meeting, mask, all);
                if self.rules.applies(Rule::WarpBarrier) {
                    self.order.threads.warp_barrier(self.order.lanes(block, warp, mask));
                }
            }
            Event::PrerequisiteWait { block, warp, mask, .. } => {
                self.rules.count(Rule::PrerequisiteWait);
                if self.rules.applies(Rule::PrerequisiteWait) {
                    self.order.wait_for_prerequisites(self.order.lanes(block, warp, mask));
                }
            }
            Event::ProxyFence { block, warp, mask, proxy, .. } => {
                let is_of_init = proxy == ProxyKind::MbarrierInit;
                let rule = if is_of_init { Rule::MbarrierInitFence } else { Rule::ProxyFence };
                self.rules.count(rule);
                if is_of_init && !self.rules.applies(rule) {
                    return;
                }
                self.order.threads.proxy_fence(self.order.lanes(block, warp, mask), proxy);
            }
            Event::Mbarrier(ref access) => self.mbarrier(access),
            Event::CopyBegin(ref copies) => self.copy_begin(copies),
            Event::CopyEnd { copy } => self.order.end_copy(copy),
            Event::CopySignal { block, warp, lane, copy, owner, address, phase } => {
                let issuer =
                    LaneId { block: self.order.block_number(block), warp: WarpNumber(warp), lane };
                let object = Object { owner: self.order.block_number(owner), address };
                self.copy_signal(issuer, copy, object, phase);
            }
            Event::CopyWait { block, warp, mask, bulk, read, before, .. } => {
                self.copy_wait(self.order.lanes(block, warp, mask), (bulk, read), before);
            }
            // Being converged orders nothing.
            Event::Reconvergence { .. } => {}
            Event::BarrierDivergence {
                block,
                site,
                thread,
                lanes,
                other_site,
                other_thread,
                other_lanes,
                completes,
            } => {
                let sides = [(site, thread, lanes), (other_site, other_thread, other_lanes)];
                let (diagnosis, evidence) = self.diagnosis();
                diagnosis.barriers_diverged = true;
                races.race(evidence.barrier_divergence(block, sides, completes));
            }
            Event::Allocation { address, bytes, label } => {
                // What was there before is another memory's history.
                self.history.memories.global.forget(address.0, bytes);
                self.diagnosis.allocations.add(address, bytes, label);
            }
            Event::Free { address } => {
                // Nobody can access it any more, and its addresses may not be used again for long.
                if let Some(bytes) = self.diagnosis.allocations.remove(address) {
                    self.history.memories.global.give_up(address.0, bytes);
                }
            }
        }
    }

    fn block_barrier(&mut self, block: BlockIndex, barrier: u32, participants: &[u64]) {
        self.rules.count(Rule::BlockBarrier);
        if !self.rules.applies(Rule::BlockBarrier) {
            return;
        }
        let block = self.order.block_number(block);
        self.order.threads.block_barrier(block, barrier, participants, &self.rules);
        self.history.forget_noted(block, self.order.threads.known_to_all(block));
    }
}

impl Detector for HappensBefore {
    fn interest(&self) -> EventMask {
        EventMask::STRUCTURE | EventMask::ACCESSES | EventMask::SYNCHRONISATION | EventMask::VALUES
    }

    fn batch(&mut self, events: &Batch<'_>, races: &mut dyn RaceSink) {
        for number in 0..events.len() {
            if let Some(address) = events.global_address(number + AHEAD) {
                self.history.memories.global.prefetch(address);
            }
            match events.access(number) {
                Some(access) => self.access(&access),
                None => {
                    if let Some(event) = events.event(number) {
                        self.other_event(&event, races);
                    }
                }
            }
            if !self.diagnosis.pending.is_empty() {
                self.explain_pending();
            }
        }
        self.diagnosis.end_batch(races);
    }

    fn statistics(&self) -> Vec<Statistic> {
        let mut statistics = self.rules.statistics();
        statistics.push(Statistic { name: "shadow bytes (peak)", value: self.history.peak() });
        statistics
    }
}

#[cfg(test)]
mod tests;
