//! What was found, on its way to the report.

use super::Iguard;
use super::rules::{Rule, Stamp};
use super::words::{self, Circumstances, Finding, Side};
use warpsan_model::{BlockIndex, SiteId, Strength, ThreadInBlock, WARP_LANES};
use warpsan_report::{AccessType, Race, RaceSink, Severity};

/// A race that is not told yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) rule: Rule,
    pub(super) earlier: Stamp,
    pub(super) current: Stamp,
    pub(super) granule: u64,
}

/// Both instructions, and what is wrong.
pub(super) type ReportedPair = (u32, u32, Rule);

impl Iguard {
    /// Tells what was found since the last event.
    #[cold]
    pub(super) fn tell(&mut self, races: &mut dyn RaceSink) {
        let found = std::mem::take(&mut self.found);
        for one in &found {
            let pair = (one.earlier.site, one.current.site, one.rule);
            if let Some((_, again)) = self.reported.get_mut(&pair) {
                *again += 1;
                continue;
            }
            let severity = words::severity(one.rule, self.settings.warp_sync);
            let race = severity.map(|severity| self.race(one, severity));
            self.reported.insert(pair, (race.as_ref().map(Race::key), 0));
            if let Some(race) = race {
                races.race(race);
            }
        }
        self.found = found;
        self.found.clear();
    }

    fn race(&self, found: &Found, severity: Severity) -> Race {
        let address = self.shadow.address(found.granule);
        let finding = Finding {
            rule: found.rule,
            address,
            earlier: self.side(&found.earlier),
            current: self.side(&found.current),
        };
        let circumstances = Circumstances {
            facts: &self.facts,
            sites: &self.site_table,
            geometry: &self.geometry,
            launch: self.launch,
            seed: self.settings.seed,
        };
        words::race(&finding, severity, &circumstances, self.allocations.describe(address))
    }

    fn side(&self, stamp: &Stamp) -> Side {
        let (block, warp) = self.synchronisation.place(stamp.warp);
        let info = self.sites.get(stamp.site as usize).copied().flatten();
        Side {
            site: SiteId(stamp.site),
            block: BlockIndex(block),
            thread: ThreadInBlock(warp * WARP_LANES + u32::from(stamp.lane)),
            access: info.map_or(AccessType::Read, |info| info.access),
            strength: info.map_or(Strength::Weak, |info| info.strength),
            bytes: info.map_or(0, |info| info.bytes),
        }
    }

    pub(super) fn end_launch(&mut self, races: &mut dyn RaceSink) {
        self.shadow_peak = self.shadow_peak.max(self.shadow.bytes());
        let mut counts: Vec<_> = self.reported.drain().collect();
        counts.sort_unstable_by_key(|(pair, _)| *pair);
        for (_, (key, again)) in counts {
            if let Some(key) = key.filter(|_| again > 0) {
                races.seen_again(&key, again);
            }
        }
    }
}
