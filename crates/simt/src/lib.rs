//! The CPU engine: runs a lowered kernel as a GPU would and tells an event sink what it did.
//!
//! A kernel is translated once into functions over rows of 32 lanes ([`Prepared`]). A launch
//! interleaves warps under a [`Schedule`]; lanes of a warp part at branches, all make progress, and
//! meet again where the branch's paths join. Same kernel, same memory, same schedule: same events,
//! byte for byte, however many cores there are.

mod asynchronous;
mod block;
mod engine;
mod exec;
mod lanes;
mod launch;
mod mbarrier;
mod memory;
mod numerics;
mod parallel;
mod printing;
mod program;
mod rng;
mod schedule;
mod tensor;
mod trace;
mod turns;
mod warp;

pub use launch::{Fault, Launch, LaunchError, LaunchStats, Outcome, Prepared, Progress, run};
pub use memory::{
    Allocation, AllocationKind, DeviceMemory, HostAccess, MemoryError, ProgramAddress,
    is_device_address, set_handler_behind, system_uses_host_memory,
};
pub use rng::Random;
pub use schedule::{Policy, Schedule, ScheduleError, Turn, Who};
