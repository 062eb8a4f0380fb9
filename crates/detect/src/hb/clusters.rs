//! Barriers of clusters.

use super::HappensBefore;
use super::handoff::{Arrival, Via};
use super::rules::Rule;
use super::writers::{End, Point};
use std::sync::Arc;
use warpsan_model::{BlockIndex, Order, Scope, SiteId};

/// So many relaxed arrivals of a cluster are remembered to name what is missing.
const MOST_ARRIVALS: usize = 64;

impl HappensBefore {
    pub(super) fn cluster_arrive(
        &mut self,
        (block, warp, mask): (BlockIndex, u32, u32),
        site: SiteId,
        order: Order,
        phase: u32,
    ) {
        let block = self.block_number(block);
        if !order.releases() {
            self.rules.count(Rule::ClusterRelaxed);
        }
        if order.releases() || !self.rules.applies(Rule::ClusterRelaxed) {
            self.threads.cluster_arrive(block, warp, mask, phase);
            return;
        }
        let site = self.site_number(site);
        let cluster = self.threads.cluster(block);
        let arrivals = self.relaxed_arrivals.entry(cluster).or_default();
        if arrivals.len() >= MOST_ARRIVALS {
            arrivals.pop_front();
        }
        let state = self.threads.warp(block, warp);
        for (lanes, view) in state.groups(mask) {
            arrivals.push_back(Arrival {
                phase: u64::from(phase),
                who: Point { block, warp, lanes, epoch: state.epoch },
                view: Arc::clone(&view),
                end: End { site, scope: Scope::Cluster, is_fence: false, epoch: 0 },
                releases: false,
            });
        }
        state.epoch += 1;
    }

    pub(super) fn cluster_wait(
        &mut self,
        (block, warp, mask): (BlockIndex, u32, u32),
        site: SiteId,
        phase: u32,
    ) {
        let block = self.block_number(block);
        self.rules.count(Rule::ClusterBarrier);
        if self.rules.applies(Rule::ClusterBarrier) {
            self.threads.cluster_wait(block, warp, mask, phase);
        }
        let end =
            End { site: self.site_number(site), scope: Scope::Cluster, is_fence: false, epoch: 0 };
        let epoch = self.threads.warp(block, warp).epoch;
        let reader = Point { block, warp, lanes: mask, epoch };
        let arrivals = self.relaxed_arrivals.get(&self.threads.cluster(block));
        for arrival in arrivals.into_iter().flatten() {
            if arrival.phase == u64::from(phase) {
                self.handoffs.add_wait(arrival, reader, end, true, Via::Cluster);
            }
        }
    }
}
