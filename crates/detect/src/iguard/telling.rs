//! What was found, on its way to the report.

use super::Iguard;
use super::rules::{Rule, Stamp};
use super::words::{self, Finding, Side};
use warpsan_model::{BlockIndex, SiteId, ThreadInBlock, WARP_LANES};
use warpsan_report::{Race, RaceSink, Severity};

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
        let mut reported = std::mem::take(&mut self.reported);
        for one in &found {
            let pair = (one.earlier.site, one.current.site, one.rule);
            reported.tell(pair, races, || {
                let severity = words::severity(one.rule, self.settings.warp_sync)?;
                Some(self.race(one, severity))
            });
        }
        self.reported = reported;
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
        let circumstances = self.launch.circumstances(self.settings.seed);
        words::race(&finding, severity, &circumstances, self.allocations.describe(address))
    }

    fn side(&self, stamp: &Stamp) -> Side {
        let (block, warp) = self.synchronisation.place(stamp.warp);
        let site = SiteId(stamp.site);
        let thread = ThreadInBlock(warp * WARP_LANES + u32::from(stamp.lane));
        Side::new(site, BlockIndex(block), thread, self.sites.known(site))
    }
}
