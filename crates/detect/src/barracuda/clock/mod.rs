//! Vector clocks of all threads of a launch, in the thesis' compressed formats (section 5.5.3). Knows threads, warps and
//! blocks, but neither events nor rules.
//!
//! A vector clock has an entry for each thread. Lanes that execute together know the same, so they share one
//! [`GroupClock`]; what other threads may learn of it is a [`Floors`].
//!
//! Clocks are **levelled**: where threads meet, all of them go on with the highest clock of any of them. No access happened at
//! the clocks that are left out, so that whatever was ordered before is, and whatever was not is not. The thesis does so at
//! barriers; here it happens whenever lanes meet, without which a warp could not go back to its simplest format after
//! paths of different length.

mod block;
mod floors;
mod group;
mod warp;

pub(crate) use block::BlockClocks;
pub(crate) use floors::Floors;
pub(crate) use group::{Format, GroupClock};
pub(crate) use warp::{Branch, WarpClocks};

/// A thread of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Thread {
    pub(crate) block: u32,
    pub(crate) warp: u16,
    pub(crate) lane: u8,
}

#[cfg(test)]
mod tests;
