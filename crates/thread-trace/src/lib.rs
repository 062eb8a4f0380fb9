//! What threads of a process did, as a list of events.
//!
//! - [`Trace`] and [`Event`]: one closed list of actions, in the order in which they were carried out.
//! - [`encode`] and [`decode`]: the binary file.
//! - [`std_text`]: the text format of RAPID ("STD"), in and out.
//! - [`replay`]: a trace through any tool of `warpsan-thread-detect`.
//!
//! A wait on a condition variable is a release of its lock and an acquire of it, as two events: signals order nothing by
//! themselves.

mod binary;
mod event;
mod replay;
pub mod std_text;

pub use binary::{DecodeError, VERSION, decode, encode};
pub use event::{Action, Barrier, Event, Lock, Site, Trace, TraceThread};
pub use replay::{Race, ReplayError, Replayed, replay};
