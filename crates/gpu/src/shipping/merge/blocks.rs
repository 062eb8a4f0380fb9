//! The state of blocks and warps while their operations are put in order: which lanes live, wait, or have operations pending.

use super::super::operation::Operation;
use super::reconvergence::Together;
use std::collections::VecDeque;
use warpsan_model::SiteId;
use warpsan_model::barriers::{
    BLOCK_BARRIERS, BarrierArrival, BlockBarrier, BlockBarriers, WaitingGroup,
    warp_barrier_is_complete,
};

/// Where an operation came from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin {
    pub(super) queue: usize,
    pub(super) index: u64,
}

/// An operation that has to wait.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) origin: Origin,
    pub(super) operation: Operation,
    /// The lanes that have not gone.
    pub(super) left: u32,
    /// Why they have not.
    pub(super) why: Why,
}

/// Why an operation waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Something of its lanes comes first.
    Behind,
    /// It is not its turn.
    NoTurn,
    /// Other lanes of the warp are on their way to the same instruction.
    Reconverges,
}

/// A warp.
#[derive(Debug)]
pub(super) struct Warp {
    /// Lanes that have not ended.
    pub(super) live: u32,
    /// Lanes that are at a block or warp barrier.
    pub(super) waiting: u32,
    /// Operations that came and did not go, in their order.
    pub(super) pending: VecDeque<Pending>,
    /// The lanes of these.
    pub(super) pending_lanes: u32,
    /// Groups of lanes at warp barriers, with the lanes that each barrier is for.
    pub(super) at_warp_barriers: Vec<(u32, u32)>,
    pub(super) together: Together,
}

/// A block that has begun.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) warps: Vec<Warp>,
    pub(super) barriers: BlockBarriers,
    /// Who waits at them: the barrier and the group, in the order of arrival.
    pub(super) at_barriers: Vec<(usize, WaitingGroup)>,
    pub(super) arrivals: ArrivalOrder,
    /// Its cluster, and its rank there.
    pub(super) cluster: (u64, u32),
    pub(super) has_ended: bool,
}

/// Arrivals at the barriers of a block that came and did not count yet, in the order of their slots: warp and
/// lanes. The rules of barriers take arrivals as they come; which came first only the device's queues know, so this is not
/// part of them. An arrival for the next phase must not count for this one because its warp had less to wait for.
#[derive(Debug, Default)]
pub(super) struct ArrivalOrder {
    by_barrier: Vec<VecDeque<(u32, u32)>>,
}

impl ArrivalOrder {
    pub(super) fn add(&mut self, barrier: usize, warp: u32, lanes: u32) {
        if self.by_barrier.is_empty() {
            self.by_barrier.resize_with(BLOCK_BARRIERS, VecDeque::new);
        }
        self.by_barrier[barrier].push_back((warp, lanes));
    }

    /// Takes an arrival out of the order, if it is the next one at its barrier.
    pub(super) fn take(&mut self, barrier: usize, warp: u32, lanes: u32) -> bool {
        let Some(order) = self.by_barrier.get_mut(barrier) else { return false };
        let is_next = order.front() == Some(&(warp, lanes));
        if is_next {
            order.pop_front();
        }
        is_next
    }

    /// The warp of the next arrival at a barrier.
    pub(super) fn next(&self, barrier: usize) -> Option<u32> {
        self.by_barrier.get(barrier)?.front().map(|(warp, _)| *warp)
    }
}

impl Block {
    pub(super) fn new(lanes: impl Iterator<Item = u32>, cluster: (u64, u32)) -> Block {
        let warp = |live: u32| Warp {
            live,
            waiting: 0,
            pending: VecDeque::new(),
            pending_lanes: 0,
            at_warp_barriers: Vec::new(),
            together: Together::default(),
        };
        Block {
            warps: lanes.map(warp).collect(),
            barriers: BlockBarriers::default(),
            at_barriers: Vec::new(),
            arrivals: ArrivalOrder::default(),
            cluster,
            has_ended: false,
        }
    }

    /// Lanes of a warp are at a barrier now, by the instruction of a site.
    pub(super) fn arrive(&mut self, warp: u32, arrival: &BarrierArrival, site: SiteId) {
        self.barriers.arrive(self.warps.len(), warp as usize, arrival);
        if !arrival.only_arrives {
            let lanes = arrival.lanes;
            let group = WaitingGroup { warp, lanes, instruction: site.0, site };
            self.at_barriers.push((arrival.barrier as usize, group));
            self.warps[warp as usize].waiting |= lanes;
        }
    }

    /// The number of a barrier that has all it waits for.
    pub(super) fn complete_barrier(&self) -> Option<usize> {
        self.barriers.complete(|| self.warps.iter().map(|warp| warp.live))
    }

    /// Lets those go on who wait at a barrier. Returns what it was, and who waited there.
    pub(super) fn release_barrier(&mut self, number: usize) -> (BlockBarrier, Vec<WaitingGroup>) {
        let barrier = self.barriers.release(number);
        for (warp, lanes) in self.warps.iter_mut().zip(barrier.waiting()) {
            warp.waiting &= !lanes;
        }
        let released = self.at_barriers.extract_if(.., |(at, _)| *at == number);
        let mut groups: Vec<WaitingGroup> = released.map(|(_, group)| group).collect();
        // By warp, and in a warp by lane, as the CPU engine keeps its groups: they come in the order of the queues.
        groups.sort_by_key(|group| (group.warp, group.lanes.trailing_zeros()));
        (barrier, groups)
    }
}

impl Warp {
    /// Lets go who wait at warp barriers to which all have come. Returns the lanes of each.
    pub(super) fn release_warp_barriers(&mut self) -> Vec<u32> {
        let mut met = Vec::new();
        let mut at = 0;
        while let Some((members, _)) = self.at_warp_barriers.get(at).copied() {
            let of_it = |one: &&(u32, u32)| one.0 == members;
            let here = self.at_warp_barriers.iter().filter(of_it).fold(0, |all, one| all | one.1);
            if warp_barrier_is_complete(members, self.live, here) {
                self.at_warp_barriers.retain(|one| one.0 != members);
                self.waiting &= !here;
                met.push(here);
                at = 0;
            } else {
                at += 1;
            }
        }
        met
    }
}
