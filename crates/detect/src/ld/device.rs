//! What a GPU does for this detector, and what its findings are.

use super::finding::{Between, Extent, Pattern, Region, Symptom, ValueRace};
use super::messages;
use super::settings::AfterRace;
use crate::Settings;
use crate::last_access::sides::Circumstances;
use crate::specification::device::{CopiesRequest, DeviceFinding, DeviceRequest, UnknownRule};
use warpsan_model::SiteId;
use warpsan_report::{AllocationReport, Race};

/// The device keeps private copies and compares them. A trace is of what every detector may ask for, and ships.
pub(super) fn device_request(settings: &Settings, is_recorded: bool) -> DeviceRequest {
    if is_recorded {
        return DeviceRequest::Record;
    }
    DeviceRequest::Copies(CopiesRequest {
        copies: settings.ld.copies.0,
        bytes: settings.ld.memory.bytes(),
        goes_on: settings.ld.after_race == AfterRace::GoOn,
        times: settings.ld.times,
    })
}

/// The report of a finding. Its rule has the pattern in the lowest two bits, and who raced in the next two.
pub(super) fn device_race(
    finding: &DeviceFinding,
    settings: &Settings,
    circumstances: &Circumstances<'_>,
    allocation: Option<AllocationReport>,
) -> Result<Option<Race>, UnknownRule> {
    let unknown = UnknownRule { rule: finding.rule };
    let pattern = match finding.rule & 3 {
        1 => Pattern::WriteWrite,
        2 => Pattern::ReadWrite,
        3 => Pattern::OneInstruction,
        _ => return Err(unknown),
    };
    let between = match finding.rule >> 2 {
        0 => Between::Lanes,
        1 => Between::Warps,
        2 => Between::Blocks,
        _ => return Err(unknown),
    };
    let by_values = finding.by_values.unwrap_or_default();
    let found = ValueRace {
        pattern,
        between,
        symptom: if by_values.in_registers { Symptom::Registers } else { Symptom::Memory },
        space: finding.space,
        address: finding.address,
        sides: finding.sides,
        region: Region { from: by_values.region.0.map(SiteId), to: by_values.region.1.map(SiteId) },
        extent: Extent { warps: by_values.units, bytes: by_values.bytes },
    };
    Ok(messages::race(&found, settings, circumstances, allocation))
}
