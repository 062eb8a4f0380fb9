//! What was found, on its way to the report.

use super::Barracuda;
use super::location::Epoch;
use super::words::{self, Class, Finding};
use crate::allocations::shared_variable;
use crate::last_access::sides::Side;
use warpsan_model::{BlockIndex, SiteId, Space, ThreadInBlock, WARP_LANES};
use warpsan_report::{Race, RaceSink};

/// A race that is not told yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) class: Class,
    pub(super) space: Space,
    pub(super) address: u64,
    pub(super) earlier: Epoch,
    pub(super) current: Epoch,
}

/// Both instructions, and the class.
pub(super) type ReportedPair = (u32, u32, Class);

impl Barracuda {
    /// Tells what was found since the last event.
    #[cold]
    pub(super) fn tell(&mut self, races: &mut dyn RaceSink) {
        let found = std::mem::take(&mut self.found);
        let mut reported = std::mem::take(&mut self.reported);
        for one in &found {
            let pair = (one.earlier.site, one.current.site, one.class);
            reported.tell(pair, races, || Some(self.race(one)));
        }
        (self.found, self.reported) = (found, reported);
        self.found.clear();
    }

    fn race(&self, found: &Found) -> Race {
        let Found { class, space, address, .. } = *found;
        let (earlier, current) = (self.side(&found.earlier), self.side(&found.current));
        let finding = Finding { class, space, address, earlier, current };
        let circumstances = self.launch.circumstances(self.settings.seed);
        let allocation = match space {
            Space::Shared => shared_variable(circumstances.facts, address),
            _ => self.allocations.describe(address),
        };
        words::race(&finding, &circumstances, allocation)
    }

    fn side(&self, epoch: &Epoch) -> Side {
        let site = SiteId(epoch.site);
        let thread = u32::from(epoch.thread.warp) * WARP_LANES + u32::from(epoch.thread.lane);
        let (block, info) = (BlockIndex(epoch.thread.block), self.sites.known(site));
        Side::new(site, block, ThreadInBlock(thread), info)
    }
}
