//! Who accesses what: the names that all parts of the detector share.

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
}

/// A lane, with its block counted over all launches that are remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct LaneId {
    pub(super) block: u32,
    pub(super) warp: u32,
    pub(super) lane: u32,
}

/// A location of strong accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct PlaceId {
    /// The block whose shared memory it is; none for global memory.
    pub(super) owner: Option<u32>,
    pub(super) start: u64,
    pub(super) bytes: u8,
}
