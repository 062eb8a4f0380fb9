//! The CPU engine: runs a lowered kernel as a GPU would and emits events of what it did.
//!
//! A kernel is translated once into functions over rows of 32 lanes ([`Prepared`]). A launch
//! interleaves warps under a [`Schedule`]; lanes of a warp diverge at branches, all make progress, and
//! reconverge where the branch's paths do. Same kernel, same memory, same schedule: same events,
//! byte for byte, however many cores there are.
//!
//! # Types and invariants
//!
//! - `Program` is a decoded kernel. Registers are rows: 32 lanes of 32 bits each, two rows for 64 bits. Every `Inst` has an
//!   `Action`, which the inner loop (`Core::straight`) matches; `Action::Rare` leads to a `RareOp`. Both are exhaustive: a
//!   kernel with an operation that is neither is refused by [`Prepared::new`], so nothing is skipped.
//! - `Warp` is a list of `Group`s: lanes at one instruction of one call. Groups are disjoint, and together they are the live
//!   lanes. A `Reconvergence` names the lanes that a point waits for; waiting there is bounded (`PATIENCE`), so spin locks end.
//! - `Core` executes instructions for one group; `Engine` owns the blocks and takes turns, which `Turns` chooses.
//! - `Trace` is the only way to the event sink: events are in the order of execution.
//! - [`DeviceMemory`] is at fixed addresses. A launch in parts (`parallel`) runs each part on a private view of it, so the number
//!   of cores cannot be observed.
//! - [`LaunchError`] says how a launch failed: a [`Fault`] of the kernel, with its [`FaultKind`] for programs and its sentence for
//!   people; or a limit; or `Internal`, a bug of ours.

mod asynchronous;
mod barrier_completion;
mod block;
mod block_run;
mod cluster;
mod engine;
mod exec;
mod lane_conflicts;
mod lanes;
mod launch;
mod mbarrier;
mod memory;
mod numerics;
mod out_of_bounds;
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
mod updates;
mod warp;

pub use block_run::{BlockRun, RegionEnd, SavedBlock, WarpEnd};
pub use lane_conflicts::LaneConflict;
pub use launch::{Launch, Progress};
pub use memory::{
    Allocation, AllocationKind, DeviceMemory, HostAccess, MemoryError, PIECE, Piece, Place,
    PrivateView, ProgramAddress, SystemUse, advance_host_time, has_shared_memory,
    is_device_address, set_asked_for, set_handler_behind,
};
pub use out_of_bounds::OutOfBounds;
pub use outcome::{Fault, FaultKind, LaunchError, LaunchStats, Outcome};
pub use prepared::Prepared;
pub use rng::Random;
pub use run::run;
pub use schedule::{Policy, Schedule, ScheduleError, Turn, Who};
pub use updates::Update;
