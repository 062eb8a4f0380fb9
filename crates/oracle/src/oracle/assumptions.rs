//! What is assumed about a trace.

use super::Memory;
use super::rule::Rule;
use warpsan_model::SiteId;

/// What is taken for granted: the truth, or something else to find out what is missing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Assumptions {
    /// Every scope is that of the system.
    pub(super) widened: bool,
    /// Every use of an `mbarrier` object synchronises, with everybody.
    pub(super) objects_synchronise: bool,
    /// Every strong read is an acquire, every strong write a release, and a thread that reads a
    /// location and then stores to it updates it.
    pub(super) all_synchronise: bool,
    /// Two `fence.sc` order each other.
    pub(super) fence_sc_orders: bool,
    /// Nothing is handed over by a write of the first site that a read of the second one observes.
    pub(super) without_handoff: Option<(SiteId, SiteId)>,
    /// Nothing is handed over through the location that has this byte.
    pub(super) without_flag: Option<(Memory, u64)>,
    /// This rule does not hold.
    pub(super) without: Option<Rule>,
}
