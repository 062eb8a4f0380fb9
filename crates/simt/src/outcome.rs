//! What came of a launch.

use crate::out_of_bounds::OutOfBounds;
use crate::schedule::Schedule;
use std::fmt;
use warpsan_model::{BlockIndex, SiteId};

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
    /// Accesses that went to other memory than they were meant for.
    pub out_of_bounds: Vec<OutOfBounds>,
    /// How it ended.
    pub result: Result<(), LaunchError>,
}

impl Outcome {
    /// That of a launch that did nothing.
    pub fn without_work(result: Result<(), LaunchError>) -> Outcome {
        Outcome {
            stats: LaunchStats::default(),
            printed: Vec::new(),
            turns: None,
            out_of_bounds: Vec::new(),
            result,
        }
    }
}

/// The kinds of what a kernel can do wrong. Whoever acts on a fault asks for its kind; its sentence
/// is for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// An `assert` of the kernel failed.
    AssertionFailed,
    /// An address that is not a multiple of what its access asks for.
    MisalignedAddress,
    /// An address where the thread has no memory.
    IllegalAddress,
    /// `free` of something in device memory that `malloc` did not return.
    InvalidFree,
    /// An operation in a state space that does not have it.
    InvalidAddressSpace,
    /// `trap`.
    Trap,
    /// A jump, a call or a return that leads nowhere.
    InvalidTarget,
    /// Calls that need more local memory than a thread has.
    StackOverflow,
    /// A block barrier of a number, or for a number of threads, that there cannot be.
    InvalidBarrier,
    /// An `mbarrier` that is not one, or whose counts overflow.
    InvalidMbarrier,
    /// An operation of a whole warp that only some of its lanes execute together.
    MissingLanes,
    /// An asynchronous copy of a size that there cannot be.
    InvalidCopySize,
    /// Threads wait for each other and none can go on.
    Deadlock,
    /// Threads run, and nothing comes of it.
    Livelock,
}

/// What a kernel did wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Of which kind it is.
    pub kind: FaultKind,
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
    /// A bug of warpsan.
    Internal(String),
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Fault(fault) => f.write_str(&fault.what),
            LaunchError::OutOfBudget { limit } => {
                write!(f, "it did not end within {limit} warp instructions")
            }
            LaunchError::Stopped => f.write_str("it was stopped before its end"),
            LaunchError::Schedule(what)
            | LaunchError::Geometry(what)
            | LaunchError::Memory(what)
            | LaunchError::Internal(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for LaunchError {}
