//! The CUDA machine: what CUDA keeps for a process, and what its calls do to it. It knows no C: an API of CUDA is a
//! *door* that turns pointers and codes into the types of this module and calls it. The runtime API is one door; the
//! driver's API can be another one into the same machine.
//!
//! The files are layers; none imports one from a layer above:
//!
//! 1. **State**, one file for each kind of thing, without knowing the others: [`streams`], [`events`], [`capture`],
//!    [`graphs`] with [`nodes`] and [`plan`], [`pools`], [`registry`], [`libraries`], and what is kept only to be asked
//!    for. [`state::Machine`] has all of it, and the [`Session`](crate::Session) that executes.
//! 2. **Operations** on the machine, as methods of it: [`memory`] and `host_memory`, [`transfers`], [`launches`],
//!    `loading`, `resetting`. They check what is asked for. `submission` puts work into a stream: it is queued,
//!    or becomes a node of a graph. `waits` notes what a call waits for.
//! 3. **Waiting**: `process` has the one machine of the process behind its lock; `waiting` drains the queue; a
//!    thread of our own (`host_thread`, `host_worker`) runs functions of the host.
//! 4. **Calls**: [`calls::perform`] is what every entry point of a door runs in.
//!
//! A launch goes down as three structs: [`launches::LaunchRequest`] (what the program asks for),
//! [`QueuedLaunch`](crate::QueuedLaunch) (checked, in the queue), and the session's `Begun` (it has its turn).

pub mod advice;
pub mod boxes;
pub mod calls;
pub mod capture;
pub mod copy_kind;
pub mod device_settings;
pub mod error;
pub mod events;
pub mod graphs;
pub mod handles;
pub mod host;
mod host_memory;
mod host_thread;
mod host_worker;
pub mod kernels;
pub mod launches;
pub mod libraries;
mod loading;
pub mod memory;
pub mod nodes;
pub mod occupancy;
pub mod page_locked;
pub mod plan;
pub mod pools;
mod process;
pub mod registered_memory;
pub mod registry;
mod resetting;
pub mod state;
pub mod sticky;
pub mod stream_attributes;
pub mod streams;
mod submission;
pub mod transfers;
mod waiting;
mod waits;
