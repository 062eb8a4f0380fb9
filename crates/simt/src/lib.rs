//! The CPU engine: runs a lowered kernel as a GPU would and tells an event sink what it did.
//!
//! A launch is one thread of ours that interleaves warps of 32 lanes under a seeded scheduler. Lanes
//! of a warp part at branches, all make progress, and meet again where the branch's paths join.
//! Same kernel, same memory, same seed: same events, byte for byte.

mod alu;
mod block;
mod engine;
mod launch;
mod memory;
mod memory_ops;
mod rng;
mod step;
mod trace;
mod warp;
mod warp_ops;

pub use launch::{Fault, Launch, LaunchError, LaunchStats, Prepared, run};
pub use memory::{Allocation, AllocationKind, DeviceMemory, MemoryError};
