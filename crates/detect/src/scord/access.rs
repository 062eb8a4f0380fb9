//! One access, as the rules and the metadata see it.

use crate::last_access::{Fences, Reach};

/// What an access does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Load,
    Store,
    /// With or without an answer, whether it changes something or not.
    Atomic(Reach),
}

/// The lanes of an access, where threads of a warp count (independent thread scheduling).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lanes {
    /// Those that access the location.
    pub(super) mask: u32,
    /// The instruction is one of a part of the warp.
    pub(super) diverged: bool,
}

/// One access of a warp to one location.
#[derive(Debug, Clone, Copy)]
pub(super) struct Current {
    pub(super) kind: Kind,
    pub(super) is_strong: bool,
    /// The block's number, as far as an entry has bits for it.
    pub(super) block: u8,
    pub(super) warp: u8,
    /// Barriers of the block.
    pub(super) barrier: u8,
    /// The fences of the warp, from the fence file.
    pub(super) fences: Fences,
    /// The locks that the warp holds, as a set.
    pub(super) locks: u16,
    pub(super) lanes: Option<Lanes>,
}
