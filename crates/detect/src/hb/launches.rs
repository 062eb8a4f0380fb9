//! The order of whole launches.

use super::HappensBefore;
use super::compare::Earlier;
use super::reads::NotedReads;
use super::rules::Rule;
use super::shadow::ThisLaunch;
use crate::clock::{Ended, View};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use warpsan_event::{KernelFacts, Site, SiteTable};
use warpsan_model::{BlockIndex, Geometry, LaunchId};
use warpsan_report::RaceSink;

/// A launch whose accesses are still remembered.
#[derive(Debug)]
pub(super) struct Launched {
    pub(super) launch: LaunchId,
    /// Its blocks, counted over all launches.
    pub(super) first: u32,
    pub(super) end: u32,
    pub(super) geometry: Geometry,
    pub(super) sites: Arc<SiteTable>,
    /// The first of its sites among those of all launches that are remembered.
    pub(super) first_site: u32,
    /// The launches that whoever is after it is after, itself included.
    after: Vec<LaunchId>,
}

impl Launched {
    /// Whether it stands for accesses of the host.
    fn is_of_host(&self) -> bool {
        self.sites.sites.first().is_some_and(Site::is_host)
    }
}

/// What the next launch is after.
#[derive(Debug)]
pub(super) struct AnnouncedOrder {
    pub(super) launch: LaunchId,
    pub(super) after: Vec<LaunchId>,
    /// What a thread of it is after once it has waited.
    pub(super) after_wait: Vec<LaunchId>,
    /// Launches that others may still not be after.
    pub(super) open: Vec<LaunchId>,
}

impl HappensBefore {
    pub(super) fn begin_launch(
        &mut self,
        launch: LaunchId,
        facts: &Arc<KernelFacts>,
        sites: &Arc<SiteTable>,
        geometry: &Geometry,
        races: &mut dyn RaceSink,
    ) {
        self.tell_counts(races);
        let order = self.announced_order.take();
        let order = order.filter(|order| order.launch == launch);
        if order.is_some() {
            self.rules.count(Rule::LaunchOrder);
        }
        let order = order.filter(|_| self.rules.applies(Rule::LaunchOrder));
        let (mut after, mut after_wait) = (Vec::new(), Vec::new());
        match order {
            // What was before is ordered before all of it, and before everything that follows.
            None => self.launched.clear(),
            Some(order) => {
                (after, after_wait) = (order.after, order.after_wait);
                // The others are before everything from now on.
                self.launched.retain(|known| order.open.contains(&known.launch));
            }
        }
        let blocks = geometry.grid.count().min(u64::from(u32::MAX)) as u32;
        if self.next_block.checked_add(blocks).is_none() {
            // There are no numbers left; nobody will see four thousand million blocks in flight.
            self.launched.clear();
        }
        if self.launched.is_empty() {
            self.global.clear();
            (self.next_block, self.next_site) = (0, 0);
        }
        for launches in [&mut after, &mut after_wait] {
            let mut all: FxHashSet<LaunchId> = launches.iter().copied().collect();
            let known = self.launched.iter().filter(|known| launches.contains(&known.launch));
            known.for_each(|known| all.extend(&known.after));
            // Of those that are forgotten nobody will ask.
            let known = self.launched.iter().map(|known| known.launch);
            *launches = known.filter(|launch| all.contains(launch)).collect();
            launches.sort_unstable();
        }
        if let Err(place) = after.binary_search(&launch) {
            after.insert(place, launch);
        }
        self.prerequisites = Ended::new(after_wait);
        let base = self.next_block;
        let end = base.saturating_add(blocks);
        self.earlier = self
            .launched
            .iter()
            .map(|known| Earlier {
                first: known.first,
                end: known.end,
                launch: known.launch,
                ordered: after.binary_search(&known.launch).is_ok(),
            })
            .collect();
        let first_site = self.next_site;
        self.next_block = end;
        self.next_site = first_site + sites.sites.len() as u32;
        self.launched.push(Launched {
            launch,
            first: base,
            end,
            geometry: *geometry,
            sites: Arc::clone(sites),
            first_site,
            after,
        });
        self.launch = launch;
        self.geometry = *geometry;
        self.facts = Arc::clone(facts);
        self.site_table = Arc::clone(sites);
        self.first_site = first_site;
        self.sites.truncate(first_site as usize);
        self.forget_threads();
        let of_host = self.launched.iter().filter(|launched| launched.is_of_host());
        self.threads.begin(geometry, base, of_host.map(|launched| launched.first).collect());
        self.locks.begin(facts.may_use_locks);
        self.blocks_never_meet = !facts.uses_strong_accesses
            && !facts.uses_fences
            && !facts.uses_cluster
            && !facts.uses_mbarriers
            && !facts.uses_async_copies;
    }

    /// Lanes have waited for the launches that this one may overlap. What they know of those, they pass on
    /// as anything else: by barriers, by releases. Nothing of an earlier launch is left for a proxy fence.
    ///
    /// The launch ends after they have waited, so whoever is after all of it is after those, too. Without
    /// anybody who waited it is not: the launch may have ended first.
    pub(super) fn wait_for_prerequisites(&mut self, (block, warp, mask): (BlockIndex, u32, u32)) {
        self.rules.count(Rule::PrerequisiteWait);
        if !self.rules.applies(Rule::PrerequisiteWait) || self.prerequisites.is_empty() {
            return;
        }
        let block = self.block_number(block);
        let known = View { ended: self.prerequisites.clone(), ..View::default() };
        self.threads.learn_together(block, warp, mask, &known);
        if let Some(this) = self.launched.last_mut()
            && self.prerequisites.launches().iter().any(|launch| !this.after.contains(launch))
        {
            this.after.extend(self.prerequisites.launches());
        }
    }

    /// Whether a thread could have waited for the launch of this block.
    pub(super) fn is_prerequisite(&self, block: u32) -> bool {
        let launch = self.earlier.iter().find(|launch| (launch.first..launch.end).contains(&block));
        launch.is_some_and(|launch| self.prerequisites.contains(launch.launch))
    }

    /// What reads of the launch that runs now have to know of it.
    #[inline]
    pub(super) fn this_launch(&self) -> ThisLaunch {
        let first_block = self.threads.base;
        ThisLaunch { first_block, blocks_never_meet: self.blocks_never_meet }
    }

    pub(super) fn end_launch(&mut self, races: &mut dyn RaceSink) {
        self.note_peak();
        let bytes = self.global.bytes() + self.shared_peak;
        self.shadow_peak = self.shadow_peak.max(bytes);
        self.shared_peak = 0;
        self.tell_counts(races);
        self.forget_threads();
    }

    fn forget_threads(&mut self) {
        self.shared.clear();
        self.noted_reads = NotedReads::default();
        self.objects.clear();
        self.bulk_copies.clear();
        self.bulk_ends.clear();
        self.handoffs.clear();
        self.arrivals.clear();
        self.relaxed_arrivals.clear();
        self.looked_at.clear();
        self.fence_order = None;
        self.just_ended = None;
    }

    fn tell_counts(&mut self, races: &mut dyn RaceSink) {
        let mut counts: Vec<_> = self.reported.drain().collect();
        counts.sort_unstable_by_key(|(pair, _)| *pair);
        for (_, (key, again)) in counts {
            if again > 0 {
                races.seen_again(&key, again);
            }
        }
    }

    /// Takes the size of what is remembered now.
    pub(super) fn note_peak(&mut self) {
        self.shared_peak = self.shared_peak.max(self.shared.bytes());
    }
}
