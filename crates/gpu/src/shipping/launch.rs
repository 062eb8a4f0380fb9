//! What is known about a launch whose records come.

use std::sync::Arc;
use warpsan_event::{KernelFacts, SiteTable};
use warpsan_instrument::record::{Paths, SiteInfo};
use warpsan_model::{Dim3, Geometry, LaunchId, SiteId};

/// A launch of an instrumented kernel.
#[derive(Debug, Clone)]
pub struct ShippedLaunch {
    /// Its number in its process.
    pub launch: LaunchId,
    /// What is known about the kernel.
    pub facts: Arc<KernelFacts>,
    /// Its sites, for people.
    pub sites: Arc<SiteTable>,
    /// What the instructions are, by the number of the site.
    pub infos: Arc<[SiteInfo]>,
    /// Where paths between them reconverge.
    pub paths: Arc<Paths>,
    /// Its extents.
    pub geometry: Geometry,
    /// Blocks of a cluster, if there are clusters.
    pub cluster: Option<Dim3>,
    /// The table of turns has `1 << turn_bits` words.
    pub turn_bits: u32,
    /// Where the block's own shared memory begins in the `.shared` window: events count from there.
    pub shared_base: u64,
}

impl ShippedLaunch {
    /// Blocks of the grid.
    pub(crate) fn blocks(&self) -> u64 {
        self.geometry.grid.count()
    }

    /// Blocks of a cluster; 1 in each direction without clusters.
    pub(crate) fn cluster_extents(&self) -> Dim3 {
        let extents = self.cluster.unwrap_or(Dim3::new(1, 1, 1));
        Dim3::new(extents.x.max(1), extents.y.max(1), extents.z.max(1))
    }

    /// The lanes that a warp has at its beginning.
    pub(crate) fn lanes_of_warp(&self, warp: u32) -> u32 {
        let threads = self.geometry.threads_per_block().saturating_sub(warp.saturating_mul(32));
        if threads >= 32 { u32::MAX } else { (1 << threads) - 1 }
    }

    /// The number of a block's cluster, and the block's rank in it.
    pub(crate) fn cluster_of(&self, block: u32) -> (u64, u32) {
        let (grid, extents) = (self.geometry.grid, self.cluster_extents());
        let at = grid.at(u64::from(block));
        let in_row = |grid: u32, extent: u32| u64::from((grid / extent).max(1));
        let (x, y, z) = (at.x / extents.x, at.y / extents.y, at.z / extents.z);
        let number = u64::from(x)
            + in_row(grid.x, extents.x) * (u64::from(y) + in_row(grid.y, extents.y) * u64::from(z));
        let inside = (at.x % extents.x, at.y % extents.y, at.z % extents.z);
        (number, inside.0 + extents.x * (inside.1 + extents.y * inside.2))
    }

    /// The blocks of a cluster, by rank.
    pub(crate) fn blocks_of_cluster(&self, block: u32) -> Vec<u32> {
        let (grid, extents) = (self.geometry.grid, self.cluster_extents());
        let at = grid.at(u64::from(block));
        let first = [at.x / extents.x, at.y / extents.y, at.z / extents.z];
        (0..extents.count())
            .map(|rank| {
                let inside = extents.at(rank);
                let x = first[0] * extents.x + inside.x;
                let y = first[1] * extents.y + inside.y;
                let z = first[2] * extents.z + inside.z;
                x + grid.x * (y + grid.y * z)
            })
            .collect()
    }

    /// The instruction at a site, where the table has it.
    pub(crate) fn instruction(&self, site: u32) -> &str {
        self.sites.sites.get(site as usize).map_or("?", |site| &site.instruction)
    }

    /// Whether two sites are one line for a reader.
    pub(crate) fn same_line(&self, one: SiteId, other: SiteId) -> bool {
        let line = |site: SiteId| self.sites.sites.get(site.0 as usize)?.position();
        line(one).is_some() && line(one) == line(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_boxes_of_the_grid() {
        let launch = ShippedLaunch {
            launch: LaunchId(0),
            facts: Arc::default(),
            sites: Arc::default(),
            infos: Arc::from([]),
            paths: Arc::default(),
            geometry: Geometry { grid: Dim3::new(4, 4, 1), block: Dim3::new(70, 1, 1) },
            cluster: Some(Dim3::new(2, 2, 1)),
            turn_bits: 1,
            shared_base: 0,
        };
        assert_eq!(launch.blocks_of_cluster(7), [2, 3, 6, 7]);
        assert_eq!(launch.cluster_of(7), (1, 3));
        assert_eq!(launch.cluster_of(8), (2, 0));
        assert_eq!(launch.lanes_of_warp(1), u32::MAX);
        assert_eq!(launch.lanes_of_warp(2), 0b11_1111);
        assert_eq!(launch.lanes_of_warp(3), 0);
    }
}
