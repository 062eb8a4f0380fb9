use super::{AsyncOp, AtomicOp, MemorySpace, Op};
use warpsan_model::{KernelFeature, Strength};

impl Op {
    /// What a kernel has because it has this operation.
    pub fn features(&self) -> impl Iterator<Item = &'static KernelFeature> {
        let meets = self.lets_blocks_meet().then_some(&KernelFeature::BlocksMeet);
        self.used().iter().chain(meets)
    }

    /// What it uses.
    fn used(&self) -> &'static [KernelFeature] {
        use KernelFeature::*;
        let of_space = |space: &MemorySpace| *space == MemorySpace::SharedCluster;
        match self {
            Op::Load { strength, space, .. } | Op::Store { strength, space, .. } => {
                match (*strength != Strength::Weak, of_space(space)) {
                    (true, true) => &[StrongAccesses, Cluster],
                    (true, false) => &[StrongAccesses],
                    (false, true) => &[Cluster],
                    (false, false) => &[],
                }
            }
            Op::Atomic { op, space, .. } => {
                match (matches!(op, AtomicOp::Cas | AtomicOp::Exch), of_space(space)) {
                    (true, true) => &[StrongAccesses, Atomics, PiecesOfLocks, Cluster],
                    (true, false) => &[StrongAccesses, Atomics, PiecesOfLocks],
                    (false, true) => &[StrongAccesses, Atomics, Cluster],
                    (false, false) => &[StrongAccesses, Atomics],
                }
            }
            Op::AtomicVector { .. } => &[StrongAccesses, Atomics],
            Op::Fence { .. } => &[Fences],
            Op::BlockBarrier { .. } => &[BlockBarriers],
            Op::WarpBarrier { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::Redux { .. }
            | Op::Elect { .. } => &[WarpSynchronisation],
            Op::ClusterBarrier { .. } | Op::MapAddress { .. } => &[Cluster],
            Op::Async(operation) => match &**operation {
                AsyncOp::Mbarrier { .. } => &[Mbarriers],
                AsyncOp::PendingCount { .. } => &[],
                AsyncOp::Bulk { multicast: Some(_), .. } => &[AsyncCopies, BulkCopies, Cluster],
                AsyncOp::Bulk { .. } => &[AsyncCopies, BulkCopies],
                _ => &[AsyncCopies],
            },
            _ => &[],
        }
    }
}
