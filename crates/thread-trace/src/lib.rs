//! What threads of a process did, as a list of events.
//!
//! - [`Event`]: one closed list of actions, in the order in which they were carried out. [`Trace`]: all of them in memory.
//! - [`BlockWriter`] and [`Reader`]: the binary file, piece by piece; [`encode`] and [`decode`]: whole traces.
//! - [`std_text`]: the text format of RAPID ("STD"), in and out.
//! - [`Replay`]: a trace through any tool of `warpsan-thread-detect`.
//! - [`Witness`]: where the two accesses of a race were, which takes a second pass.
//!
//! A wait on a condition variable is a release of its lock and an acquire of it, as two events: signals order nothing by
//! themselves.

mod event;
mod format;
mod reader;
mod replay;
pub mod std_text;
mod witness;
mod writer;

pub use event::{
    Action, Barrier, Event, Lock, Module, ModuleNumber, Place, Site, Trace, TraceThread,
};
pub use format::{About, VERSION};
pub use reader::{Ending, Entry, ReadError, Reader, decode};
pub use replay::{Race, Replay, ReplayError, Replayed, replay};
pub use witness::{Accessed, Allocated, HeldLock, StartOf, Witness, Witnessed};
pub use writer::{BlockWriter, encode, head};
