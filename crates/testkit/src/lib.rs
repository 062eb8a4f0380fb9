//! What tests warpsan from the outside: the corpus of PTX and the checks over it.
//!
//! The library computes and returns; only the command `warpsan-testkit` prints.

pub mod attacks;
pub mod corpus;
pub mod curd_schemes;
pub mod detector_cost;
pub mod device_runtime;
pub mod engine_speed;
pub mod instructions;
pub mod instrumented;
pub mod parse_speed;
pub mod processes;
pub mod programs;
pub mod relocatable;
pub mod scale;
pub mod scord_tables;
pub mod shipping;
pub mod speculation;
pub mod startup;
pub mod traces;
pub mod values;
