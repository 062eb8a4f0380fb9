//! From what a detector found to the report: each finding once in a launch, and then counted.

use crate::allocations::{Allocations, shared_variable};
use crate::last_access::launch::Launch;
use crate::last_access::sides::{Circumstances, Side};
use crate::last_access::sites::Sites;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use warpsan_model::{BlockIndex, SiteId, Space, ThreadInBlock};
use warpsan_report::{AllocationReport, Race, RaceKey, RaceSink};

/// A race that a detector has found: small, and cheap to make.
pub(crate) trait Finding {
    /// What makes two findings the same to a reader: both instructions, and what is wrong.
    type Key: Copy + Ord + Hash;

    /// That of this one.
    fn key(&self) -> Self::Key;
}

/// What was reported in a launch, and how often it was seen since; no race for what is not to be reported.
#[derive(Debug)]
pub(crate) struct Reported<F: Finding>(FxHashMap<F::Key, (Option<RaceKey>, u64)>);

impl<F: Finding> Default for Reported<F> {
    fn default() -> Self {
        Reported(FxHashMap::default())
    }
}

impl<F: Finding> Reported<F> {
    /// Reports findings, each with how often it was made; those that were reported before are counted.
    #[cold]
    pub(crate) fn report(
        &mut self,
        findings: impl Iterator<Item = (F, u64)>,
        races: &mut dyn RaceSink,
        race_of: impl Fn(&F) -> Option<Race>,
    ) {
        for (finding, times) in findings {
            let key = finding.key();
            if let Some((_, again)) = self.0.get_mut(&key) {
                *again += times;
                continue;
            }
            let race = race_of(&finding);
            self.0.insert(key, (race.as_ref().map(Race::key), times - 1));
            if let Some(race) = race {
                races.race(race);
            }
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
