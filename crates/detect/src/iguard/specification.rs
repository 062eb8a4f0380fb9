//! What the rest of warpsan knows about this detector.

use super::{Iguard, Rule, messages};
use crate::last_access::sides::Circumstances;
use crate::specification::device::{DeviceFinding, DeviceRequest, MetadataRequest, UnknownRule};
use crate::{Settings, Specification};
use warpsan_report::{AllocationReport, Race, Treatment};

/// Lanes that rely on lockstep are errors: the paper calls them races.
pub static SPECIFICATION: Specification = Specification {
    warp_sync: Treatment::Error,
    device_request,
    device_race,
    replays_ordered_metadata: true,
    is_rule: |name| Rule::RACES.iter().any(|rule| rule.number() == name),
    ..Specification::on_host("iguard", |settings| Box::new(Iguard::new(settings)))
};

/// The device checks, also where a trace is recorded: then it goes through operations one after the other, so that
/// the trace has the very accesses that it judged.
fn device_request(settings: &Settings, is_recorded: bool) -> DeviceRequest {
    let iguard = &settings.iguard;
    DeviceRequest::Metadata(MetadataRequest {
        granularity: iguard.granularity.into(),
        history: iguard.history.into(),
        coalescing: iguard.coalescing,
        sharing: iguard.sharing,
        backoff: iguard.backoff,
        ordered: is_recorded,
    })
}

fn device_race(
    finding: &DeviceFinding,
    settings: &Settings,
    circumstances: &Circumstances<'_>,
    allocation: Option<AllocationReport>,
) -> Result<Option<Race>, UnknownRule> {
    let [earlier, current] = finding.sides;
    let rule = Rule::of_device(finding.rule).ok_or(UnknownRule { rule: finding.rule })?;
    let finding = messages::Finding { rule, address: finding.address, earlier, current };
    let severity = messages::severity(rule, settings.warp_sync);
    Ok(severity.map(|severity| messages::race(&finding, severity, circumstances, allocation)))
}
