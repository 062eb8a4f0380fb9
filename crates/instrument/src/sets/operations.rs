//! What operations are to sets.

use crate::meaning::access_of;
use warpsan_ir::{BarrierOp, MemorySpace, Op};

/// Where an access goes to, and whether it writes and how many bytes, if it goes to memory that threads share.
pub(super) fn shared_access(op: &Op) -> Option<(MemorySpace, bool, u32)> {
    let (Op::Load { space, .. } | Op::Store { space, .. }) = op else { return None };
    let is_shared =
        matches!(space, MemorySpace::Global | MemorySpace::Generic | MemorySpace::Shared);
    let (_, bytes) = access_of(op, true).filter(|_| is_shared)?;
    Some((*space, matches!(op, Op::Store { .. }), bytes))
}

/// What of an operation sets do not know, as `beyond_sets` of `detect::curd` has it.
pub(super) fn beyond_sets(op: &Op) -> Option<&'static str> {
    match op {
        Op::Atomic { .. } | Op::AtomicVector { .. } => Some("atomics"),
        Op::Fence { .. } => Some("fences"),
        Op::Load { space: MemorySpace::SharedCluster, .. }
        | Op::Store { space: MemorySpace::SharedCluster, .. }
        | Op::ClusterBarrier { .. } => Some("clusters"),
        Op::Load { strength, .. } | Op::Store { strength, .. }
            if strength.order().is_some_and(|order| order.acquires() || order.releases()) =>
        {
            Some("accesses that acquire or release")
        }
        Op::WarpBarrier { .. } => Some("barriers of warps"),
        Op::BlockBarrier { op: BarrierOp::Arrive, .. }
        | Op::BlockBarrier { threads: Some(_), .. } => Some("barriers of parts of a block"),
        Op::Async(_) => Some("asynchronous copies"),
        Op::Matrix(matrix) if matrix.place.is_some() => Some("matrices in memory"),
        _ => None,
    }
}

/// Whether anything is done about an operation.
pub(super) fn matters(op: &Op) -> bool {
    matches!(op, Op::BlockBarrier { .. })
        || shared_access(op).is_some()
        || beyond_sets(op).is_some()
}
