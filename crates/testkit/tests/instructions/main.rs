//! Instructions on the CPU engine beside what a GPU computed, and random kernels under several schedules.

mod engine;
mod forms;
mod random;

use std::path::PathBuf;

/// The folder with the recorded results.
fn suite() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../suites/instructions"))
}
