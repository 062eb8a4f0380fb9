//! What instructions work on, besides their block and their warp.

use crate::block::BlockInfo;
use crate::cluster::Cluster;
use crate::lane_conflicts::LaneConflicts;
use crate::lanes::{Instructions, Rows};
use crate::launch::Launch;
use crate::memory::{MemoryView, Window, WriteNotes};
use crate::out_of_bounds::Strays;
use crate::outcome::{Fault, FaultKind};
use crate::program::Program;
use crate::trace::Trace;
use crate::updates::Update;
use crate::warp::{Warp, bits};
use warpsan_model::barriers::BarrierArrival;
use warpsan_model::{SiteId, WARP_LANES};

/// What runs instructions: all of a launch that is not one block's.
pub(crate) struct Core<'a> {
    pub(crate) program: &'a Program,
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) memory: MemoryView<'a>,
    pub(crate) trace: Trace<'a>,
    /// For each load and store, where it went last: mostly it goes there again.
    pub(crate) windows: Vec<Window>,
    pub(crate) clusters: Vec<Cluster>,
    /// What kernels printed.
    pub(crate) printed: Vec<u8>,
    /// Instructions so far, without those of the burst that runs.
    pub(crate) instructions: u64,
    /// What to add to the instructions of the warp that runs for those of all.
    pub(super) clock_offset: u64,
    /// Stores and atomics that wrote, so far.
    pub(crate) writes: u64,
    /// Completed phases of `mbarrier` objects, by block and offset.
    pub(crate) phases: std::collections::HashMap<(u32, u64), u64>,
    /// The number of the next asynchronous copy; parts of a launch begin with different ones.
    pub(crate) copies: u64,
    pub(super) first_copy: u64,
    /// Accesses that went to other memory than they were meant for.
    pub(crate) strays: Strays,
    /// What is noted of writes, where that has to be known.
    pub(crate) notes: WriteNotes,
    /// Where lanes of one instruction wrote different values to one place, if somebody wants to know.
    pub(crate) lane_conflicts: Option<LaneConflicts>,
    /// Atomic updates, if somebody carries them out once more.
    pub(crate) updates: Option<Vec<Update>>,
    pub(super) instruction_set: Instructions,
}

/// Why a burst ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The burst is over, or no group of the warp can go on.
    Over,
    /// Lanes have come to a block barrier. Their group waits, unless it only arrives.
    AtBlockBarrier(BarrierArrival),
    /// Something happened that others of the cluster may wait for.
    ForCluster,
}

/// How an instruction that is not in the inner loop ends.
pub(super) enum Next {
    /// The next instruction.
    Forward,
    /// The group is not what it was, or waits: look again.
    Changed,
    /// The burst ends here.
    Stop(Stop),
}

/// A group that runs, and what belongs to it.
#[derive(Clone, Copy)]
pub(crate) struct Running {
    pub(crate) group: usize,
    /// The lanes that execute the instruction.
    pub(crate) mask: u32,
    pub(crate) rows: Rows,
    pub(crate) site: SiteId,
    /// Where the predicates of the open call begin.
    pub(crate) predicates: usize,
    /// Where the local memory of the open call begins, in bytes.
    pub(crate) local: u64,
}

impl<'a> Core<'a> {
    pub(crate) fn new(
        program: &'a Program,
        launch: &'a Launch<'a>,
        memory: MemoryView<'a>,
        trace: Trace<'a>,
        part: u64,
    ) -> Core<'a> {
        let first_copy = part << 32;
        Core {
            program,
            launch,
            memory,
            trace,
            windows: vec![Window::default(); program.accesses.len()],
            clusters: Vec::new(),
            printed: Vec::new(),
            instructions: 0,
            clock_offset: 0,
            writes: 0,
            phases: std::collections::HashMap::new(),
            copies: first_copy,
            first_copy,
            strays: Strays::default(),
            notes: WriteNotes::Nothing,
            lane_conflicts: None,
            updates: None,
            instruction_set: launch.kernel.instructions,
        }
    }

    /// Instructions of all warps, which stand in for time.
    pub(super) fn clock(&self, warp: &Warp) -> u64 {
        self.clock_offset.wrapping_add(warp.instructions)
    }

    #[cold]
    pub(crate) fn fault(
        &self,
        block: &BlockInfo,
        warp: &Warp,
        mask: u32,
        site: SiteId,
        kind: FaultKind,
        what: impl Into<String>,
    ) -> Fault {
        Fault {
            kind,
            what: what.into(),
            site,
            block: block.index,
            thread: warp.index * WARP_LANES + (mask.trailing_zeros() & 31),
        }
    }
}

/// Makes sure that a group consists of the lanes of `mask` that agree on an operand with the lowest
/// of them. If it does not, these lanes diverge from the rest, and all come to the instruction again:
/// lanes whose guard is false then step over it.
pub(super) fn isolate(warp: &mut Warp, running: &Running, operand: warpsan_ir::Value) -> bool {
    // SAFETY: the operand is one of the program.
    let values = unsafe { running.rows.values(operand) };
    let first = values[running.mask.trailing_zeros() as usize];
    let agreeing = bits(running.mask, |lane| values[lane] == first);
    isolate_lanes(warp, running.group, agreeing)
}

/// The same for lanes that are known.
pub(super) fn isolate_lanes(warp: &mut Warp, group: usize, lanes: u32) -> bool {
    if lanes == warp.groups[group].mask {
        return true;
    }
    let at = warp.groups[group].at;
    warp.diverge(group, lanes, at, None);
    warp.groups[group].at = at;
    false
}
