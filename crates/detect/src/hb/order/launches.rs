//! The order of whole launches, and the numbers of their blocks and sites.
//!
//! Blocks and sites of all launches that are remembered are counted through, so that an access of an earlier launch
//! is remembered as any other.

use super::compare::Earlier;
use super::used_patterns::ReachesHost;
use crate::clock::Ended;
use crate::hb::ids::{BlockNumber, SiteNumber};
use crate::hb::rules::{Rule, Rules};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use warpsan_event::{Site, SiteTable};
use warpsan_model::{Dim3, Geometry, LaunchId, SiteId};

/// A launch whose accesses are still remembered.
#[derive(Debug)]
pub(in crate::hb) struct Launched {
    pub(in crate::hb) launch: LaunchId,
    /// Its blocks, counted over all launches. Those of two launches have nothing in common.
    pub(in crate::hb) first: BlockNumber,
    end: BlockNumber,
    pub(in crate::hb) geometry: Geometry,
    sites: Arc<SiteTable>,
    /// The first of its sites among those of all launches that are remembered.
    first_site: SiteNumber,
    /// The launches that whoever is after it is after, itself included.
    after: Vec<LaunchId>,
    /// What it has that the host can synchronise with.
    pub(in crate::hb) reaches_host: ReachesHost,
}

impl Launched {
    /// Whether it stands for accesses of the host.
    fn is_of_host(&self) -> bool {
        self.sites.sites.first().is_some_and(Site::is_host)
    }
}

/// What the next launch is after.
#[derive(Debug)]
pub(in crate::hb) struct AnnouncedOrder {
    pub(in crate::hb) launch: LaunchId,
    pub(in crate::hb) after: Vec<LaunchId>,
    /// What a thread of it is after once it has waited.
    pub(in crate::hb) after_wait: Vec<LaunchId>,
    /// What it may be after, in ways that were not seen.
    pub(in crate::hb) perhaps_after: Vec<LaunchId>,
    /// Launches that others may still not be after: a set, since there may be thousands, and each that is remembered is looked for here.
    pub(in crate::hb) open: FxHashSet<LaunchId>,
}

/// The launches that are remembered.
#[derive(Debug)]
pub(in crate::hb) struct Launches {
    /// The launch that runs, and its extents, sites and first numbers.
    pub(in crate::hb) running: LaunchId,
    pub(in crate::hb) geometry: Geometry,
    pub(in crate::hb) site_table: Arc<SiteTable>,
    pub(super) first_block: BlockNumber,
    pub(super) first_site: SiteNumber,
    /// Launches that the running one is not simply after, and the running one as the last. Blocks and sites grow from
    /// one to the next.
    remembered: Vec<Launched>,
    /// The same without the running one.
    pub(super) earlier: Vec<Earlier>,
    /// Launches that a thread of the running one is after once it has waited for them.
    prerequisites: Ended,
    /// Launches that the running one may be after, because of threads of the host that may have synchronised unseen.
    perhaps_after: Vec<LaunchId>,
    /// What the next launch is after, where that is not everything.
    announced: Option<AnnouncedOrder>,
    /// The numbers of the next launch's first block and first site.
    next_block: BlockNumber,
    next_site: SiteNumber,
}

impl Default for Launches {
    fn default() -> Self {
        let nothing = Dim3::new(0, 0, 0);
        Launches {
            running: LaunchId(0),
            geometry: Geometry { grid: nothing, block: nothing },
            site_table: Arc::default(),
            first_block: BlockNumber(0),
            first_site: SiteNumber(0),
            remembered: Vec::new(),
            earlier: Vec::new(),
            prerequisites: Ended::default(),
            perhaps_after: Vec::new(),
            announced: None,
            next_block: BlockNumber(0),
            next_site: SiteNumber(0),
        }
    }
}

impl Launches {
    /// The number of the running launch's first site.
    pub(in crate::hb) fn first_site(&self) -> SiteNumber {
        self.first_site
    }

    /// The next launch is not after everything before it.
    pub(in crate::hb) fn announce(&mut self, order: AnnouncedOrder) {
        self.announced = Some(order);
    }

    /// A launch begins. Returns whether everything before it is ordered before all that is to come.
    pub(super) fn begin(
        &mut self,
        launch: LaunchId,
        sites: &Arc<SiteTable>,
        geometry: &Geometry,
        rules: &Rules,
    ) -> bool {
        let order = self.announced.take().filter(|order| order.launch == launch);
        if order.is_some() {
            rules.count(Rule::LaunchOrder);
        }
        let order = order.filter(|_| rules.applies(Rule::LaunchOrder));
        let (mut after, mut after_wait) = (Vec::new(), Vec::new());
        self.perhaps_after.clear();
        match order {
            // What was before is ordered before all of it, and before everything that follows.
            None => self.remembered.clear(),
            Some(order) => {
                (after, after_wait) = (order.after, order.after_wait);
                self.perhaps_after = order.perhaps_after;
                // The others are before everything from now on.
                self.remembered.retain(|known| order.open.contains(&known.launch));
            }
        }
        let blocks = geometry.grid.count().min(u64::from(u32::MAX)) as u32;
        if self.next_block.0.checked_add(blocks).is_none() {
            // There are no numbers left; nobody will see four thousand million blocks in flight.
            self.remembered.clear();
        }
        let forgets_all = self.remembered.is_empty();
        if forgets_all {
            (self.next_block, self.next_site) = (BlockNumber(0), SiteNumber(0));
        }
        self.close_over_what_is_remembered(&mut after);
        self.close_over_what_is_remembered(&mut after_wait);
        if let Err(place) = after.binary_search(&launch) {
            after.insert(place, launch);
        }
        self.prerequisites = Ended::new(after_wait);
        let earlier = |known: &Launched| Earlier {
            first: known.first,
            end: known.end,
            launch: known.launch,
            ordered: after.binary_search(&known.launch).is_ok(),
        };
        self.earlier = self.remembered.iter().map(earlier).collect();
        self.first_block = self.next_block;
        self.first_site = self.next_site;
        self.next_block = BlockNumber(self.first_block.0.saturating_add(blocks));
        self.next_site = SiteNumber(self.first_site.0 + sites.sites.len() as u32);
        self.remembered.push(Launched {
            launch,
            first: self.first_block,
            end: self.next_block,
            geometry: *geometry,
            sites: Arc::clone(sites),
            first_site: self.first_site,
            after,
            reaches_host: ReachesHost::of(sites),
        });
        self.running = launch;
        self.geometry = *geometry;
        self.site_table = Arc::clone(sites);
        self.check_invariants();
        forgets_all
    }

    /// Adds the launches that those given are after, and leaves out those that are forgotten: nobody will ask for them.
    fn close_over_what_is_remembered(&self, launches: &mut Vec<LaunchId>) {
        let given: FxHashSet<LaunchId> = launches.iter().copied().collect();
        let mut all = given.clone();
        let known = self.remembered.iter().filter(|known| given.contains(&known.launch));
        known.for_each(|known| all.extend(&known.after));
        let known = self.remembered.iter().map(|known| known.launch);
        *launches = known.filter(|launch| all.contains(launch)).collect();
        launches.sort_unstable();
    }

    /// The remembered launches that the running one is after.
    pub(super) fn before_running(&self) -> Ended {
        let ordered = self.earlier.iter().filter(|launch| launch.ordered);
        Ended::new(ordered.map(|launch| launch.launch).collect())
    }

    /// Launches that stand for accesses of the host.
    pub(super) fn of_host(&self) -> impl Iterator<Item = &Launched> {
        self.remembered.iter().filter(|launched| launched.is_of_host())
    }

    /// Somebody has waited for the launches that the running one may overlap. Returns those, if there are any.
    pub(super) fn wait_for_prerequisites(&mut self) -> Option<Ended> {
        if self.prerequisites.is_empty() {
            return None;
        }
        if let Some(this) = self.remembered.last_mut()
            && self.prerequisites.launches().iter().any(|launch| !this.after.contains(launch))
        {
            this.after.extend(self.prerequisites.launches());
        }
        Some(self.prerequisites.clone())
    }

    /// Whether a thread could have waited for the launch of this block.
    pub(in crate::hb) fn is_prerequisite(&self, block: BlockNumber) -> bool {
        let launch = self.earlier.iter().find(|launch| launch.has(block));
        launch.is_some_and(|launch| self.prerequisites.contains(launch.launch))
    }

    /// Whether the running launch may be after the launch of this block, in ways that were not seen.
    pub(in crate::hb) fn is_perhaps_before(&self, block: BlockNumber) -> bool {
        let launch = self.earlier.iter().find(|launch| launch.has(block));
        launch.is_some_and(|launch| self.perhaps_after.contains(&launch.launch))
    }

    /// What the running launch has that the host can synchronise with.
    pub(in crate::hb) fn running_reaches_host(&self) -> ReachesHost {
        self.remembered.last().map_or(ReachesHost::default(), |running| running.reaches_host)
    }

    /// The launch of a block.
    pub(in crate::hb) fn of_block(&self, block: BlockNumber) -> Option<&Launched> {
        self.remembered.iter().find(|launched| (launched.first..launched.end).contains(&block))
    }

    /// What the number of a site stands for.
    pub(in crate::hb) fn site(&self, site: SiteNumber) -> &Site {
        match self.remembered.iter().rev().find(|launched| launched.first_site <= site) {
            Some(launched) => launched.sites.get(SiteId(site.0 - launched.first_site.0)),
            None => self.site_table.get(SiteId(site.0)),
        }
    }

    fn check_invariants(&self) {
        debug_assert!(
            self.remembered.is_sorted_by(|one, next| {
                one.end <= next.first && one.first_site <= next.first_site
            }),
            "numbers of blocks and sites grow from launch to launch"
        );
        debug_assert!(
            self.remembered.last().is_some_and(|last| last.launch == self.running),
            "the running launch is the last one"
        );
        debug_assert_eq!(self.earlier.len() + 1, self.remembered.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_that_are_not_ordered_are_all_remembered_until_they_are_before_everything() {
        const LAUNCHES: u32 = 300;
        let (mut launches, rules, sites) = (Launches::default(), Rules::all(), Arc::default());
        let one = Dim3::new(1, 1, 1);
        let mut begin = |launch: u32, open: FxHashSet<LaunchId>| {
            let launch = LaunchId(launch);
            let (after, after_wait, perhaps_after) = (Vec::new(), Vec::new(), Vec::new());
            let order = AnnouncedOrder { launch, after, after_wait, perhaps_after, open };
            launches.announce(order);
            launches.begin(launch, &sites, &Geometry { grid: one, block: one }, &rules);
            launches.earlier.iter().map(|earlier| earlier.launch.0).collect::<Vec<_>>()
        };
        for launch in 0..LAUNCHES {
            let remembered = begin(launch, (0..launch).map(LaunchId).collect());
            assert_eq!(remembered, (0..launch).collect::<Vec<_>>());
        }
        let still_open = [3, 250].map(LaunchId);
        assert_eq!(begin(LAUNCHES, still_open.into_iter().collect()), [3, 250]);
    }
}
