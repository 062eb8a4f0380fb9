//! What was found, until it is reported.

use super::messages::{self, Side};
use super::rules::{Rule, Stamp};
use super::{shadow::Shadow, synchronisation::Synchronisation};
use crate::Settings;
use crate::reporting::{Finding, Scene};
use warpsan_model::{Space, WARP_LANES};
use warpsan_report::Race;

/// A race that is not reported yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingRace {
    pub(super) rule: Rule,
    pub(super) earlier: Stamp,
    pub(super) current: Stamp,
    pub(super) granule: u64,
}

impl Finding for PendingRace {
    type Key = (u32, u32, Rule);

    fn key(&self) -> Self::Key {
        (self.earlier.site, self.current.site, self.rule)
    }

    fn is_of_same_accesses(&self, other: &Self) -> bool {
        (self.rule, self.earlier, self.current) == (other.rule, other.earlier, other.current)
    }
}

impl PendingRace {
    /// What a reader is to know of it; nothing if it is not to be reported.
    pub(super) fn race(
        &self,
        settings: &Settings,
        scene: &Scene<'_>,
        shadow: &Shadow,
        synchronisation: &Synchronisation,
    ) -> Option<Race> {
        let severity = messages::severity(self.rule, settings.warp_sync)?;
        let side = |stamp: &Stamp| -> Side {
            let (block, warp) = synchronisation.place(stamp.warp);
            scene.side(stamp.site, block, warp * WARP_LANES + u32::from(stamp.lane))
        };
        let address = shadow.address(self.granule);
        let (earlier, current) = (side(&self.earlier), side(&self.current));
        let finding = messages::Finding { rule: self.rule, address, earlier, current };
        let allocation = scene.allocation(Space::Global, address);
        Some(messages::race(&finding, severity, &scene.circumstances(), allocation))
    }
}
