//! What every thread of a launch knows of the others.

mod barriers;
mod blocks;
mod fences;
mod observed;
mod warp;
mod within;

pub(in crate::hb) use barriers::Phases;
use warp::FenceClasses;
pub(in crate::hb) use warp::{Fence, WarpState};
pub(in crate::hb) use within::{Prefix, Within};

use crate::clock::{Epoch, FenceClass, View};
use crate::hb::ids::{BlockNumber, ClusterNumber, LaneId, WarpId};
use crate::hb::order::chain::Released;
use blocks::Blocks;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use warpsan_model::{Dim3, Geometry, Scope};

/// How far a scope reaches: the own block, the own cluster, all threads of the device, the host.
pub(in crate::hb) const BLOCK: usize = 0;
pub(in crate::hb) const CLUSTER: usize = 1;
pub(in crate::hb) const DEVICE: usize = 2;
pub(in crate::hb) const SYSTEM: usize = 3;

pub(in crate::hb) fn reach(scope: Scope) -> usize {
    match scope {
        Scope::Cta => BLOCK,
        Scope::Cluster => CLUSTER,
        Scope::Gpu => DEVICE,
        Scope::Sys => SYSTEM,
    }
}

/// The warps of one block.
#[derive(Debug)]
pub(in crate::hb) struct BlockState {
    pub(in crate::hb) warps: Vec<WarpState>,
    /// By barrier: what was released by lanes that arrived and went on.
    pub(in crate::hb) arrived: FxHashMap<u32, View>,
    /// Bulk copies that were begun by the block.
    pub(in crate::hb) bulk_copies: u32,
}

/// A phase of the barrier of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ClusterPhase {
    cluster: ClusterNumber,
    phase: u32,
}

/// What a phase of the barrier of a cluster passes on.
#[derive(Debug, Default)]
struct PassedOn {
    /// By arrivals that release.
    released: Arc<View>,
    /// By fences before relaxed arrivals.
    by_fences: Released,
}

/// The threads of a launch.
#[derive(Debug)]
pub(in crate::hb) struct Threads {
    /// The number of the launch's first block among all blocks that are remembered.
    pub(in crate::hb) base: BlockNumber,
    blocks: Blocks,
    /// By cluster: its blocks that have ended.
    ended_of_cluster: FxHashMap<ClusterNumber, Vec<BlockNumber>>,
    threads_per_block: u32,
    grid: Dim3,
    cluster: Option<Dim3>,
    /// By cluster and phase: what those who arrived pass on.
    cluster_phases: FxHashMap<ClusterPhase, PassedOn>,
    /// Blocks that stand for the host, which device scope does not reach.
    of_host: Vec<BlockNumber>,
    /// Some fences, or may be, have a scope that is narrower than the device.
    has_narrow_fences: bool,
}

impl Default for Threads {
    fn default() -> Self {
        Threads {
            base: BlockNumber(0),
            blocks: Blocks::default(),
            ended_of_cluster: FxHashMap::default(),
            threads_per_block: 0,
            grid: Dim3::new(0, 0, 0),
            cluster: None,
            cluster_phases: FxHashMap::default(),
            of_host: Vec::new(),
            has_narrow_fences: true,
        }
    }
}

impl Threads {
    /// A launch begins, whose blocks are counted from `base`. Some blocks stand for the host. All its threads know
    /// what is before the launch.
    pub(in crate::hb) fn begin(
        &mut self,
        geometry: &Geometry,
        base: BlockNumber,
        of_host: Vec<BlockNumber>,
        has_narrow_fences: bool,
        before: View,
    ) {
        *self = Threads {
            base,
            blocks: Blocks::new(geometry.threads_per_block(), before),
            threads_per_block: geometry.threads_per_block(),
            grid: geometry.grid,
            of_host,
            has_narrow_fences,
            ..Threads::default()
        };
    }

    pub(in crate::hb) fn set_clusters(&mut self, extent: Dim3) {
        self.cluster = Some(extent);
    }

    /// Whether blocks can reach into each other's shared memory.
    pub(in crate::hb) fn has_clusters(&self) -> bool {
        self.cluster.is_some()
    }

    /// The epoch up to which all threads of a block know all of them.
    pub(in crate::hb) fn known_to_all(&mut self, block: BlockNumber) -> Epoch {
        self.block(block).warps.iter().map(|warp| warp.block_known).min().unwrap_or(0)
    }

    /// The epoch up to which a warp knows all of the block whose shared memory it accesses.
    #[inline]
    pub(in crate::hb) fn known_in(&self, owner: BlockNumber, warp: WarpId) -> Epoch {
        let state = self.existing_warp(warp).filter(|_| warp.block == owner);
        state.map_or(0, |state| state.block_known)
    }

    /// The number of a block's cluster; without clusters, each block is one.
    pub(in crate::hb) fn cluster(&self, block: BlockNumber) -> ClusterNumber {
        let Some(extent) = self.cluster else { return ClusterNumber(block.0) };
        let parts = |total: u32, part: u32| total.div_ceil(part.max(1));
        let at = self.grid.at(u64::from(block.0.wrapping_sub(self.base.0)));
        let (x, y, z) = (at.x / extent.x.max(1), at.y / extent.y.max(1), at.z / extent.z.max(1));
        let (wide, high) = (parts(self.grid.x, extent.x), parts(self.grid.y, extent.y));
        ClusterNumber(z.wrapping_mul(high).wrapping_add(y).wrapping_mul(wide).wrapping_add(x))
    }

    /// Whether a block stands for the host.
    #[inline]
    pub(in crate::hb) fn is_of_host(&self, block: BlockNumber) -> bool {
        self.of_host.contains(&block)
    }

    /// The classes that a fence of a block has in common with those that it reaches.
    pub(in crate::hb) fn fence_classes(&self, block: BlockNumber, scope: Scope) -> FenceClasses {
        let reach = reach(scope);
        let cluster = FenceClass::Cluster(self.cluster(block).0);
        let narrow = self.has_narrow_fences;
        [
            narrow.then_some(FenceClass::Block(block.0)),
            (narrow && reach >= CLUSTER).then_some(cluster),
            (reach >= DEVICE).then_some(FenceClass::All),
        ]
    }

    /// Whether two scopes include each other's thread.
    pub(in crate::hb) fn mutual(
        &self,
        one: (Scope, BlockNumber),
        other: (Scope, BlockNumber),
    ) -> bool {
        if one.1 == other.1 {
            return true;
        }
        if self.is_of_host(one.1) || self.is_of_host(other.1) {
            return one.0 == Scope::Sys && other.0 == Scope::Sys;
        }
        match reach(one.0).min(reach(other.0)) {
            BLOCK => false,
            CLUSTER => self.cluster(one.1) == self.cluster(other.1),
            _ => true,
        }
    }

    #[inline]
    pub(in crate::hb) fn block(&mut self, block: BlockNumber) -> &mut BlockState {
        self.blocks.get_or_begin(block.0 - self.base.0)
    }

    #[inline]
    pub(in crate::hb) fn warp(&mut self, WarpId { block, warp }: WarpId) -> &mut WarpState {
        &mut self.block(block).warps[warp.index()]
    }

    /// The number of a block in the launch; none if it is of an earlier one.
    #[inline]
    fn index(&self, block: BlockNumber) -> Option<u32> {
        block.0.checked_sub(self.base.0)
    }

    /// The warp, if its block is there.
    pub(in crate::hb) fn existing_warp(
        &self,
        WarpId { block, warp }: WarpId,
    ) -> Option<&WarpState> {
        self.blocks.get(self.index(block)?)?.warps.get(warp.index())
    }

    /// A block has ended. Returns the blocks whose shared memory is out of reach now.
    pub(in crate::hb) fn end_block(&mut self, block: BlockNumber) -> Vec<BlockNumber> {
        let gone = match self.cluster {
            None => vec![block],
            Some(extent) => {
                let ended = self.ended_of_cluster.entry(self.cluster(block)).or_default();
                ended.push(block);
                let all = ended.len() as u64 == extent.count();
                if all { std::mem::take(ended) } else { Vec::new() }
            }
        };
        self.blocks.end(block.0 - self.base.0);
        gone
    }

    /// Whether nobody can come to know what was done in this epoch: the block has ended, and has
    /// released nothing since.
    pub(in crate::hb) fn is_permanent(&self, block: BlockNumber, warp: u8, epoch: Epoch) -> bool {
        self.index(block).is_some_and(|block| self.blocks.ended_in(block, warp, epoch))
    }

    /// What a lane did up to now, for others to learn.
    pub(in crate::hb) fn announced(&mut self, id: LaneId) -> View {
        self.warp(id.warp()).announced(id.lanes())
    }
}
