//! Events written by hand, for tests: no engine, no kernel, no trace file.
//!
//! A [`Story`] is what threads did, in the order in which they did it. It reads like the program that it
//! stands for: who executes which instruction at which address.
//!
//! ```
//! use warpsan_event::testing::{ACQUIRE, RELEASE, Story};
//! let (data, flag) = (0x1000, 0x2000);
//! let (producer, consumer) = ((0, 0), (1, 0)); // block and thread
//! let story = Story::new()
//!     .store(producer, data)
//!     .strong_store(producer, flag, RELEASE)
//!     .strong_load(consumer, flag, ACQUIRE)
//!     .load(consumer, data)
//!     .end_launch();
//! assert_eq!(story.batch().len(), 6);
//! ```
//!
//! - Who executes an instruction is a [`Lanes`]: a thread `(block, thread)`, some lanes of a warp
//!   `(block, warp, mask)`, or [`Lanes::warp`].
//! - Where it accesses memory is a [`MemoryOperand`]: a word of global memory by its address, or anything else by
//!   the methods of `MemoryOperand`.
//! - Each access is the kernel's next instruction, from site 1 on; [`Story::at_site`] goes to another one.
//! - What has no method of its own is [pushed](Story::push) as an [`Event`](crate::Event). An
//!   [`Access`](crate::Access) made by [`Lanes::access`] can be changed before.
//!
//! Tests of a detector add what they ask of a story in a trait of their own. The module is behind the
//! feature `testing`, which only dev-dependencies turn on.

mod kernel;
mod lanes;
mod memory_operand;
mod story;
mod strengths;
#[cfg(test)]
mod tests;

pub use kernel::Kernel;
pub use lanes::Lanes;
pub use memory_operand::MemoryOperand;
pub use story::{NEXT_SITE, Story};
pub use strengths::{ACQ_REL, ACQUIRE, RELAXED, RELEASE, VOLATILE, WEAK, strong};
