//! Completed barriers as the arrivals that led to them.

use std::collections::BTreeMap;

use warpsan_event::Event;
use warpsan_gpu::shipping::ShippedLaunch;
use warpsan_instrument::record::{RecordKind, SiteInfo};
use warpsan_model::{BlockIndex, SiteId, lanes};

use super::encode::{Encoder, Thread, slot};

/// For each completed barrier, by its event: the threads that it waited for, 0 for all that lived.
pub(super) fn expected_threads(
    events: &[Event<'_>],
    last: &BTreeMap<Thread, usize>,
    launch: &ShippedLaunch,
) -> BTreeMap<usize, u32> {
    let threads = launch.geometry.threads_per_block();
    let mut found = BTreeMap::new();
    for (index, event) in events.iter().enumerate() {
        let Event::BlockBarrier { block, participants, .. } = event else { continue };
        let live = |warp: u32| {
            let lives =
                |lane: &u32| last.get(&(block.0, warp, *lane)).is_some_and(|at| *at >= index);
            let lanes = (0..32).filter(|lane| warp * 32 + lane < threads).filter(lives);
            lanes.fold(0, |mask, lane| mask | 1u32 << lane)
        };
        found.insert(index, expected(participants, live));
    }
    found
}

/// How many threads a barrier waited for that these completed; 0 for all that live.
fn expected(participants: &[u64], live: impl Fn(u32) -> u32) -> u32 {
    let all = (0..).zip(participants).all(|(warp, word)| {
        let there = *word as u32 | (*word >> 32) as u32;
        live(warp) & !there == 0
    });
    // Who only arrives has to say how many are expected.
    if all && participants.iter().all(|word| *word >> 32 == 0) {
        return 0;
    }
    let threads = (0..).zip(participants).map(|(warp, word)| {
        let live = live(warp);
        let counted = |lanes: u32| match lanes != 0 && live & !lanes == 0 {
            true => 32,
            false => lanes.count_ones(),
        };
        let (waiting, arrived) = (*word as u32, (*word >> 32) as u32);
        let apart = counted(waiting) + counted(arrived);
        let both = waiting | arrived;
        if both != 0 && live & !both == 0 { apart.max(32) } else { apart }
    });
    threads.sum()
}

impl Encoder<'_> {
    /// Lanes come to a warp barrier together, or in two groups.
    pub(super) fn warp_barrier(&mut self, block: BlockIndex, warp: u32, mask: u32) {
        let site = self.sites.made_up("warp barrier", SiteInfo::Plain);
        let some = mask & self.random.bits() as u32;
        for group in [some, mask & !some] {
            let mut slot = slot(RecordKind::WarpBarrier, block, warp, group, site);
            slot.header.extra = mask;
            self.push(&mut slot, vec![]);
        }
    }

    /// The threads that the phase of a barrier waits for that is complete next. One that never is waits for
    /// more than there are.
    pub(super) fn expected_after(&self, index: usize, block: BlockIndex, barrier: u32) -> u32 {
        let is_it = |event: &Event<'_>| {
            matches!(event, Event::BlockBarrier { block: of, barrier: number, .. }
                if (*of, *number) == (block, barrier))
        };
        let later = self.events[index..].iter().position(is_it);
        let expected = later.and_then(|later| self.expected.get(&(index + later)).copied());
        expected.unwrap_or(u32::MAX)
    }

    pub(super) fn block_barrier(
        &mut self,
        index: usize,
        block: BlockIndex,
        number: u32,
        words: &[u64],
    ) {
        let expected = self.expected.get(&index).copied().unwrap_or(0);
        let plain = self.sites.made_up("block barrier", SiteInfo::BlockBarrier { aligned: false });
        let diverged = self.sites_of_divergence(index, block);
        for (warp, word) in (0..).zip(words) {
            let mut groups: BTreeMap<SiteId, u32> = BTreeMap::new();
            for lane in lanes(*word as u32) {
                let thread = warp * 32 + lane;
                let site = diverged.range(..=thread).next_back().or_else(|| diverged.iter().next());
                *groups.entry(site.map_or(plain, |(_, site)| *site)).or_default() |= 1 << lane;
            }
            for (site, mask) in groups {
                let some =
                    if diverged.is_empty() { mask & self.random.bits() as u32 } else { mask };
                for group in [some, mask & !some] {
                    let mut slot = slot(RecordKind::BlockBarrierArrive, block, warp, group, site);
                    slot.header.extra = number;
                    slot.lanes[0] = u64::from(expected);
                    self.push(&mut slot, vec![]);
                }
            }
        }
    }

    /// Where threads came from to a barrier, as far as events right before it say.
    fn sites_of_divergence(&mut self, index: usize, block: BlockIndex) -> BTreeMap<u32, SiteId> {
        let mut found = BTreeMap::new();
        let info = SiteInfo::BlockBarrier { aligned: true };
        for event in self.events[..index].iter().rev() {
            let Event::BarrierDivergence {
                block: of, site, thread, other_site, other_thread, ..
            } = *event
            else {
                break;
            };
            if of == block {
                for (thread, site) in [(thread, site), (other_thread, other_site)] {
                    // It may be known as an arrival, which says as much.
                    let _ = self.sites.learn(site, info);
                    found.insert(thread, site);
                }
            }
        }
        found
    }
}
