//! Findings of a device that keeps the same sets, in the same words.

use super::findings::{Class, Party, PendingRace};
use super::messages;
use super::regions::Source;
use crate::Settings;
use crate::last_access::sides::{Circumstances, Side};
use crate::specification::device::{DeviceFinding, UnknownRule};
use warpsan_report::{AccessType, AllocationReport, Race};

/// The report of a finding, whose rule is a `Class` of `device/curd_strips.h`.
pub(super) fn device_race(
    finding: &DeviceFinding,
    settings: &Settings,
    circumstances: &Circumstances<'_>,
    allocation: Option<AllocationReport>,
) -> Result<Option<Race>, UnknownRule> {
    let class = match finding.rule {
        1 => Class::WarpSync,
        2 => Class::IntraBlock,
        3 => Class::InterBlock,
        rule => return Err(UnknownRule { rule }),
    };
    // A device writes every instruction down by itself, so that each is the one that it says.
    let party = |side: Side| Party {
        block: side.block.0,
        thread: side.thread.0,
        source: Source { site: side.site.0, complete: true },
        writes: side.access != AccessType::Read,
    };
    let found = PendingRace {
        class,
        space: finding.space,
        address: finding.address,
        parties: finding.sides.map(party),
    };
    let [first, second] = &finding.sides;
    let race =
        |severity| messages::race(&found, severity, (first, second), circumstances, allocation);
    Ok(class.severity(settings).map(race))
}
