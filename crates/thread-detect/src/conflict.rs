//! What a race is, as far as a slot knows.

use warpsan_thread_clock::Epoch;

/// Two accesses that are not ordered: the current one, and this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Who made the earlier one, and when.
    pub earlier: Epoch,
    /// What the earlier one was.
    pub access: EarlierAccess,
}

/// What an earlier access was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlierAccess {
    /// A plain read.
    Read,
    /// A plain write, or memory was freed.
    Write,
    /// An atomic read.
    AtomicRead,
    /// An atomic write, or an atomic read and write.
    AtomicWrite,
}
