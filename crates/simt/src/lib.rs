//! The CPU engine: runs a lowered kernel as a GPU would and tells an event sink what it did.
//!
//! A kernel is translated once into functions over rows of 32 lanes ([`Prepared`]). A launch
//! interleaves warps under a [`Schedule`]; lanes of a warp part at branches, all make progress, and
//! meet again where the branch's paths join. Same kernel, same memory, same schedule: same events,
//! byte for byte, however many cores there are.

mod asynchronous;
mod block;
mod cluster;
mod engine;
mod exec;
mod lanes;
mod launch;
mod mbarrier;
mod memory;
mod numerics;
mod outcome;
mod parallel;
mod prepared;
mod printing;
mod program;
mod rng;
mod run;
mod schedule;
mod target;
mod tensor;
mod trace;
mod turns;
mod warp;

pub use launch::{Launch, Progress};
pub use memory::{
    Allocation, AllocationKind, DeviceMemory, HostAccess, MemoryError, ProgramAddress,
    is_device_address, set_handler_behind, system_uses_host_memory,
};
pub use outcome::{Fault, FaultKind, LaunchError, LaunchStats, Outcome};
pub use prepared::Prepared;
pub use rng::Random;
pub use run::run;
pub use schedule::{Policy, Schedule, ScheduleError, Turn, Who};
