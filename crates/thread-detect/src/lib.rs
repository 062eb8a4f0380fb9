//! Data races among threads of a process, found while it runs.
//!
//! - [`Tool`]: an algorithm, which knows slots. [`FastTrack`], [`SlimFast`], and [`EmptyTool`] as the baseline.
//! - [`Checker`]: a tool with shadow memory, byte-exact, and with threads.
//! - [`ThreadState`] and the clocks of `order`: who is ordered behind whom, by locks, atomics, fences, barriers, fork and join.
//! - [`Storage`]: where memory comes from.
//!
//! Nothing here knows a program, a compiler's ABI or a trace; nothing is printed, no file is opened, and the only thing that is
//! asked of the system is to let others run while a lock is held.
//!
//! Locks of this crate are held for a few instructions. A signal handler that calls into it, on a thread that is
//! within a call already, may wait for ever: who owns the process defers signals.

mod access;
mod bytes;
mod checker;
mod chunks;
mod conflict;
mod counters;
mod empty_tool;
mod fast_track;
mod figures;
mod metadata;
mod order;
mod rules;
mod shadow;
mod slim_fast;
mod slot;
mod span;
mod spin;
mod storage;
mod thread_state;
mod tool;

pub use access::{Access, Deed};
pub use bytes::Bytes;
pub use checker::{Checker, Known, KnownChange, KnownPair, NoShadow};
pub use conflict::{Conflict, EarlierAccess, Findings};
pub use counters::{Count, Counters};
pub use empty_tool::EmptyTool;
pub use fast_track::{FastTrack, PairStep};
pub use figures::figures;
pub use metadata::{Description, Memory};
pub use order::{
    BarrierClock, BarrierPhase, FinishedThread, HeldClock, MemoryOrder, NewThread, ReadWriteClock,
    SyncClock, SyncTable, Threads,
};
pub use rules::{AllRules, Rule, Rules};
pub use slim_fast::{Sets, SlimFast, SlimFastSettings, Step};
pub use slot::Slot;
pub use span::Span;
pub use spin::Patience;
pub use storage::{RustAllocation, Storage};
pub use thread_state::ThreadState;
pub use tool::{Look, Tool};

pub use warpsan_thread_clock::{Clock, Epoch, NoMoreThreads, ThreadId, VectorClock};
