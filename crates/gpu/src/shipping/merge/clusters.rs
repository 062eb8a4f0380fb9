//! The barrier of a cluster.

use super::super::error::ShippingError;
use super::super::operation::Operation;
use super::Merger;
use warpsan_event::Event;
use warpsan_instrument::record::SiteInfo;
use warpsan_model::SiteId;

/// A cluster of blocks: one block, unless the launch has clusters.
#[derive(Debug)]
pub(super) struct Cluster {
    /// Phases of its barrier that are complete.
    phase: u32,
    /// Its blocks, by rank.
    pub(super) blocks: Vec<u32>,
    /// The lanes that have arrived at the barrier, by rank and warp; empty until somebody does.
    arrived: Vec<Vec<u32>>,
}

impl Merger<'_> {
    pub(super) fn begin_cluster(&mut self, number: u64, blocks: Vec<u32>) {
        self.clusters.insert(number, Cluster { phase: 0, blocks, arrived: Vec::new() });
    }

    fn cluster(&mut self, block: u32) -> (&mut Cluster, u64, usize) {
        let (number, rank) = self.blocks[&block].cluster;
        let cluster = self.clusters.get_mut(&number).expect("the cluster has begun");
        (cluster, number, rank as usize)
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
        if cluster.arrived.is_empty() {
            cluster.arrived = vec![vec![0; warps]; cluster.blocks.len()];
        }
        cluster.arrived[rank][usize::from(header.warp)] |= header.mask;
        let phase = cluster.phase;
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
        let arrived = cluster.arrived.get(rank).map_or(0, |warps| warps[usize::from(header.warp)]);
        if arrived & left != 0 {
            return Ok(left);
        }
        let phase = cluster.phase.wrapping_sub(1);
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
        let anybody = cluster.arrived.iter().flatten().any(|lanes| *lanes != 0);
        let complete = anybody
            && cluster.blocks.iter().zip(&cluster.arrived).all(|(block, arrived)| {
                let mut warps = self.blocks[block].warps.iter().zip(arrived);
                warps.all(|(warp, arrived)| warp.live & !arrived == 0)
            });
        if !complete {
            return;
        }
        cluster.phase += 1;
        cluster.arrived.iter_mut().flatten().for_each(|lanes| *lanes = 0);
        let warps = self.launch.geometry.warps_per_block();
        for block in &cluster.blocks {
            self.work.extend((0..warps).map(|warp| (*block, warp)));
        }
    }
}
