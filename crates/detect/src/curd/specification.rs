//! What the rest of warpsan knows about this detector.

use super::device::device_race;
use super::{Curd, InterBlock};
use crate::specification::device::DevicePlan;
use crate::{Settings, Specification};

/// The detector of Peng's thesis that keeps sets.
pub static SPECIFICATION: Specification = Specification {
    device_plan,
    device_race,
    is_rule: |name| matches!(name, "intra-block" | "inter-block"),
    ..Specification::on_host("curd", |settings| Box::new(Curd::new(settings)))
};

/// The device keeps the sets, unless a trace is recorded: it is for any detector, and has every operation.
fn device_plan(settings: &Settings, is_recorded: bool) -> DevicePlan {
    if is_recorded {
        return DevicePlan::Ship { repeated_loads: true };
    }
    DevicePlan::Sets {
        eager: settings.curd.inter_block == InterBlock::Eager,
        bytes: settings.curd.device_memory.bytes(),
    }
}
