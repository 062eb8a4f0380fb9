//! What a race is, as far as a slot knows.

use warpsan_thread_clock::Epoch;

use crate::bytes::Bytes;
use crate::span::Span;

/// Two accesses that are not ordered: the current one, and this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Who made the earlier one, and when.
    pub earlier: Epoch,
    /// What the earlier one was.
    pub access: EarlierAccess,
}

/// What an earlier access was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// Who is told of conflicts, and of which word they are now.
pub struct Findings<'a> {
    /// The address of the word.
    pub(crate) word: u64,
    pub(crate) found: &'a mut dyn FnMut(Span, Conflict),
}

impl Findings<'_> {
    /// These bytes of the word race.
    #[cold]
    pub fn report(&mut self, bytes: Bytes, conflict: Conflict) {
        for (first, size) in bytes.runs() {
            (self.found)(Span { address: self.word + first, size }, conflict);
        }
    }
}
