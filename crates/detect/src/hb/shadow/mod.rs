//! What was accessed, by location.
//!
//! Memory is looked at in lines of 128 bytes: what a warp accesses with one instruction when its lanes
//! use neighbouring words. An [`Entry`] stands for all bytes of a line that were accessed by the same
//! warp, instruction and epoch, whatever their number: neighbouring locations with the same history share
//! one, and an access to a part of them takes those bytes away from it.

mod by_lane;
mod entry;
mod line;
mod noted_updates;
mod pages;
mod pending;
mod place;
mod reads;
mod scattered;
mod scattered_atomics;
mod scattered_reads;
mod scattered_reductions;
mod shared;
mod sheet;
mod slabs;
mod tally;
mod this_launch;
mod updates;

pub(super) use by_lane::ByLane;
pub(super) use entry::{Agent, Entry, Mapping, Role};
pub(super) use line::{CopyEnd, Line, cover_of};
pub(super) use pages::{PAGE, Shadow};
pub(super) use place::{StrongEntry, StrongPlace, range};
pub(super) use shared::SharedMemories;
pub(super) use sheet::{Reducer, words_of};
pub(super) use this_launch::ThisLaunch;

/// Bytes of a line.
pub(super) const LINE: u64 = 128;
