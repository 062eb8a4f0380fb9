//! What was found, until it is reported.

use super::messages::{self, Fault};
use super::shadow::{Accessor, Shadow};
use crate::Settings;
use crate::reporting::{Finding, Scene};
use warpsan_model::{Space, WARP_LANES};
use warpsan_report::Race;

/// A race that is not reported yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingRace {
    pub(super) fault: Fault,
    pub(super) granule: u64,
    pub(super) earlier: Accessor,
    pub(super) current: Accessor,
}

impl Finding for PendingRace {
    type Key = (u32, u32, Fault);

    fn key(&self) -> Self::Key {
        (self.earlier.site, self.current.site, self.fault)
    }

    fn is_of_same_accesses(&self, other: &Self) -> bool {
        (self.fault, self.earlier, self.current) == (other.fault, other.earlier, other.current)
    }
}

impl PendingRace {
    /// What a reader is to know of it; nothing if it is not to be reported.
    pub(super) fn race(
        &self,
        settings: &Settings,
        scene: &Scene<'_>,
        shadow: &Shadow,
    ) -> Option<Race> {
        let severity = self.fault.severity(settings.warp_sync)?;
        let [earlier, current] = [self.earlier, self.current].map(|accessor| {
            let thread = u32::from(accessor.warp) * WARP_LANES + u32::from(accessor.lane);
            scene.side(accessor.site, accessor.block, thread)
        });
        let address = shadow.granularity.address(self.granule);
        let finding = messages::Finding { fault: self.fault, address, earlier, current };
        let allocation = scene.allocation(Space::Global, address);
        Some(messages::race(&finding, severity, &scene.circumstances(), allocation))
    }
}
