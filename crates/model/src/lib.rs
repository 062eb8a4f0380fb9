//! The vocabulary that every other crate shares: who ran (threads, blocks, launches), where
//! (addresses, address spaces), how strongly (order, scope), which source line it was, and what the
//! emulated device is.
//!
//! Nothing here knows an algorithm; the types are plain data, besides what engines must agree on: the rules of [`barriers`], and who has
//! which private copy in which of LD's [`Rounds`].
//!
//! # Types and invariants
//!
//! - Ids are newtypes that count from 0: [`LaunchId`] in a process, [`BlockIndex`] in a grid, [`ThreadInBlock`], [`SiteId`] in the
//!   table of a kernel.
//! - [`Geometry`] has the extents of a launch. A warp has [`WARP_LANES`] lanes; masks of lanes are `u32`, bit 0 is lane 0.
//! - [`Strength`] is weak, volatile, or strong with an [`Order`] and a [`Scope`]; scopes are ordered by inclusion.
//! - [`EMULATED_DEVICE`] is the one place for limits of the emulated device.
//! - [`PassOrder`] says in which order passes of loops come to the instructions of a kernel.
//! - [`SourceFrame`]s are a chain of inlined calls, innermost first.

pub mod barriers;
mod device_profile;
mod feature;
mod geometry;
mod memory;
mod pass_order;
mod rounds;
mod source;

pub use device_profile::{DeviceProfile, EMULATED_DEVICE};
pub use feature::KernelFeature;
pub use geometry::{
    BlockIndex, Dim3, Geometry, LaunchId, ThreadInBlock, ThreadRef, WARP_LANES, lanes,
};
pub use memory::{DeviceAddress, Order, Scope, Space, Strength};
pub use pass_order::{PassLoop, PassOrder, PassPlace};
pub use rounds::Rounds;
pub use source::{
    SiteId, SourceFrame, SourcePosition, is_library_source, is_toolkit_header, path_in_toolkit,
    position_for_reader,
};
