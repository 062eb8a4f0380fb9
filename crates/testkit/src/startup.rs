//! How long a program takes to get going under `warpsan run`: a trivial one beside its own time, and one with so much
//! code that only what is launched may be looked at.

mod measure;
mod sources;

pub use measure::{Started, Times, fat_binary_bytes, median, start};
pub use sources::{StartupProgram, large, trivial, write_source};
