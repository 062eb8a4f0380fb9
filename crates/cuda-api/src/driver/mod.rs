//! The few functions of the driver that programs call beside the runtime, and their names.

pub(crate) mod entry_points;
mod errors;
mod functions;
