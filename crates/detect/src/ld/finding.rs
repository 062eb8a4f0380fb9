//! What was found: plain data, the same for both engines.

use crate::last_access::sides::Side;
use warpsan_model::{SiteId, Space};

/// Names of patterns, in the comments of suites.
pub(super) const RULES: [&str; 3] = ["write-write", "read-write", "one-instruction"];

/// What values showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Pattern {
    /// Two changed a byte in the first pass (section 4.1).
    WriteWrite,
    /// One got other results in the second pass, when it saw what others had changed (section 4.2).
    ReadWrite,
    /// Lanes of one instruction wrote different values to one place (section 4.7).
    OneInstruction,
}

/// Who raced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Between {
    /// Lanes of a warp.
    Lanes,
    /// Warps of a block.
    Warps,
    /// Blocks of a launch.
    Blocks,
}

/// How a read-write race showed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symptom {
    /// By bytes of memory.
    #[default]
    Memory,
    /// By values that threads keep in registers or local memory to the next region.
    Registers,
    /// The second pass ended in a fault, or did not end.
    Fault,
}

/// The code between two barriers in which it happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region {
    /// The barrier that it begins behind; none at the beginning of the kernel.
    pub from: Option<SiteId>,
    /// The barrier that it ends at; none at the end of the kernel.
    pub to: Option<SiteId>,
}

/// How far it went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extent {
    /// Warps that were part of it.
    pub warps: u64,
    /// Bytes that differ.
    pub bytes: u64,
}

/// A race by values, with the instructions of both sides from a run that was logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueRace {
    /// What values showed.
    pub pattern: Pattern,
    /// Who raced.
    pub between: Between,
    /// How a read-write race showed.
    pub symptom: Symptom,
    /// The memory that both accessed.
    pub space: Space,
    /// The first byte that both accessed; in shared memory, an offset.
    pub address: u64,
    /// The two accesses; of a read-write race, the write comes first.
    pub sides: [Side; 2],
    /// Where in the kernel; the whole of it for races of blocks.
    pub region: Region,
    /// How far it went.
    pub extent: Extent,
}
