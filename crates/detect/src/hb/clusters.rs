//! Barriers of clusters.

use super::HappensBefore;
use super::diagnosis::{Arrival, End, Point, Via};
use super::ids::WarpLanes;
use super::rules::Rule;
use warpsan_model::{Order, Scope, SiteId};

impl HappensBefore {
    pub(super) fn cluster_arrive(
        &mut self,
        arriving: WarpLanes,
        site: SiteId,
        order: Order,
        phase: u32,
    ) {
        let WarpLanes { block, warp, mask } = arriving;
        if !order.releases() {
            self.rules.count(Rule::ClusterRelaxed);
        }
        if order.releases() || !self.rules.applies(Rule::ClusterRelaxed) {
            self.order.threads.cluster_arrive(arriving, phase);
            return;
        }
        self.order.cluster_arrive_relaxed(arriving, phase, &self.rules);
        let site = self.order.site_number(site);
        let cluster = self.order.threads.cluster(block);
        let state = self.order.threads.warp(arriving.warp());
        let arrivals = state.groups(mask).into_iter().map(|(lanes, view)| Arrival {
            phase: u64::from(phase),
            who: Point { block, warp, lanes, epoch: state.epoch, met: state.met },
            view,
            end: End::of_operation(site, Scope::Cluster, 0),
            releases: End::releasing(None, lanes.trailing_zeros(), state),
        });
        self.diagnosis.arrivals.add_relaxed_at_cluster(cluster, arrivals);
        state.epoch += 1;
    }

    pub(super) fn cluster_wait(&mut self, waiting: WarpLanes, site: SiteId, phase: u32) {
        let WarpLanes { block, warp, mask } = waiting;
        self.rules.count(Rule::ClusterBarrier);
        if self.rules.applies(Rule::ClusterBarrier) {
            self.order.threads.cluster_wait(waiting, phase);
        }
        let site = self.order.site_number(site);
        let end = End::of_operation(site, Scope::Cluster, 0);
        let epoch = self.order.threads.warp(waiting.warp()).epoch;
        let reader = Point { block, warp, lanes: mask, epoch, met: 0 };
        let cluster = self.order.threads.cluster(block);
        for arrival in self.diagnosis.arrivals.relaxed_at_cluster(cluster) {
            if arrival.phase == u64::from(phase) {
                self.diagnosis.handoffs.add_wait(arrival, reader, end, true, Via::Cluster);
            }
        }
    }
}
