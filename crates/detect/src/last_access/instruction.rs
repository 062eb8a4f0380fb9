//! Questions about what an event says.

use super::sites::{Role, SiteInfo};
use warpsan_event::{Access, AccessKind, MbarrierAccess, MbarrierStep};
use warpsan_model::{Scope, Strength};
use warpsan_report::AccessType;

/// What the first access of an instruction shows about it.
pub(crate) fn site_info(access: &Access<'_>) -> SiteInfo {
    let access_type = match access.kind {
        AccessKind::Read => AccessType::Read,
        AccessKind::Write => AccessType::Write,
        AccessKind::ReadModifyWrite | AccessKind::Reduction => AccessType::Atomic,
    };
    SiteInfo {
        access: access_type,
        strength: access.strength,
        bytes: u32::from(access.bytes),
        role: Role::None,
    }
}

/// What is known of a copy that reads global memory.
pub(crate) fn copy_info(bytes: u32) -> SiteInfo {
    SiteInfo { access: AccessType::Read, strength: Strength::Weak, bytes, role: Role::None }
}

/// The address of an active lane.
pub(crate) fn address_of(access: &Access<'_>, lane: u32) -> u64 {
    let found = access.lanes().find(|(other, _)| *other == lane);
    found.map_or(0, |(_, address)| address)
}

/// The scope of an access with release semantics.
#[inline]
pub(crate) fn release_scope(strength: Strength) -> Option<Scope> {
    let releases = strength.order().is_some_and(|order| order.releases());
    if releases { strength.scope() } else { None }
}

/// The scope of an arrival at an `mbarrier` that releases.
pub(crate) fn releasing_arrival(access: &MbarrierAccess) -> Option<Scope> {
    let arrives = matches!(access.step, MbarrierStep::Arrive | MbarrierStep::ArriveDrop);
    let releases = access.strength.order().is_some_and(|order| order.releases());
    (arrives && releases).then(|| access.strength.scope().unwrap_or(Scope::Cta))
}
