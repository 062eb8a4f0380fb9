//! What the rest of warpsan knows about this detector.

use super::HappensBefore;
use super::device::device_race;
use crate::specification::device::DeviceRequest;
use crate::{Settings, Specification};
use warpsan_report::Treatment;

/// A rule is a sentence of the race model, in quotes.
pub static SPECIFICATION: Specification = Specification {
    warp_sync: Treatment::Error,
    device_request,
    device_race,
    is_rule: |name| name.len() > 2 && name.starts_with('"') && name.ends_with('"'),
    ..Specification::on_host("hb", |settings| Box::new(HappensBefore::new(settings)))
};

/// The device checks what it can, unless a trace is recorded, which has every operation, or fences are ordered by when they were executed, which only the host knows.
fn device_request(settings: &Settings, is_recorded: bool) -> DeviceRequest {
    match is_recorded || settings.fence_sc_orders {
        true => DeviceRequest::Ship { repeated_loads: true },
        false => DeviceRequest::Entries,
    }
}
