//! What the rest of warpsan knows about this detector.

use super::device::device_race;
use super::{Curd, InterBlock};
use crate::specification::device::DeviceRequest;
use crate::{Settings, Specification};

/// The detector of Peng's thesis that keeps sets.
pub static SPECIFICATION: Specification = Specification {
    device_request,
    device_race,
    is_rule: |name| matches!(name, "intra-block" | "inter-block"),
    ..Specification::on_host("curd", |settings| Box::new(Curd::new(settings)))
};

/// The device keeps the sets, unless a trace is recorded: it is for any detector, and has every operation.
fn device_request(settings: &Settings, is_recorded: bool) -> DeviceRequest {
    if is_recorded {
        return DeviceRequest::Ship { repeated_loads: true };
    }
    DeviceRequest::Sets {
        eager: settings.curd.inter_block == InterBlock::Eager,
        bytes: settings.curd.device_memory.bytes(),
    }
}
