//! What is ordered before what.
//!
//! [`Threads`] has a clock for each warp and what each lane knows of the others; fences, barriers, `mbarrier`
//! objects, copies and chains of strong writes pass that on. [`Launches`] has the order of whole launches. An
//! [`Observer`] answers whether an earlier access is ordered before a new one.
//!
//! This part knows no memory and no reports: what it has to keep with a location, a [`Chain`], is stored by the
//! history.

mod chain;
mod compare;
mod copies;
mod launches;
mod objects;
mod patterns;
mod threads;
mod used_patterns;

pub(super) use chain::Chain;
pub(super) use compare::{Observer, Past};
pub(super) use copies::CopyEnd;
pub(super) use launches::{AnnouncedOrder, Launches};
pub(super) use objects::Object;
use threads::{BLOCK, CLUSTER};
pub(super) use threads::{Fence, Threads, WarpState, reach};

use super::rules::{Rule, Rules};
use crate::Settings;
use crate::clock::{Ended, Knowledge, View, join_optional};
use crate::hb::ids::{BlockNumber, SiteNumber, WarpId, WarpLanes, WarpNumber};
use chain::{ByReach, Released};
use copies::Copies;
use objects::Objects;
use used_patterns::Patterns;
use warpsan_event::{KernelFacts, SiteTable};
use warpsan_model::{BlockIndex, Geometry, LaunchId, Order, Scope, SiteId};

use std::sync::Arc;

/// The order of what threads, copies and launches did.
#[derive(Debug, Default)]
pub(super) struct CausalityOrder {
    pub(super) threads: Threads,
    pub(super) launches: Launches,
    objects: Objects,
    copies: Copies,
    /// What `fence.sc` passed on so far, where their bare order counts.
    fence_order: Option<Released>,
    /// The number of the newest state of any chain. Numbers are never used twice.
    versions: u64,
    /// Some release or acquire, or may be, has a scope that is narrower than the device.
    has_narrow_patterns: bool,
    /// Some strong access acquires, or may do so.
    has_acquire_operations: bool,
    /// The kernel has nothing that could order threads of two blocks.
    pub(super) blocks_never_meet: bool,
    /// The running launch stands for the host, or can acquire what the host released.
    pub(super) may_meet_host: bool,
}

impl CausalityOrder {
    /// The number of a block among all that are remembered.
    #[inline]
    pub(super) fn block_number(&self, block: BlockIndex) -> BlockNumber {
        BlockNumber(self.threads.base.0 + block.0)
    }

    /// Lanes of a warp of the running launch.
    #[inline]
    pub(super) fn lanes(&self, block: BlockIndex, warp: u32, mask: u32) -> WarpLanes {
        WarpLanes { block: self.block_number(block), warp: WarpNumber(warp), mask }
    }

    /// The number of a site among those of all launches that are remembered.
    #[inline]
    pub(super) fn site_number(&self, site: SiteId) -> SiteNumber {
        SiteNumber(self.launches.first_site.0 + site.0)
    }

    /// Lanes of a warp that share a view, as those who make an access.
    #[inline]
    pub(super) fn observer<'a>(
        &'a self,
        WarpId { block, warp }: WarpId,
        state: &'a WarpState,
        view: &'a View,
        rules: &'a Rules,
    ) -> Observer<'a> {
        Observer {
            block,
            warp,
            met: state.met,
            block_known: state.block_known,
            view,
            within: &state.within,
            asynchronous: None,
            first_block: self.threads.base,
            earlier: &self.launches.earlier,
            rules,
        }
    }

    /// A launch begins. Returns whether everything before it is ordered before all that is to come.
    pub(super) fn begin_launch(
        &mut self,
        launch: LaunchId,
        facts: &KernelFacts,
        sites: &Arc<SiteTable>,
        geometry: &Geometry,
        rules: &Rules,
    ) -> bool {
        let forgets_all = self.launches.begin(launch, sites, geometry, rules);
        self.forget_threads();
        let of_host = self.launches.of_host().map(|launched| launched.first).collect();
        let patterns = Patterns::of(sites, facts, rules);
        self.has_narrow_patterns = patterns.are_narrow;
        self.has_acquire_operations = patterns.have_acquire_operations;
        let never_meet = facts.blocks_never_meet;
        // Who observes what a thread releases learns what its launch is after.
        let before = match never_meet {
            true => View::default(),
            false => ended_view(self.launches.before_running()),
        };
        let first = self.launches.first_block;
        self.threads.begin(geometry, first, of_host, patterns.are_narrow, before);
        self.blocks_never_meet = never_meet;
        self.may_meet_host =
            self.threads.is_of_host(first) || self.launches.running_reaches_host().by_acquire;
        forgets_all
    }

    /// Forgets what only threads of one launch share.
    pub(super) fn forget_threads(&mut self) {
        self.objects.clear();
        self.copies.clear();
        self.fence_order = None;
    }

    /// A block has ended. Returns the blocks whose shared memory is out of reach now: others of the cluster may
    /// still reach into the memory of a block that has ended.
    pub(super) fn end_block(&mut self, block: BlockNumber) -> Vec<BlockNumber> {
        let out_of_reach = self.threads.end_block(block);
        for ended in &out_of_reach {
            self.objects.forget_block(*ended);
        }
        out_of_reach
    }

    /// Lanes of one warp executed a fence.
    pub(super) fn fence(
        &mut self,
        lanes: WarpLanes,
        kind: (Order, Scope),
        site: SiteNumber,
        settings: &Settings,
        rules: &Rules,
    ) {
        if settings.fence_sc_orders && rules.applies(Rule::FenceScOrder) {
            self.fence_order.get_or_insert_default();
        }
        self.threads.fence(lanes, kind, site, rules, self.fence_order.as_mut());
    }

    /// Lanes arrive at the barrier of their cluster, relaxed. What fences before it released is passed on, and
    /// what initialised `mbarrier` objects, if a fence for those came between.
    pub(super) fn cluster_arrive_relaxed(&mut self, lanes: WarpLanes, phase: u32, rules: &Rules) {
        for lane in warpsan_model::lanes(lanes.mask) {
            let of_lane = WarpLanes { mask: 1 << lane, ..lanes };
            let mut released = match rules.applies(Rule::FencesAroundArrivals) {
                true => self.released_by_fences(of_lane, BLOCK, rules),
                false => ByReach::default(),
            };
            released[CLUSTER + 1..].fill(None);
            if released.iter().any(Option::is_some) {
                rules.count(Rule::FencesAroundArrivals);
            }
            if let Some(known) = self.threads.warp(lanes.warp()).initialised(of_lane) {
                let view = Arc::new(View::of(known));
                join_optional(&mut released[BLOCK], &view);
                join_optional(&mut released[CLUSTER], &view);
            }
            if released.iter().any(Option::is_some) {
                self.threads.cluster_arrive_relaxed(lanes.block, phase, &released);
            }
        }
    }

    /// Lanes have waited for the launches that this one may overlap. What they know of those, they pass on
    /// as anything else: by barriers, by releases. Nothing of an earlier launch is left for a proxy fence.
    ///
    /// The launch ends after they have waited, so whoever is after all of it is after those, too. Without
    /// anybody who waited it is not: the launch may have ended first.
    pub(super) fn wait_for_prerequisites(&mut self, lanes: WarpLanes) {
        if let Some(ended) = self.launches.wait_for_prerequisites() {
            self.threads.learn_together(lanes, &ended_view(ended));
        }
    }
}

/// What somebody knows who is after launches.
fn ended_view(ended: Ended) -> View {
    let mut known = Knowledge::default();
    if !ended.is_empty() {
        known.more_mut().ended = ended;
    }
    View::of(known)
}
