//! What the rest of warpsan knows about this detector.

use super::Barracuda;
use crate::specification::device::DeviceRequest;
use crate::{Settings, Specification};

/// The rules of figures 5.4 and 5.5 of Peng's thesis, by the names printed there.
const RULES: [&str; 18] = [
    "READSHARED",
    "READEXCL",
    "READINFLATE",
    "WRITEEXCL",
    "WRITESHARED",
    "ENDINSN",
    "IF",
    "ELSEENDIF",
    "BAR",
    "INITATOMEXCL",
    "INITATOMSHRD",
    "ATOMEXCL",
    "ATOMSHARED",
    "ACQBLOCK",
    "RELBLOCK",
    "ACQRELBLK",
    "ACQGLOBAL",
    "RELGLOBAL",
];

/// What the detector forgives outside of its rules: lanes of one instruction that write the same value.
const FILTER: &str = "same-value";

/// The detector of Peng's thesis.
pub static SPECIFICATION: Specification = Specification {
    device_request,
    is_rule: |name| name == FILTER || RULES.contains(&name),
    ..Specification::on_host("barracuda", |settings| Box::new(Barracuda::new(settings)))
};

/// A GPU leaves out repeated loads, as the thesis has it; a recording is for any detector, and has everything.
fn device_request(_: &Settings, is_recorded: bool) -> DeviceRequest {
    DeviceRequest::Ship { repeated_loads: is_recorded }
}
