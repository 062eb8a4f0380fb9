//! Blocks, warps and block barriers, as far as their order goes.

use super::super::operation::Operation;
use super::joins::Together;
use std::collections::VecDeque;
use warpsan_model::{SiteId, WARP_LANES};

/// Barriers that a block has.
pub(super) const BARRIERS: usize = 16;

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
    Joins,
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
    /// Empty until one is used.
    pub(super) barriers: Vec<Barrier>,
    pub(super) arrivals: ArrivalOrder,
    /// Its cluster, and its rank there.
    pub(super) cluster: (u64, u32),
    pub(super) has_ended: bool,
}

/// A block barrier.
#[derive(Debug, Default)]
pub(super) struct Barrier {
    /// The lanes of each warp that wait.
    pub(super) waiting: Vec<u32>,
    /// The lanes of each warp that arrived and went on.
    pub(super) arrived: Vec<u32>,
    /// How many threads it waits for; none means all that live.
    threads: Option<u32>,
    /// Who waits where: warp, lanes, site.
    pub(super) groups: Vec<(u32, u32, SiteId)>,
    in_use: bool,
}

/// Arrivals at the barriers of a block that came and did not count yet, in the order of their slots: warp and
/// lanes. An arrival for the next phase must not count for this one because its warp had less to wait for.
#[derive(Debug, Default)]
pub(super) struct ArrivalOrder {
    by_barrier: Vec<VecDeque<(u32, u32)>>,
}

impl ArrivalOrder {
    pub(super) fn add(&mut self, barrier: usize, warp: u32, lanes: u32) {
        if self.by_barrier.is_empty() {
            self.by_barrier.resize_with(BARRIERS, VecDeque::new);
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

/// Lanes of one warp that come to a block barrier.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrival {
    pub(super) warp: u32,
    pub(super) lanes: u32,
    pub(super) site: SiteId,
    pub(super) barrier: usize,
    pub(super) threads: Option<u32>,
    pub(super) only_arrives: bool,
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
            barriers: Vec::new(),
            arrivals: ArrivalOrder::default(),
            cluster,
            has_ended: false,
        }
    }

    pub(super) fn arrive(&mut self, arrival: &Arrival) {
        let warps = self.warps.len();
        if self.barriers.is_empty() {
            self.barriers.resize_with(BARRIERS, Barrier::default);
        }
        let barrier = &mut self.barriers[arrival.barrier];
        if !barrier.in_use {
            barrier.in_use = true;
            barrier.threads = arrival.threads;
            barrier.waiting = vec![0; warps];
            barrier.arrived = vec![0; warps];
            barrier.groups.clear();
        }
        let warp = arrival.warp as usize;
        if arrival.only_arrives {
            barrier.arrived[warp] |= arrival.lanes;
        } else {
            barrier.waiting[warp] |= arrival.lanes;
            barrier.groups.push((arrival.warp, arrival.lanes, arrival.site));
            self.warps[warp].waiting |= arrival.lanes;
        }
    }

    /// The number of a barrier that has all it waits for.
    pub(super) fn complete_barrier(&self) -> Option<usize> {
        self.barriers.iter().position(|barrier| {
            barrier.in_use
                && match barrier.threads {
                    Some(threads) => self.threads_at(barrier) >= threads,
                    None => {
                        let mut all = self.warps.iter().zip(&barrier.waiting).zip(&barrier.arrived);
                        all.all(|((warp, waiting), arrived)| warp.live & !(waiting | arrived) == 0)
                            && barrier.waiting.iter().any(|lanes| *lanes != 0)
                    }
                }
        })
    }

    /// Threads that count as being at a barrier: a warp that is there with all its lanes counts in
    /// full, however many lanes it has left.
    fn threads_at(&self, barrier: &Barrier) -> u32 {
        let lanes = self.warps.iter().zip(&barrier.waiting).zip(&barrier.arrived);
        lanes
            .map(|((warp, waiting), arrived)| {
                let whole = |lanes: u32| lanes != 0 && warp.live & !lanes == 0;
                // A warp that arrives and then waits counts twice.
                let counted = |lanes: u32| match whole(lanes) {
                    true => WARP_LANES,
                    false => lanes.count_ones(),
                };
                let apart = counted(*waiting) + counted(*arrived);
                if whole(waiting | arrived) { apart.max(WARP_LANES) } else { apart }
            })
            .sum()
    }

    /// Lets those go on who wait at a barrier, and tells what it was.
    pub(super) fn release_barrier(&mut self, number: usize) -> Barrier {
        let mut barrier = std::mem::take(&mut self.barriers[number]);
        for (warp, lanes) in self.warps.iter_mut().zip(&barrier.waiting) {
            warp.waiting &= !lanes;
        }
        // By warp, and in a warp by lane, as the CPU engine keeps its groups.
        barrier.groups.sort_by_key(|(warp, lanes, _)| (*warp, lanes.trailing_zeros()));
        barrier
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
            if members & self.live & !here == 0 {
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
