//! Execution: launching kernels, their attributes, and how many of their blocks fit on the device.

mod call_configuration;
mod functions;
pub(crate) mod launch;
mod launch_attributes;
mod occupancy;
