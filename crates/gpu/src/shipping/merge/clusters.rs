//! The barrier of a cluster.

use super::super::error::ShippingError;
use super::super::operation::Operation;
use super::Merger;
use warpsan_event::Event;
use warpsan_instrument::record::SiteInfo;
use warpsan_model::SiteId;
use warpsan_model::barriers::ClusterBarrier;

/// A cluster of blocks: one block, unless the launch has clusters.
#[derive(Debug)]
pub(super) struct Cluster {
    barrier: ClusterBarrier,
    /// Its blocks, by rank.
    pub(super) blocks: Vec<u32>,
}

impl Merger<'_> {
    pub(super) fn begin_cluster(&mut self, number: u64, blocks: Vec<u32>) {
        self.clusters.insert(number, Cluster { barrier: ClusterBarrier::default(), blocks });
    }

    fn cluster(&mut self, block: u32) -> (&mut Cluster, u64, u32) {
        let (number, rank) = self.blocks[&block].cluster;
        let cluster = self.clusters.get_mut(&number).expect("the cluster has begun");
        (cluster, number, rank)
    }

    pub(super) fn cluster_arrive(&mut self, operation: &Operation) -> Result<(), ShippingError> {
        let header = operation.header();
        let Some(SiteInfo::ClusterArrive { order }) =
            self.launch.infos.get(header.site as usize).copied()
        else {
            return Err(operation.is_bad(self.launch, "its site is no arrival at a cluster"));
        };
        let warps = self.launch.geometry.warps_per_block() as usize;
        let (cluster, number, rank) = self.cluster(header.block);
        let extents = (cluster.blocks.len(), warps);
        let who = (rank, u32::from(header.warp));
        let phase = cluster.barrier.arrive(extents, who, header.mask);
        self.out.synchronisation(Event::ClusterArrive {
            block: operation.block(),
            warp: u32::from(header.warp),
            mask: header.mask,
            site: SiteId(header.site),
            order,
            phase,
        });
        self.complete_cluster(number);
        Ok(())
    }

    /// Lanes wait for the phase that they arrived in.
    pub(super) fn cluster_wait(
        &mut self,
        operation: &Operation,
        left: u32,
    ) -> Result<u32, ShippingError> {
        let header = operation.header();
        let (cluster, _, rank) = self.cluster(header.block);
        if cluster.barrier.is_waited_for((rank, u32::from(header.warp)), left) {
            return Ok(left);
        }
        let phase = cluster.barrier.completed_phase();
        self.out.synchronisation(Event::ClusterWait {
            block: operation.block(),
            warp: u32::from(header.warp),
            mask: left,
            site: SiteId(header.site),
            phase,
        });
        Ok(0)
    }

    /// Completes the barrier of a cluster if all are there.
    pub(super) fn complete_cluster(&mut self, number: u64) {
        let Some(cluster) = self.clusters.get_mut(&number) else { return };
        let live = |rank: usize, warp: usize| self.blocks[&cluster.blocks[rank]].warps[warp].live;
        if !cluster.barrier.is_complete(live) {
            return;
        }
        cluster.barrier.release();
        let warps = self.launch.geometry.warps_per_block();
        for block in &cluster.blocks {
            self.work.extend((0..warps).map(|warp| (*block, warp)));
        }
    }
}
