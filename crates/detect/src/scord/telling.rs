//! What was found, on its way to the report.

use super::Scord;
use super::shadow::Accessor;
use super::words::{self, Fault, Finding};
use crate::last_access::sides::Side;
use warpsan_model::{BlockIndex, SiteId, ThreadInBlock, WARP_LANES};
use warpsan_report::{Race, RaceSink, Severity};

/// A race that is not told yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) fault: Fault,
    pub(super) granule: u64,
    pub(super) earlier: Accessor,
    pub(super) current: Accessor,
}

/// Both instructions, and what is wrong.
pub(super) type ReportedPair = (u32, u32, Fault);

impl Scord {
    /// Tells what was found since the last event.
    #[cold]
    pub(super) fn tell(&mut self, races: &mut dyn RaceSink) {
        let found = std::mem::take(&mut self.found);
        let mut reported = std::mem::take(&mut self.reported);
        for one in &found {
            let pair = (one.earlier.site, one.current.site, one.fault);
            reported.tell(pair, races, || {
                let severity = one.fault.severity(self.settings.warp_sync)?;
                Some(self.race(one, severity))
            });
        }
        (self.found, self.reported) = (found, reported);
        self.found.clear();
    }

    fn race(&self, found: &Found, severity: Severity) -> Race {
        let address = self.shadow.granularity.address(found.granule);
        let finding = Finding {
            fault: found.fault,
            address,
            earlier: self.side(&found.earlier),
            current: self.side(&found.current),
        };
        let circumstances = self.launch.circumstances(self.settings.seed);
        words::race(&finding, severity, &circumstances, self.allocations.describe(address))
    }

    fn side(&self, accessor: &Accessor) -> Side {
        let site = SiteId(accessor.site);
        let thread = u32::from(accessor.warp) * WARP_LANES + u32::from(accessor.lane);
        let (block, info) = (BlockIndex(accessor.block), self.sites.known(site));
        Side::new(site, block, ThreadInBlock(thread), info)
    }
}
