//! The rules of barriers: whom they wait for, and when they are complete.
//!
//! Lanes are bits of a mask for each warp. Who asks knows which lanes live, and in which order lanes come; nothing here
//! knows an engine. The CPU engine and the host's side of the GPU engine both use it.

mod block;
mod cluster;

pub use block::{
    BLOCK_BARRIERS, BarrierArrival, BlockBarrier, BlockBarriers, WaitingGroup, diverged_groups,
};
pub use cluster::ClusterBarrier;

/// Whether a barrier among lanes of one warp has all it waits for: `members` is the mask that it was called with, and
/// lanes that have exited are not waited for.
#[inline]
pub fn warp_barrier_is_complete(members: u32, live: u32, arrived: u32) -> bool {
    members & live & !arrived == 0
}

#[cfg(test)]
mod tests {
    use super::warp_barrier_is_complete;

    #[test]
    fn a_warp_barrier_waits_for_members_that_live() {
        assert!(!warp_barrier_is_complete(0b1111, 0b1111, 0b0111));
        assert!(warp_barrier_is_complete(0b1111, 0b1111, 0b1111));
        assert!(warp_barrier_is_complete(0b1111, 0b0111, 0b0111), "one has exited");
        assert!(warp_barrier_is_complete(0b0011, 0b1111, 0b0011), "others are no members");
    }
}
