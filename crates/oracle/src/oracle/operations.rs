//! Operations, points and steps: what a launch is spelled out in.

use std::ops::Range;

use warpsan_event::{AccessKind, CopyKind, ProxyKind};
use warpsan_model::{BlockIndex, Order, Scope, SiteId, Strength};

use super::Memory;

/// A thread, by its number in [`Trace::threads`].
pub(super) type ThreadNumber = usize;
/// A point, by its number in [`Trace::points`]. Points are numbered as the trace has them.
pub(super) type PointNumber = usize;

/// Who did an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agent {
    Thread(ThreadNumber),
    /// The copy with this number.
    Copy(u64),
}

/// What kind of operation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Access(AccessKind),
    /// `ld.global.nc`.
    ReadOnlyPath,
    CopyRead,
    CopyWrite {
        reduces: bool,
    },
    /// `mbarrier.init` and `mbarrier.inval`.
    MbarrierChange,
    /// Everything else that is done to an `mbarrier` object.
    MbarrierUse,
}

/// One access of one thread or copy to bytes that are accessed in one step.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    pub(super) agent: Agent,
    /// Where the thread is; for a copy, where it was begun.
    pub(super) point: PointNumber,
    pub(super) event: usize,
    pub(super) site: SiteId,
    pub(super) block: BlockIndex,
    pub(super) warp: u32,
    pub(super) lane: u32,
    pub(super) element: u8,
    /// The active lanes of the event.
    pub(super) mask: u32,
    pub(super) memory: Memory,
    pub(super) bytes: Range<u64>,
    pub(super) reads: bool,
    pub(super) writes: bool,
    pub(super) role: Role,
    pub(super) strength: Strength,
    /// It goes through the asynchronous proxy.
    pub(super) is_async_proxy: bool,
    /// What a store writes, where the trace says it.
    pub(super) value: Option<[u64; 2]>,
}

impl Operation {
    pub(super) fn is_copy(&self) -> bool {
        matches!(self.agent, Agent::Copy(_))
    }

    pub(super) fn is_mbarrier(&self) -> bool {
        matches!(self.role, Role::MbarrierChange | Role::MbarrierUse)
    }

    /// An access of a thread that is not weak.
    pub(super) fn is_strong_access(&self) -> bool {
        matches!(self.role, Role::Access(_)) && self.strength != Strength::Weak
    }

    /// A strong read that observes: `red` does not.
    pub(super) fn observes(&self) -> bool {
        self.is_strong_access()
            && self.reads
            && matches!(self.role, Role::Access(AccessKind::Read | AccessKind::ReadModifyWrite))
    }

    /// An atomic update: a link of chains.
    pub(super) fn is_update(&self) -> bool {
        self.is_strong_access()
            && self.writes
            && matches!(
                self.role,
                Role::Access(AccessKind::ReadModifyWrite | AccessKind::Reduction)
            )
    }

    pub(super) fn same_place(&self, other: &Operation) -> bool {
        self.memory == other.memory && self.bytes == other.bytes
    }
}

/// What happened at a point, where it matters to synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PointKind {
    Fence { order: Order, scope: Scope },
    ProxyFence(ProxyKind),
    Other,
}

/// A place in the program order of a thread. A barrier that completes is a point, too, though of no
/// thread: it is after all who came, and before those who waited.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) event: usize,
    pub(super) thread: Option<ThreadNumber>,
    pub(super) kind: PointKind,
    /// The point right before it in the program order of its thread.
    pub(super) previous: Option<PointNumber>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadPlace {
    pub(super) block: BlockIndex,
    pub(super) cluster: u64,
}

/// A copy that was begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copy {
    pub(super) number: u64,
    pub(super) thread: ThreadNumber,
    pub(super) kind: CopyKind,
}

/// Something that threads or copies did, with what is needed to order it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A thread arrives at a barrier, and goes on.
    BlockArrive {
        barrier: (BlockIndex, u32),
        thread: ThreadNumber,
        point: PointNumber,
    },
    /// The thread's latest arrival counts for the phase that is complete at this point.
    BlockArrivalCounts {
        barrier: (BlockIndex, u32),
        thread: ThreadNumber,
        phase: PointNumber,
    },
    /// A thread has waited: what it did before is before the phase's end, and that is before what it
    /// does from `after` on.
    Met {
        before: Option<PointNumber>,
        phase: PointNumber,
        after: PointNumber,
        is_warp: bool,
    },
    ClusterArrive {
        cluster: u64,
        order: Order,
        phase: u32,
        point: PointNumber,
    },
    /// All that arrived for the phase are before `complete`, and that is before `point`.
    ClusterWait {
        cluster: u64,
        phase: u32,
        complete: PointNumber,
        point: PointNumber,
    },
    MbarrierInit {
        object: (BlockIndex, u64),
    },
    MbarrierArrive {
        object: (BlockIndex, u64),
        order: Order,
        scope: Scope,
        phase: u64,
        point: PointNumber,
    },
    MbarrierWait {
        object: (BlockIndex, u64),
        order: Order,
        scope: Scope,
        phase: u64,
        point: PointNumber,
    },
    CopySignal {
        copy: u64,
        object: (BlockIndex, u64),
        phase: u64,
    },
    CopyWait {
        thread: ThreadNumber,
        bulk: bool,
        read: bool,
        before: u64,
        point: PointNumber,
    },
}
