//! From what a detector found to the report: each finding once in a launch, and then counted.

use crate::allocations::{Allocations, shared_variable};
use crate::last_access::launch::Launch;
use crate::last_access::sides::{Circumstances, Side};
use crate::last_access::sites::Sites;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::hash::Hash;
use warpsan_model::{BlockIndex, SiteId, Space, ThreadInBlock, WARP_LANES};
use warpsan_report::{AllocationReport, Race, RaceKey, RaceSink};

/// A race that a detector has found: small, and cheap to make.
pub(crate) trait Finding {
    /// What makes two findings the same to a reader: both instructions, and what is wrong.
    type Key: Copy + Ord + Hash;

    /// That of this one.
    fn key(&self) -> Self::Key;

    /// Whether another one is of the same two accesses, at another place that both access: they are one occurrence.
    fn is_of_same_accesses(&self, other: &Self) -> bool;
}

/// Findings of one instruction whose accesses may be the same: parts of an access are looked at one after the other, each
/// for all lanes.
const LOOKED_BACK: usize = WARP_LANES as usize;

/// What was reported in a launch, and how often it was seen since; no race for what is not to be reported.
#[derive(Debug)]
pub(crate) struct Reported<F: Finding>(FxHashMap<F::Key, (Option<RaceKey>, u64)>);

impl<F: Finding> Default for Reported<F> {
    fn default() -> Self {
        Reported(FxHashMap::default())
    }
}

impl<F: Finding> Reported<F> {
    /// Reports the findings of one event, each with how often it was made; those that were reported before are counted.
    #[cold]
    pub(crate) fn report(
        &mut self,
        findings: impl Iterator<Item = (F, u64)>,
        races: &mut dyn RaceSink,
        race_of: impl Fn(&F) -> Option<Race>,
    ) {
        let mut last: VecDeque<F> = VecDeque::new();
        for (finding, times) in findings {
            if last.iter().any(|other| finding.is_of_same_accesses(other)) {
                continue;
            }
            let key = finding.key();
            if let Some((_, again)) = self.0.get_mut(&key) {
                *again += times;
            } else {
                let race = race_of(&finding);
                self.0.insert(key, (race.as_ref().map(Race::key), times - 1));
                if let Some(race) = race {
                    races.race(race);
                }
            }
            last.truncate(LOOKED_BACK - 1);
            last.push_front(finding);
        }
    }

    /// The launch ends: how often each race was seen again, in an order that is always the same.
    pub(crate) fn end_launch(&mut self, races: &mut dyn RaceSink) {
        let mut counts: Vec<_> = self.0.drain().collect();
        counts.sort_unstable_by_key(|(key, _)| *key);
        for (_, (key, again)) in counts {
            if let Some(key) = key.filter(|_| again > 0) {
                races.seen_again(&key, again);
            }
        }
    }
}

/// What reports say that a finding does not: the launch, its memory and its instructions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) launch: &'a Launch,
    pub(crate) allocations: &'a Allocations,
    pub(crate) sites: &'a Sites,
    pub(crate) seed: u64,
}

impl<'a> Scene<'a> {
    pub(crate) fn circumstances(&self) -> Circumstances<'a> {
        self.launch.circumstances(self.seed)
    }

    /// The variable or the allocation that an address belongs to.
    pub(crate) fn allocation(&self, space: Space, address: u64) -> Option<AllocationReport> {
        match space {
            Space::Shared => shared_variable(self.circumstances().facts, address),
            _ => self.allocations.describe(address),
        }
    }

    /// A thread that executed an instruction.
    pub(crate) fn side(&self, site: u32, block: u32, thread: u32) -> Side {
        let site = SiteId(site);
        Side::new(site, BlockIndex(block), ThreadInBlock(thread), self.sites.known(site))
    }
}

#[cfg(test)]
mod tests {
    use crate::Settings;
    use crate::last_access::story::{AT, reports_of};
    use crate::list::ALL;
    use warpsan_event::testing::{MemoryOperand, Story};

    /// However many bytes, words or elements two accesses have in common, they race once.
    #[test]
    fn a_count_is_a_number_of_occurrences() {
        let (one, four) = (MemoryOperand::global(AT), MemoryOperand::global(AT).elements(4));
        for specification in ALL.iter().filter(|one| one.finds_races && !one.executes) {
            let seen = |at: MemoryOperand<'_>| {
                let story = Story::new().store((0, 0), at).load((1, 0), at).load((2, 0), at);
                let mut detector = (specification.new)(Settings::default());
                let (reports, _) = reports_of(story, &mut *detector);
                reports.races.iter().map(|race| race.count).sum::<u64>() + reports.again
            };
            // Some keep the last access only, and see the second load not.
            let of_word = seen(one);
            assert!((1..=2).contains(&of_word), "{}", specification.name);
            for at in [one.bytes(1), one.bytes(8), one.bytes(16), four] {
                let what = format!("{}, {} × {} bytes", specification.name, at.elements, at.bytes);
                assert_eq!(seen(at), of_word, "{what}");
            }
        }
    }
}
