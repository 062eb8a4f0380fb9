//! What detectors have in common that remember, for each granule of global memory, who accessed it last: pages of
//! entries, blocks with their warps, locks that seem to be held, and the two sides of a report. Nothing here
//! knows the rules of a paper.

pub(crate) mod blocks;
mod fences;
pub(crate) mod follower;
mod granularity;
pub(crate) mod instruction;
pub(crate) mod launch;
pub(crate) mod lock_slots;
pub(crate) mod pages;
mod reach;
pub(crate) mod sides;
pub(crate) mod sites;
#[cfg(test)]
pub(crate) mod story;

pub(crate) use fences::Fences;
pub(crate) use granularity::chosen;
pub use granularity::{Granularity, NotAChoice};
pub use reach::Reach;
