//! One strong access of one lane to one element, for all parts of the detector.

use super::ids::{LaneId, SiteNumber, StrongLocationId};
use warpsan_model::{Order, Scope};

/// One strong access of one lane to one element.
#[derive(Debug, Clone, Copy)]
pub(super) struct StrongAccess {
    pub(super) id: LaneId,
    pub(super) location: StrongLocationId,
    pub(super) order: Order,
    pub(super) scope: Scope,
    /// It writes.
    pub(super) writes: bool,
    /// It reads and writes in one step, and wrote.
    pub(super) atomic: bool,
    /// It gives back what was there.
    pub(super) observes: bool,
    /// It is an operation on an `mbarrier` object.
    pub(super) object: bool,
    pub(super) site: SiteNumber,
    pub(super) active: u32,
    pub(super) value: Option<u64>,
}
