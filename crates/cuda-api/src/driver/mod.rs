//! The few functions of the driver that programs call beside the runtime, and their names.

mod entry_points;
mod errors;
mod functions;
