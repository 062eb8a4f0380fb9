//! The GPU engine: an unmodified program runs on its GPU, with instrumented kernels in place of its own.
//!
//! # Central types
//!
//! - [`Driver`] is the real driver, opened by its path and called through function pointers. All calls of the engine's own
//!   go through it, and no hook sees them.
//! - [`Hooks`] is the contract with the crate `forward`, which stands in front of the driver: one method around each
//!   call of the program that matters. A launch, whichever function it comes from, is a [`LaunchCall`] that the hook may
//!   change.
//! - [`Engine`] implements the hooks. Under one lock it owns the code that was loaded, the instrumented variants of its
//!   kernels, and for each context what the engine has on the device: metadata, sets, counters, queues, the ring of reports.
//! - [`EngineSettings`] says what was chosen, above all the [`DevicePlan`]: what instrumented kernels do.
//! - [`Listener`] gets all that the engine reports: launches, races, what is not covered, warnings. `runtime` implements it.
//! - [`shipping`] is the host's side of kernels that ship their operations: records become event batches.
//!
//! # The way of a launch
//!
//! The forwarder calls [`Hooks::launch`] with the call and the real function. The engine finds which kernel of which code is
//! meant, and takes the variant of it for this block size and plan: one that is loaded already, one that a former run
//! kept on disk, or a new one, for which the PTX of the code goes through `instrument` and the assembler. The variant gets
//! one parameter more than the program's kernel, a context that says where the metadata, the counters and the
//! queues of this launch are. Then the real function is called with the variant. Races come back through a ring
//! in the host's memory while kernels run, and go to the listener. A kernel that ships fills queues; [`shipping::ship`]
//! reads them, puts the operations of all warps into one order, and hands events to the detector's sink.
//!
//! # Invariants
//!
//! - What cannot be instrumented runs as the program's own kernel, and is reported as not covered with the reason.
//!   No launch fails because of the engine.
//! - The program sees its own kernels and limits wherever it asks the driver for them. Metadata counts as free memory: it
//!   gives way when the program wants that.
//! - What the engine has on a device belongs to one context, and is touched while that context is current.
//! - A shipped launch is complete, or not covered: no record is dropped, and the device never waits for a broken queue.
//! - The engine knows no detector. The plan says what kernels do, and findings and events go to whoever listens.

mod driver;
mod driver_functions;
mod driver_library;
mod driver_structures;
mod driver_types;
mod engine;
mod hooks;
mod order_steps;
pub mod shipping;

pub use driver::{Driver, DriverError};
pub use driver_library::{
    LibraryError, OpenLibrary, REAL_DRIVER_VARIABLE, is_genuine_driver, real_driver,
};
pub use driver_structures::{
    CUlaunchAttribute, CUlaunchConfig, CUmemAccessDesc, CUmemAllocationProp, CUmemLocation,
    GraphNodeParams, KernelNodeParams, KernelNodeParamsV1, LaunchParams, MemAllocNodeParams,
    NodeParamsOfType,
};
pub use driver_types::*;
pub use engine::{
    AheadRequest, AheadSettings, CopiesOfLaunch, CopiesSettings, Engine, EngineSettings,
    EntriesBytes, Listener, Prepared, ReportedRace, SharedSink, assemble_ahead, take_requests,
};
pub use hooks::{
    Allocation, AllocationKind, CodeContainer, CodeSource, ContextEnd, Freed, Hooks, LaunchCall,
    LaunchSource, LinkedPiece,
};
pub use order_steps::{OrderStep, OrderedLaunch};
pub use warpsan_instrument::{
    Access, CheckedAccess, CopiesMode, CopiesPlan, DevicePlan, Entries, Measure, MetadataPlan,
    SetScheme, Shape, Shipping, entry_rules, options as check_options,
};
