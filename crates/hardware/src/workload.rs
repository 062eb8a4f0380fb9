//! What the model runs: for each warp a short list of what it did, in its own order.

use serde::Serialize;

/// What one instruction of a warp is to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// A load that may be answered by the L1.
    Load,
    /// A load that goes to the L2: volatile, or otherwise strong.
    LoadAround,
    /// A store; nobody waits for it but fences.
    Store,
    /// An atomic whose old value somebody wants.
    Atomic,
    /// An atomic that gives nothing back.
    Reduction,
    /// A fence of the block's scope.
    BlockFence,
    /// A fence of a wider scope.
    DeviceFence,
    /// The barrier of the block with this number, from 0.
    Barrier,
    /// Anything that takes its turn and nothing more, as shared memory does.
    Turn,
}

impl Action {
    /// Whether it goes to global memory, and so to the detector.
    pub(crate) fn accesses_memory(self) -> bool {
        use Action::{Atomic, Load, LoadAround, Reduction, Store};
        matches!(self, Load | LoadAround | Store | Atomic | Reduction)
    }

    /// Whether the warp goes on without an answer.
    pub(crate) fn is_posted(self) -> bool {
        matches!(self, Action::Store | Action::Reduction)
    }
}

/// One instruction of a warp: 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) action: Action,
    /// It has to wait for the warp's stores before it, as a release does.
    pub(crate) releases: bool,
    /// How many of the warp's lines are its own.
    pub(crate) lines: u16,
    /// The number of the barrier.
    pub(crate) barrier: u32,
}

/// A line that an operation wants: 12 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its number in the memory that the program touched.
    pub(crate) number: u32,
    pub(crate) words: u32,
    pub(crate) lanes: u8,
    pub(crate) most_on_a_word: u8,
}

/// A load or an atomic that is repeated until another warp has done something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Poll {
    /// Which operation of the warp it is.
    pub(crate) operation: u32,
    /// How often the recording made it. The model makes it no more often, so that it comes to an end even if the
    /// other warp's block finds no room before.
    pub(crate) turns: u32,
    /// The block of the other warp, by its place in the launch, and that warp's number there.
    pub(crate) block: u32,
    pub(crate) warp: u32,
    /// How many operations the other warp has to issue.
    pub(crate) operations: u32,
}

/// All that one warp did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WarpProgram {
    pub(crate) operations: Vec<Operation>,
    /// The lines of all operations, one after the other.
    pub(crate) lines: Vec<Line>,
    /// Those operations that poll, in their order.
    pub(crate) polls: Vec<Poll>,
}

/// All that one block did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BlockProgram {
    pub(crate) warps: Vec<WarpProgram>,
    /// For each barrier, how many warps wait there.
    pub(crate) barriers: Vec<u32>,
}

/// One launch, with the blocks that did something in the order of their numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct LaunchProgram {
    pub(crate) blocks: Vec<BlockProgram>,
}

/// All that a program did on the device, by launch, block and warp.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Workload {
    pub(crate) launches: Vec<LaunchProgram>,
    /// Lines of the memory that the program touched, whole pages.
    pub(crate) memory_lines: u32,
    pub(crate) size: Size,
}

/// How large a workload is: a result means nothing without it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Kernels that were launched.
    pub launches: u64,
    /// Blocks of all launches.
    pub blocks: u64,
    /// Warps that did something.
    pub warps: u64,
    /// Instructions of warps in the stream.
    pub operations: u64,
    /// Instructions that access global memory.
    pub accesses: u64,
    /// Lines that these ask for after coalescing.
    pub lines: u64,
    /// Bytes of memory in pages that were touched.
    pub bytes: u64,
}

impl Workload {
    /// How large it is.
    pub fn size(&self) -> Size {
        self.size
    }
}
