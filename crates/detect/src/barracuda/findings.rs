//! What was found, until it is reported.

use super::epoch::Epoch;
use super::messages::{self, Class};
use crate::reporting::{Finding, Scene};
use warpsan_model::{Space, WARP_LANES};
use warpsan_report::Race;

/// A race that is not reported yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct PendingRace {
    pub(super) class: Class,
    pub(super) space: Space,
    pub(super) address: u64,
    pub(super) earlier: Epoch,
    pub(super) current: Epoch,
}

impl Finding for PendingRace {
    type Key = (u32, u32, Class);

    fn key(&self) -> Self::Key {
        (self.earlier.site, self.current.site, self.class)
    }

    fn is_of_same_accesses(&self, other: &Self) -> bool {
        (self.class, self.earlier, self.current) == (other.class, other.earlier, other.current)
    }
}

impl PendingRace {
    /// What a reader is to know of it.
    pub(super) fn race(&self, scene: &Scene<'_>) -> Race {
        let PendingRace { class, space, address, .. } = *self;
        let [earlier, current] = [self.earlier, self.current].map(|epoch| {
            let thread = u32::from(epoch.thread.warp) * WARP_LANES + u32::from(epoch.thread.lane);
            scene.side(epoch.site, epoch.thread.block, thread)
        });
        let finding = messages::Finding { class, space, address, earlier, current };
        messages::race(&finding, &scene.circumstances(), scene.allocation(space, address))
    }
}
