//! Findings of a device that keeps the same sets, in the same words.

use super::findings::{Class, Found, Party};
use super::regions::Source;
use super::words;
use crate::Settings;
use crate::last_access::sides::{Circumstances, Side};
use warpsan_model::Space;
use warpsan_report::{AccessType, AllocationReport, Race};

/// A race that a device found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceFinding {
    /// 1 for two lanes of a warp, 2 for two warps of a block, 3 for two blocks: `Class` of `device/curd_strips.h`.
    pub class: u32,
    /// The memory that both accessed.
    pub space: Space,
    /// The first byte that both accessed; in shared memory, an offset.
    pub address: u64,
    /// The two accesses.
    pub sides: [Side; 2],
}

/// The report of a finding; nothing if users do not want to hear of its kind.
pub fn race(
    finding: &DeviceFinding,
    settings: &Settings,
    circumstances: &Circumstances<'_>,
    allocation: Option<AllocationReport>,
) -> Option<Race> {
    let class = match finding.class {
        1 => Class::WarpSync,
        2 => Class::IntraBlock,
        _ => Class::InterBlock,
    };
    // A device writes every instruction down by itself, so that each is the one that it says.
    let party = |side: Side| Party {
        block: side.block.0,
        thread: side.thread.0,
        source: Source { site: side.site.0, complete: true },
        writes: side.access != AccessType::Read,
    };
    let found = Found {
        class,
        space: finding.space,
        address: finding.address,
        parties: finding.sides.map(party),
    };
    let severity = class.severity(settings)?;
    let [first, second] = &finding.sides;
    Some(words::race(&found, severity, (first, second), circumstances, allocation))
}
