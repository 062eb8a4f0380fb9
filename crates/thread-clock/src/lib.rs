//! Logical time of threads: who a thread is, how far it has come, and what it knows of the others.
//!
//! - [`ThreadId`] and [`ThreadIds`]: small numbers, given out again when nobody can mistake the new thread for the old.
//! - [`Clock`]: a count of one thread, which grows where the thread passes something on.
//! - [`Epoch`]: a clock and its thread, `c@t`, in 64 bits.
//! - [`VectorClock`]: a clock for each thread.
//!
//! Nothing here knows of memory, of locks or of a detector.

mod epoch;
mod thread_id;
mod vector_clock;

pub use epoch::{Clock, Epoch};
pub use thread_id::{NoMoreThreads, ThreadId, ThreadIds};
pub use vector_clock::VectorClock;
