//! How threads are ordered: what releases, what acquires.
//!
//! Locks, fork and join are the rules of figure 3.3. The thesis has none for the rest, which are C++20's:
//! - **Release sequences** (`[intro.races]`): a store that releases heads one; updates (read-modify-writes) of any thread go on
//!   with it; every other store ends it, also a relaxed one of the same thread, which C++17 still let go on. An
//!   acquiring read of any value of the sequence synchronises with its head. An update that releases heads one of its own as well.
//! - **Fences** (`[atomics.fences]`): a store or update after a fence that releases passes on what was before the fence;
//!   a fence that acquires learns what all reads before it have observed. Fences with `seq_cst` are both. The total order of
//!   `seq_cst` operations is no synchronisation by itself.
//! - **`consume`** is acquire.
//!
//! A read observes what was written last to the same address, which holds because the operation is carried out while the
//! clock of the address is held. Operations of different sizes at one address share a clock; plain writes leave
//! it as it is, so a program that overwrites an atomic by a plain write, and then reads that by an atomic, is given an
//! order that it does not have.
//!
//! What a thread releases is recorded with the epoch that this ends, so a thread that knows the epoch knows all of the
//! release: an acquire asks for that first, and usually need not join.

mod barrier;
mod chain;
mod lifetime;
mod memory_order;
mod read_write_lock;
mod sync_clock;
mod sync_table;

pub use barrier::{BarrierClock, BarrierPhase};
pub use lifetime::{FinishedThread, NewThread, Threads};
pub use memory_order::MemoryOrder;
pub use read_write_lock::ReadWriteClock;
pub use sync_clock::{HeldClock, SyncClock};
pub use sync_table::SyncTable;
