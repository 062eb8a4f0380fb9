//! Who accesses what: the numbers and names that all parts of the detector share.

/// The number of a block among those of all launches that are remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub(super) struct BlockNumber(pub(super) u32);

impl BlockNumber {
    /// Where a clock keeps what is known of the block.
    #[inline]
    pub(super) fn key(self) -> u64 {
        u64::from(self.0)
    }
}

/// The number of a cluster in the launch that runs. Without clusters, each block is one and has its own number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub(super) struct ClusterNumber(pub(super) u32);

/// The number of an instruction among those of all launches that are remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub(super) struct SiteNumber(pub(super) u32);

impl SiteNumber {
    /// Its place in a table.
    #[inline]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a warp in its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(transparent)]
pub(super) struct WarpNumber(pub(super) u32);

impl WarpNumber {
    /// The number as an entry of the history has it.
    #[inline]
    pub(super) fn of_entry(warp: u8) -> WarpNumber {
        WarpNumber(u32::from(warp))
    }

    /// The number for an entry of the history: a block has at most 32 warps.
    #[inline]
    pub(super) fn for_entry(self) -> u8 {
        self.0 as u8
    }

    /// Its place in a table.
    #[inline]
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct WarpId {
    pub(super) block: BlockNumber,
    pub(super) warp: WarpNumber,
}

/// A lane of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct LaneId {
    pub(super) block: BlockNumber,
    pub(super) warp: WarpNumber,
    pub(super) lane: u32,
}

impl LaneId {
    /// Its warp.
    #[inline]
    pub(super) fn warp(self) -> WarpId {
        WarpId { block: self.block, warp: self.warp }
    }

    /// It alone.
    #[inline]
    pub(super) fn lanes(self) -> WarpLanes {
        WarpLanes { block: self.block, warp: self.warp, mask: 1 << self.lane }
    }
}

/// Lanes of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WarpLanes {
    pub(super) block: BlockNumber,
    pub(super) warp: WarpNumber,
    pub(super) mask: u32,
}

impl WarpLanes {
    /// Their warp.
    #[inline]
    pub(super) fn warp(self) -> WarpId {
        WarpId { block: self.block, warp: self.warp }
    }
}

/// Who accesses: a thread, or an asynchronous copy that a thread began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(super) enum Agent {
    /// The thread itself.
    Thread,
    /// `cp.async` of the thread. The epoch counts the thread's copies.
    ThreadCopy,
    /// A copy through the asynchronous proxy. The epoch is its number in the block.
    BulkCopy,
    /// `st.async` or `red.async`: of the generic proxy. The epoch is its number among the block's bulk copies.
    AsyncStore,
}

/// A location of strong accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct StrongLocationId {
    /// The block whose shared memory it is; none for global memory.
    pub(super) owner: Option<BlockNumber>,
    pub(super) start: u64,
    pub(super) bytes: u8,
}
