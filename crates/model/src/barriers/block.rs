//! Barriers of a block: who has arrived, who is waited for, and when a phase is complete.

use crate::{SiteId, WARP_LANES};

/// Barriers that a block has.
pub const BLOCK_BARRIERS: usize = 16;

/// Lanes of one warp that come to a block barrier: `bar.sync`, `bar.red` or `bar.arrive`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BarrierArrival {
    /// The number of the barrier, below [`BLOCK_BARRIERS`].
    pub barrier: u32,
    /// The lanes.
    pub lanes: u32,
    /// How many threads the barrier waits for; none means all that live. The first arrival of a phase decides.
    pub threads: Option<u32>,
    /// The lanes whose predicate is true, for a barrier with a reduction.
    pub votes: u32,
    /// They do not wait: `bar.arrive`.
    pub only_arrives: bool,
}

/// One barrier of a block, in one phase.
#[derive(Debug, Default, Clone)]
pub struct BlockBarrier {
    /// The lanes of each warp that wait. Empty unless in use.
    waiting: Vec<u32>,
    /// The lanes of each warp that arrived and did not wait. As long as `waiting`.
    arrived: Vec<u32>,
    /// How many threads it waits for; none means all that live.
    threads: Option<u32>,
    votes: u32,
    /// Somebody has come to this phase.
    in_use: bool,
}

impl BlockBarrier {
    fn arrive(&mut self, warps: usize, warp: usize, arrival: &BarrierArrival) {
        if !self.in_use {
            self.in_use = true;
            self.threads = arrival.threads;
            self.waiting.resize(warps, 0);
            self.arrived.resize(warps, 0);
        }
        let lanes = if arrival.only_arrives { &mut self.arrived } else { &mut self.waiting };
        lanes[warp] |= arrival.lanes;
        self.votes += arrival.votes.count_ones();
    }

    /// Whether the barrier has all it waits for. `live` are the lanes of each warp that have not exited.
    #[inline]
    fn is_complete(&self, live: impl Iterator<Item = u32>) -> bool {
        if !self.in_use {
            return false;
        }
        let mut warps = live.zip(&self.waiting).zip(&self.arrived);
        match self.threads {
            Some(threads) => {
                let counts =
                    warps.map(|((live, waiting), arrived)| counted(live, *waiting, *arrived));
                counts.sum::<u32>() >= threads
            }
            // Arrivals alone complete nothing: somebody has to wait.
            None => {
                warps.all(|((live, waiting), arrived)| live & !(waiting | arrived) == 0)
                    && self.waiting.iter().any(|lanes| *lanes != 0)
            }
        }
    }

    /// The lanes of each warp that wait.
    pub fn waiting(&self) -> &[u32] {
        &self.waiting
    }

    /// Who took part, for each warp: the lanes that waited, and in the upper half those that only arrived.
    pub fn participants(&self) -> Vec<u64> {
        let warps = self.waiting.iter().zip(&self.arrived);
        warps.map(|(waiting, arrived)| u64::from(*waiting) | u64::from(*arrived) << 32).collect()
    }

    /// Threads whose predicate was true: the result of `bar.red.popc`.
    pub fn votes(&self) -> u32 {
        self.votes
    }

    /// The result of `bar.red.and`.
    pub fn all_voted(&self) -> bool {
        let lanes = self.waiting.iter().chain(&self.arrived);
        self.votes == lanes.map(|lanes| lanes.count_ones()).sum::<u32>()
    }

    /// The result of `bar.red.or`.
    pub fn any_voted(&self) -> bool {
        self.votes != 0
    }
}

/// Threads of a warp that count as being at a barrier: a warp that is there with all its lanes counts in full, however
/// many lanes it has left.
fn counted(live: u32, waiting: u32, arrived: u32) -> u32 {
    let is_whole = |lanes: u32| lanes != 0 && live & !lanes == 0;
    let count = |lanes: u32| if is_whole(lanes) { WARP_LANES } else { lanes.count_ones() };
    // A warp that arrives and then waits counts twice.
    let separate = count(waiting) + count(arrived);
    if is_whole(waiting | arrived) { separate.max(WARP_LANES) } else { separate }
}

/// The barriers of one block.
#[derive(Debug, Default, Clone)]
pub struct BlockBarriers {
    /// Empty until one is used, and then [`BLOCK_BARRIERS`].
    barriers: Vec<BlockBarrier>,
}

impl BlockBarriers {
    /// As new, for another block.
    pub fn reset(&mut self) {
        self.barriers.clear();
    }

    /// Lanes of a warp, of so many, come to a barrier.
    pub fn arrive(&mut self, warps: usize, warp: usize, arrival: &BarrierArrival) {
        if self.barriers.is_empty() {
            self.barriers.resize_with(BLOCK_BARRIERS, BlockBarrier::default);
        }
        self.barriers[arrival.barrier as usize % BLOCK_BARRIERS].arrive(warps, warp, arrival);
    }

    /// The number of a barrier that has all it waits for. `live` gives the lanes of each warp that have not exited.
    #[inline]
    pub fn complete<L: Iterator<Item = u32>>(&self, live: impl Fn() -> L) -> Option<usize> {
        self.barriers.iter().position(|barrier| barrier.is_complete(live()))
    }

    /// Ends the phase of a barrier. Returns what it was at its end.
    pub fn release(&mut self, number: usize) -> BlockBarrier {
        std::mem::take(&mut self.barriers[number])
    }
}

/// Lanes of one warp that wait at a barrier, and what brought them there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingGroup {
    /// The warp in its block.
    pub warp: u32,
    /// The lanes.
    pub lanes: u32,
    /// The number of the barrier instruction.
    pub instruction: u32,
    /// Its site.
    pub site: SiteId,
}

impl WaitingGroup {
    /// The first thread of the group, in its block.
    pub fn thread(&self) -> u32 {
        self.warp * WARP_LANES + self.lanes.trailing_zeros()
    }
}

/// Whether two groups at one barrier, neighbours in the order of warps, came there by instructions that do not belong
/// together.
///
/// Lanes of one warp that came by different `.aligned` instructions broke a rule, even where the barrier completes. Warps
/// that meet at two places of `__syncthreads` most likely do by mistake; named barriers are made for it.
pub fn diverged_groups(
    barrier: usize,
    one: &WaitingGroup,
    other: &WaitingGroup,
    is_aligned: impl Fn(&WaitingGroup) -> bool,
    same_line: impl FnOnce(SiteId, SiteId) -> bool,
) -> bool {
    let may_differ = one.warp != other.warp && barrier != 0;
    !may_differ
        && one.instruction != other.instruction
        && is_aligned(one)
        && is_aligned(other)
        && !same_line(one.site, other.site)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: u32 = u32::MAX;

    fn sync(barrier: u32, lanes: u32, threads: Option<u32>) -> BarrierArrival {
        BarrierArrival { barrier, lanes, threads, votes: 0, only_arrives: false }
    }

    fn arrive(barrier: u32, lanes: u32, threads: Option<u32>) -> BarrierArrival {
        BarrierArrival { only_arrives: true, ..sync(barrier, lanes, threads) }
    }

    /// The barrier that is complete after these arrivals, each of a warp.
    fn complete(live: &[u32], arrivals: &[(usize, BarrierArrival)]) -> Option<usize> {
        let mut barriers = BlockBarriers::default();
        for (warp, arrival) in arrivals {
            barriers.arrive(live.len(), *warp, arrival);
        }
        barriers.complete(|| live.iter().copied())
    }

    #[test]
    fn a_barrier_without_a_count_waits_for_all_that_live() {
        let all = |lanes| sync(0, lanes, None);
        assert_eq!(complete(&[ALL, ALL], &[]), None);
        assert_eq!(complete(&[ALL, ALL], &[(0, all(ALL))]), None);
        assert_eq!(complete(&[ALL, ALL], &[(0, all(ALL)), (1, all(ALL))]), Some(0));
        assert_eq!(complete(&[ALL, ALL], &[(0, all(ALL)), (1, all(1))]), None, "lanes of a warp");
        assert_eq!(complete(&[ALL, 0], &[(0, all(ALL))]), Some(0), "a warp has exited");
        assert_eq!(complete(&[ALL, 1], &[(0, all(ALL)), (1, all(1))]), Some(0), "lanes have");
    }

    #[test]
    fn arrivals_alone_do_not_complete_a_barrier_without_a_count() {
        let arrivals = [(0, arrive(3, ALL, None)), (1, arrive(3, ALL, None))];
        assert_eq!(complete(&[ALL, ALL], &arrivals), None);
        let last_waits = [arrivals[0], (1, sync(3, ALL, None))];
        assert_eq!(complete(&[ALL, ALL], &last_waits), Some(3));
    }

    #[test]
    fn a_count_is_in_threads_and_a_whole_warp_counts_in_full() {
        let of = |lanes| sync(1, lanes, Some(64));
        assert_eq!(complete(&[ALL; 3], &[(0, of(ALL))]), None);
        assert_eq!(complete(&[ALL; 3], &[(0, of(ALL)), (2, of(ALL))]), Some(1));
        assert_eq!(complete(&[ALL; 3], &[(0, of(ALL)), (2, of(0xFFFF))]), None);
        let short = [ALL, 0xFFFF];
        assert_eq!(complete(&short, &[(0, of(ALL)), (1, of(0xFFFF))]), Some(1), "all it has left");
        assert_eq!(complete(&short, &[(0, of(ALL)), (1, of(0xFF))]), None);
    }

    #[test]
    fn arrivals_count_and_a_warp_that_arrives_and_waits_counts_twice() {
        let one = [(0, arrive(2, ALL, Some(64))), (1, sync(2, ALL, Some(64)))];
        assert_eq!(complete(&[ALL, ALL], &one), Some(2));
        let twice = [(0, arrive(2, ALL, Some(64))), (0, sync(2, ALL, Some(64)))];
        assert_eq!(complete(&[ALL, ALL], &twice), Some(2));
        let halves = [(0, arrive(2, 0xFFFF, Some(33))), (0, sync(2, 0xFFFF_0000, Some(33)))];
        assert_eq!(complete(&[ALL], &halves), None, "together they are one warp");
    }

    #[test]
    fn barriers_of_other_numbers_are_others() {
        let arrivals = [(0, sync(4, ALL, Some(32))), (1, sync(5, ALL, Some(64)))];
        assert_eq!(complete(&[ALL, ALL], &arrivals), Some(4));
    }

    #[test]
    fn a_released_barrier_begins_anew_and_leaves_its_phase() {
        let mut barriers = BlockBarriers::default();
        let live = || [ALL, 0b11].into_iter();
        let voted = |lanes, votes| BarrierArrival { votes, ..sync(0, lanes, None) };
        barriers.arrive(2, 0, &voted(ALL, ALL));
        barriers.arrive(2, 1, &voted(0b10, 0b10));
        barriers.arrive(2, 1, &BarrierArrival { only_arrives: true, ..voted(0b01, 0b01) });
        assert_eq!(barriers.complete(live), Some(0));
        let ended = barriers.release(0);
        assert_eq!(ended.waiting(), [ALL, 0b10]);
        assert_eq!(ended.participants(), [u64::from(ALL), 0b10 | 0b01 << 32]);
        assert_eq!((ended.votes(), ended.all_voted(), ended.any_voted()), (34, true, true));
        assert_eq!(barriers.complete(live), None);
        barriers.arrive(2, 0, &sync(0, ALL, Some(32)));
        assert_eq!(barriers.complete(live), Some(0), "the count is that of the new phase");
        let ended = barriers.release(0);
        assert_eq!((ended.votes(), ended.all_voted(), ended.any_voted()), (0, false, false));
    }

    #[test]
    fn a_reset_forgets_who_was_there() {
        let mut barriers = BlockBarriers::default();
        barriers.arrive(1, 0, &sync(0, ALL, None));
        barriers.reset();
        assert_eq!(barriers.complete(|| [ALL].into_iter()), None);
    }

    #[test]
    fn groups_diverge_by_aligned_instructions_of_different_lines() {
        let group = |warp, instruction| WaitingGroup {
            warp,
            lanes: 0b100,
            instruction,
            site: SiteId(instruction),
        };
        let diverged =
            |barrier, one: WaitingGroup, other: WaitingGroup, line: fn(SiteId) -> u32| {
                let is_aligned = |group: &WaitingGroup| group.instruction < 10;
                diverged_groups(barrier, &one, &other, is_aligned, |a, b| line(a) == line(b))
            };
        let own: fn(SiteId) -> u32 = |site| site.0;
        assert!(diverged(0, group(0, 1), group(0, 2), own));
        assert!(diverged(3, group(0, 1), group(0, 2), own), "a warp has to be together everywhere");
        assert!(diverged(0, group(0, 1), group(1, 2), own));
        assert!(!diverged(3, group(0, 1), group(1, 2), own), "named barriers are made for it");
        assert!(!diverged(0, group(0, 1), group(1, 1), own));
        assert!(!diverged(0, group(0, 1), group(0, 10), own), "one is not aligned");
        assert!(!diverged(0, group(0, 1), group(0, 2), |_| 7), "one line");
        assert_eq!(group(2, 1).thread(), 66);
    }
}
