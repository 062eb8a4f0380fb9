//! What to run.

use crate::memory::DeviceMemory;
use crate::out_of_bounds::{Pointer, pointers};
use crate::prepared::Prepared;
use crate::schedule::Schedule;
use std::fmt;
use warpsan_model::{Dim3, EMULATED_DEVICE, Geometry, LaunchId, SiteId};

/// Bytes of shared memory that the system keeps for itself in every block.
pub(crate) const RESERVED_SHARED: u64 = EMULATED_DEVICE.shared_bytes_reserved;
/// How far a launch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Warp instructions so far.
    pub instructions: u64,
    /// Blocks that have ended.
    pub blocks_done: u64,
    /// Blocks of the grid.
    pub blocks: u64,
}

/// What to run. [`Launch::new`] has the usual answers to everything that is not asked.
#[derive(Clone)]
pub struct Launch<'a> {
    /// The kernel.
    pub kernel: &'a Prepared,
    /// The launch's number in its process.
    pub id: LaunchId,
    /// Its extents.
    pub geometry: Geometry,
    /// Blocks in a cluster, if the launch has clusters.
    pub cluster: Option<Dim3>,
    /// All blocks run at the same time and can wait for each other.
    pub cooperative: bool,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared_bytes: u32,
    /// The parameter block.
    pub parameters: &'a [u8],
    /// Who goes when.
    pub schedule: &'a Schedule,
    /// Whether to keep the turns that were taken, for [`Outcome::turns`]. Such a launch runs on one
    /// core.
    pub record_schedule: bool,
    /// Warp instructions after which the launch is given up.
    pub max_instructions: u64,
    /// Warp instructions without any visible effect after which the launch is given up.
    pub max_idle_instructions: u64,
    /// Cores to use. The results do not depend on it.
    pub jobs: usize,
    /// Asked from time to time whether to go on.
    pub watch: &'a (dyn Fn(Progress) -> bool + Sync),
    /// Whether lanes that wait for each other in a vote, a shuffle or the like have to be at one and the
    /// same instruction. PTX does not ask for it, but what is made of it may never end on a GPU.
    pub collectives_in_one_place: bool,
    /// Addresses and sizes of constant variables.
    pub constants: &'a [(u64, u64)],
    pub(crate) grid_workspace: u64,
    /// The pointers that accesses of the kernel are counted from.
    pub(crate) pointers: Vec<Pointer>,
}

impl<'a> Launch<'a> {
    /// A launch of so many blocks of so many threads.
    pub fn new(
        kernel: &'a Prepared,
        geometry: Geometry,
        parameters: &'a [u8],
        schedule: &'a Schedule,
    ) -> Launch<'a> {
        Launch {
            kernel,
            id: LaunchId(0),
            geometry,
            cluster: None,
            cooperative: false,
            dynamic_shared_bytes: 0,
            parameters,
            schedule,
            record_schedule: false,
            max_instructions: u64::MAX,
            max_idle_instructions: 1 << 30,
            jobs: 1,
            watch: &|_| true,
            collectives_in_one_place: false,
            constants: &[],
            grid_workspace: 0,
            pointers: Vec::new(),
        }
    }

    /// The same launch, for whoever drives its blocks: it knows which memory its pointers are into.
    pub fn for_blocks(&self, memory: &DeviceMemory) -> Launch<'a> {
        let mut launch = self.clone();
        launch.pointers = pointers(&launch.kernel.program.arguments, launch.parameters, memory);
        launch
    }

    /// Bytes of shared memory of a block, with what the system keeps for itself if the kernel asks.
    pub(crate) fn shared_bytes(&self) -> usize {
        let own = self.kernel.kernel.static_shared_bytes + u64::from(self.dynamic_shared_bytes);
        let all = match self.kernel.uses_reserved_shared {
            true => own.next_multiple_of(16) + RESERVED_SHARED,
            false => own,
        };
        all as usize
    }

    /// Blocks of a cluster: what the launch says, or the kernel, or one.
    pub(crate) fn cluster_extents(&self) -> Dim3 {
        let of_kernel = || self.kernel.kernel.cluster.map(|[x, y, z]| Dim3::new(x, y, z));
        let extents = self.cluster.or_else(of_kernel).unwrap_or(Dim3::new(1, 1, 1));
        Dim3::new(extents.x.max(1), extents.y.max(1), extents.z.max(1))
    }

    /// Clusters of the grid.
    pub(crate) fn clusters(&self) -> u64 {
        self.geometry.grid.count() / self.cluster_extents().count()
    }

    /// The blocks of a cluster, by rank.
    pub(crate) fn blocks_of_cluster(&self, number: u64) -> Vec<u32> {
        let (grid, extents) = (self.geometry.grid, self.cluster_extents());
        let in_grid = Dim3::new(
            (grid.x / extents.x).max(1),
            (grid.y / extents.y).max(1),
            (grid.z / extents.z).max(1),
        );
        let first = in_grid.at(number);
        (0..extents.count())
            .map(|rank| {
                let inside = extents.at(rank);
                let x = first.x * extents.x + inside.x;
                let y = first.y * extents.y + inside.y;
                let z = first.z * extents.z + inside.z;
                x + grid.x * (y + grid.y * z)
            })
            .collect()
    }

    pub(crate) fn is_constant(&self, address: u64) -> bool {
        self.constants.iter().any(|(start, bytes)| address.wrapping_sub(*start) < *bytes)
    }

    /// `%envreg1` and `%envreg2` are the upper and lower half of the address of the workspace that
    /// the barrier of the whole grid uses.
    pub(crate) fn environment(&self, number: u8) -> u64 {
        match number {
            1 => self.grid_workspace >> 32,
            2 => self.grid_workspace & 0xFFFF_FFFF,
            _ => 0,
        }
    }

    pub(crate) fn same_line(&self, one: SiteId, other: SiteId) -> bool {
        let line = |site: SiteId| self.kernel.sites.get(site).position();
        line(one).is_some() && line(one) == line(other)
    }
}

impl fmt::Debug for Launch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("kernel", &self.kernel.facts.display_name)
            .field("geometry", &self.geometry)
            .finish_non_exhaustive()
    }
}
