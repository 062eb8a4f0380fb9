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

/// Why an access did not just go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// It races. It was written down all the same.
    Race(Conflict),
    /// The slot was divided: ask its parts. Nothing was written down.
    Divided,
}

impl Halt {
    /// What an access that found this answers.
    #[inline]
    pub(crate) fn verdict(conflict: Option<Conflict>) -> Result<(), Halt> {
        match conflict {
            None => Ok(()),
            Some(conflict) => Err(Halt::Race(conflict)),
        }
    }
}
