//! What to run, and what came of it.

use crate::lanes::Instructions;
use crate::memory::{AllocationKind, DeviceMemory};
use crate::parallel;
use crate::program::{self, Program};
use crate::schedule::Schedule;
use std::fmt;
use std::sync::Arc;
use warpsan_event::{EventSink, KernelFacts, SharedVariable, Site, SiteTable};
use warpsan_ir::{Kernel, LowerError, Op, Special, Unsupported, display_name};
use warpsan_model::{
    BlockIndex, Dim3, EMULATED_DEVICE, Geometry, LaunchId, SiteId, position_for_reader,
};

/// Bytes of shared memory that the system keeps for itself in every block.
pub(crate) const RESERVED_SHARED: u64 = EMULATED_DEVICE.shared_bytes_reserved;
/// Bytes that the system gives a cooperative launch for the barrier of its grid.
const GRID_WORKSPACE: u64 = 256;

/// A kernel with what is said about it at every launch.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// Plain data about it.
    pub facts: Arc<KernelFacts>,
    /// Its sites.
    pub sites: Arc<SiteTable>,
    pub(crate) program: Arc<Program>,
    pub(crate) instructions: Instructions,
    /// The kernel asks for the shared memory that the system keeps for itself.
    uses_reserved_shared: bool,
    /// The kernel asks for what the driver tells it.
    uses_environment: bool,
}

impl Prepared {
    /// Checks that the engine has every operation of the kernel, and gets it ready.
    pub fn new(kernel: Kernel) -> Result<Prepared, LowerError> {
        let instructions = Instructions::detect();
        let program = match program::translate(&kernel, instructions) {
            Ok(program) => program,
            Err(missing) => {
                let site = &kernel.sites[missing.site.0 as usize];
                return Err(LowerError::Unsupported(Unsupported {
                    what: format!("the instruction `{}`", site.instruction),
                    ptx_line: site.ptx_line,
                    position: position_for_reader(&site.frames).cloned(),
                }));
            }
        };
        let sites = kernel.sites.iter().map(|site| Site {
            instruction: Arc::clone(&site.instruction),
            ptx_line: site.ptx_line,
            frames: site.frames.clone(),
        });
        let uses_special = |is_it: fn(&Special) -> bool| {
            kernel.code.iter().any(|one| match &one.op {
                Op::ReadSpecial { special, .. } => is_it(special),
                _ => false,
            })
        };
        Ok(Prepared {
            uses_reserved_shared: uses_special(|special| {
                matches!(special, Special::ReservedShared(_) | Special::AggregateSharedSize)
            }),
            uses_environment: uses_special(|special| matches!(special, Special::Environment(_))),
            facts: Arc::new(facts(&kernel)),
            sites: Arc::new(SiteTable { sites: sites.collect() }),
            kernel: Arc::new(kernel),
            program: Arc::new(program),
            instructions,
        })
    }

    /// Registers of 32 bits that a thread would have on a device: PTX has one for every value, and
    /// what lives at the same time decides.
    pub fn device_registers(&self) -> u32 {
        let device = EMULATED_DEVICE;
        let most_threads = device.max_threads_per_block;
        let threads = self.kernel.max_threads.unwrap_or(most_threads);
        // All threads of a block share its registers.
        let share = device.registers / threads.clamp(device.warp_size, most_threads);
        self.program.rows.clamp(16, device.max_registers_per_thread.min(share))
    }
}

fn facts(kernel: &Kernel) -> KernelFacts {
    let shared = kernel.shared.iter().map(|symbol| SharedVariable {
        name: variable_name(&symbol.name),
        offset: symbol.offset,
        bytes: symbol.bytes,
    });
    let facts = KernelFacts {
        name: kernel.name.clone(),
        display_name: kernel.display_name.clone(),
        shared_variables: shared.collect(),
        has_line_information: kernel.has_line_information,
        ..KernelFacts::default()
    };
    facts.with_features(kernel.code.iter().flat_map(|item| item.op.features()))
}

/// A variable of a function without the function, which a report names already.
fn variable_name(symbol: &str) -> String {
    let name = display_name(symbol);
    name.rsplit("::").next().unwrap_or(&name).to_string()
}

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
    /// Addresses and sizes of constant variables.
    pub constants: &'a [(u64, u64)],
    pub(crate) grid_workspace: u64,
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
            constants: &[],
            grid_workspace: 0,
        }
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

/// What a launch that ended did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LaunchStats {
    /// Instructions, counted once for a warp's group.
    pub warp_instructions: u64,
    /// Accesses by lanes to shared and global memory.
    pub accesses: u64,
}

impl LaunchStats {
    /// Counts what another part of the launch did, too.
    pub(crate) fn add(&mut self, other: LaunchStats) {
        self.warp_instructions += other.warp_instructions;
        self.accesses += other.accesses;
    }
}

/// What came of a launch.
#[derive(Debug)]
pub struct Outcome {
    /// Counts.
    pub stats: LaunchStats,
    /// What the kernel printed.
    pub printed: Vec<u8>,
    /// The turns that were taken, if they were asked for: the same launch with them as its schedule
    /// does the same.
    pub turns: Option<Schedule>,
    /// How it ended.
    pub result: Result<(), LaunchError>,
}

/// What a kernel did wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// In words.
    pub what: String,
    /// The instruction.
    pub site: SiteId,
    /// Who.
    pub block: BlockIndex,
    /// The thread in its block.
    pub thread: u32,
}

/// Why a launch did not end by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaunchError {
    /// The kernel misbehaved.
    Fault(Fault),
    /// Threads wait for each other and none can go on.
    Deadlock(Fault),
    /// Threads run, and nothing comes of it.
    Livelock(Fault),
    /// It ran longer than it may.
    OutOfBudget {
        /// The limit, in warp instructions.
        limit: u64,
    },
    /// Whoever watches said so.
    Stopped,
    /// The stored schedule is not one of this launch.
    Schedule(String),
    /// The extents make no sense.
    Geometry(String),
    /// There is no memory for it.
    Memory(String),
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Fault(fault)
            | LaunchError::Deadlock(fault)
            | LaunchError::Livelock(fault) => f.write_str(&fault.what),
            LaunchError::OutOfBudget { limit } => {
                write!(f, "it did not end within {limit} warp instructions")
            }
            LaunchError::Stopped => f.write_str("it was stopped before its end"),
            LaunchError::Schedule(what)
            | LaunchError::Geometry(what)
            | LaunchError::Memory(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for LaunchError {}

/// Runs a launch to its end. What happened until an error is told to the sink all the same.
pub fn run(launch: &Launch<'_>, memory: &DeviceMemory, sink: &mut dyn EventSink) -> Outcome {
    let failed = |error| Outcome {
        stats: LaunchStats::default(),
        printed: Vec::new(),
        turns: None,
        result: Err(error),
    };
    let (grid, cluster) = (launch.geometry.grid, launch.cluster_extents());
    if !grid.x.is_multiple_of(cluster.x)
        || !grid.y.is_multiple_of(cluster.y)
        || !grid.z.is_multiple_of(cluster.z)
    {
        return failed(LaunchError::Geometry(format!(
            "a grid of {grid} blocks is no multiple of clusters of {cluster}"
        )));
    }
    let mut launch = launch.clone();
    let workspace = match launch.kernel.uses_environment && launch.cooperative {
        true => match memory.allocate(GRID_WORKSPACE, AllocationKind::Device) {
            Ok(address) => Some(address),
            Err(error) => return failed(LaunchError::Memory(error.to_string())),
        },
        false => None,
    };
    if let Some(address) = workspace {
        launch.grid_workspace = address.0;
        let mut content = [0; GRID_WORKSPACE as usize];
        content[..4].copy_from_slice(&(GRID_WORKSPACE as u32).to_le_bytes());
        if let Err(error) = memory.write(address, &content) {
            return failed(LaunchError::Memory(error.to_string()));
        }
    }
    let outcome = parallel::run(&launch, memory, sink);
    if let Some(address) = workspace {
        // It was taken above and nobody else knows it.
        let _ = memory.free(address);
    }
    outcome
}
