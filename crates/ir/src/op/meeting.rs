//! Whether blocks of a launch can meet: what one does is noticed by another before the launch ends.

use super::{AsyncOp, MemorySpace, Op};
use warpsan_model::{Order, Scope, Strength};

impl Op {
    /// Whether another block may notice the operation before the launch ends. Where no operation of a kernel is such a one, nothing orders
    /// its blocks, and what they do does not depend on who is first, unless they race.
    pub fn lets_blocks_meet(&self) -> bool {
        match self {
            Op::Load { space, strength, .. } | Op::Store { space, strength, .. } => {
                *space == MemorySpace::SharedCluster
                    || (*strength != Strength::Weak && !is_of_block(*space))
            }
            // Who returns nothing does not learn of others, and releases nothing to those who would.
            Op::Atomic { to: None, strength, .. } if is_relaxed(*strength) => false,
            Op::Atomic { space, .. } | Op::AtomicVector { space, .. } => !is_of_block(*space),
            // Whoever fences for others communicates with them.
            Op::Fence { scope, .. } => *scope != Scope::Cta,
            Op::ClusterBarrier { .. }
            | Op::MapAddress { .. }
            | Op::RankOfAddress { .. }
            | Op::System(_) => true,
            Op::Async(op) => matches!(
                **op,
                AsyncOp::Bulk { reduce: Some(_), .. }
                    | AsyncOp::Bulk { multicast: Some(_), .. }
                    | AsyncOp::Store { .. }
            ),
            _ => false,
        }
    }

    /// Whether what it leaves in memory depends on what other blocks have done: those who can meet, and updates, even if nobody learns of them.
    pub fn depends_on_other_blocks(&self) -> bool {
        let updates = matches!(self, Op::Atomic { space, .. } if !is_of_block(*space));
        updates || self.lets_blocks_meet()
    }
}

/// Whether it orders nothing by itself.
fn is_relaxed(strength: Strength) -> bool {
    strength.order().is_none_or(|order| order == Order::Relaxed)
}

/// Whether only one block has the memory.
fn is_of_block(space: MemorySpace) -> bool {
    matches!(space, MemorySpace::Shared | MemorySpace::Local | MemorySpace::Frame)
}
