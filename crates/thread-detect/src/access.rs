//! What is done to memory.

/// A sort of access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A plain read.
    Read,
    /// A plain write.
    Write,
    /// An atomic read.
    AtomicRead,
    /// An atomic write. Also one that reads and writes: whatever races with the read, races with the write.
    AtomicWrite,
}

impl Access {
    /// Whether it is none of an atomic operation.
    #[inline(always)]
    pub fn is_plain(self) -> bool {
        matches!(self, Access::Read | Access::Write)
    }
}

/// What happens to bytes of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// They are accessed.
    Access(Access),
    /// They were given out: nobody has accessed them.
    Reset,
}
