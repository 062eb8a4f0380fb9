//! The GPU engine: an unmodified program runs on its GPU, in front of the real driver.
//!
//! [`Driver`] is the real driver, loaded by its path and called by function pointers. What the program asks of
//! the driver goes through the forwarder (the crate `forward`), which calls a [`Hooks`] object before or
//! after the real function: code that was loaded, memory that was taken, and above all launches,
//! which the hook may change.

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
pub use engine::{Engine, EngineSettings, Finding, Listener, Prepared, SharedSink};
pub use hooks::{
    Allocation, AllocationKind, CodeContainer, CodeSource, ContextEnd, Freed, Hooks, LaunchCall,
    LaunchSource, LinkedPiece,
};
pub use order_steps::{OrderStep, OrderedLaunch};
pub use warpsan_instrument::{
    Access, CheckedAccess, DevicePlan, Entries, Measure, MetadataPlan, SetScheme, Shape, Shipping,
    options as check_options,
};
