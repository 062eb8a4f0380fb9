//! What a thread knows of the others, compressed along the hierarchy of lanes, warps, blocks and grid.
//!
//! An epoch counts the synchronising steps of a warp. A [`View`] says up to which epoch everything that
//! a lane did is ordered before the owner of the view. Most of it is said for a whole block with one
//! number, and views that differ in one block share everything else.

mod ended;
mod group;
mod known;

pub(crate) use ended::Ended;
pub(crate) use group::Group;
pub(crate) use known::Known;

/// Counts the synchronising steps of a warp, from 1.
pub(crate) type Epoch = u32;

/// What is ordered before somebody.
#[derive(Debug, Clone, Default)]
pub(crate) struct View {
    /// By block: what its threads did.
    pub(crate) threads: Known,
    /// The part of it that went through a fence between the generic and the asynchronous proxy: for
    /// global memory, for shared memory.
    pub(crate) fenced: [Known; 2],
    /// By block and plane: the asynchronous copies that are complete.
    pub(crate) copies: Known,
    /// The part of them that went through such a fence, as `fenced`.
    pub(crate) fenced_copies: [Known; 2],
    /// Launches that are known to have ended, which the launch was not after from its beginning.
    pub(crate) ended: Ended,
}

impl View {
    /// What the other view knows is known from now on.
    pub(crate) fn join(&mut self, other: &View) {
        self.threads.join(&other.threads);
        self.copies.join(&other.copies);
        for memory in 0..2 {
            self.fenced[memory].join(&other.fenced[memory]);
            self.fenced_copies[memory].join(&other.fenced_copies[memory]);
        }
        self.ended.join(&other.ended);
    }
}
