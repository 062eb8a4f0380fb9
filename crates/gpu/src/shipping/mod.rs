//! From queues that a device writes to event batches that any detector reads.
//!
//! Instrumented kernels write records of warp operations into queues (`instrument::record` is the
//! contract). Here they become the events that the CPU engine would have emitted: `drain` reads the queues with
//! threads of its own, `merge` puts the operations of all warps into one order, `translate` makes
//! events of them, and [`ship`] does all that for one launch.
//!
//! **The order** is one in which the launch may have happened: a lane's operations in the order of its
//! program, strong operations at one location by their turns, and nothing behind a barrier before all
//! have come to it. Weak accesses of different threads that nothing orders are in no particular order, also
//! not with strong ones: where these race, a detector that remembers the last accesses may name another
//! pair of them. For those that need the true order there are tickets. For those that believe in lockstep, lanes of a
//! warp reconverge where their paths in the code do, also if the device did not do so (`merge/reconvergence.rs`).
//!
//! **Nothing is dropped.** Queues that are full make the device wait. What does not fit together (a lost
//! record, a turn that nobody took, a block without an end) is a [`ShippingError`], and the launch was
//! not checked; the device is never made to wait for that.
//!
//! **Memory is bounded** by the queues: an operation that has to wait for another one is kept, and its
//! queue is read at most one capacity beyond it. The contract says why that cannot deadlock.

mod drain;
mod error;
mod launch;
mod merge;
mod operation;
mod queue;
mod ship;
mod translate;

#[cfg(test)]
mod tests;

pub use error::ShippingError;
pub use launch::ShippedLaunch;
pub use merge::Merger;
pub use operation::{Assembler, Operation};
pub use queue::{FinalCounts, QueueMemory, Reader, Reservation, Writer};
pub use ship::{LaunchEnd, LaunchWatch, ShippingCounts, ShippingOptions, ship};
