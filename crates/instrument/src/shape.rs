//! How much memory has an entry of metadata, and how many accessors it remembers.

/// Addresses whose metadata lies together have the same bits above these.
pub(crate) const CHUNK_BITS: u32 = 21;
const CHUNK_BYTES: u64 = 1 << CHUNK_BITS;
/// Where the word of a shape has the number of older accessors.
pub(crate) const OLDER_SHIFT: u32 = 8;
/// Where it has the bytes of an entry.
pub(crate) const ENTRY_BYTES_SHIFT: u32 = 16;

/// What an entry of the metadata is for. Kernels with [`Entries::Usual`](crate::Entries::Usual) have the default shape, and
/// only that; those with [`Entries::General`](crate::Entries::General) take any from their launch's context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The bytes that share an entry: a power of two.
    granularity: u8,
    /// The accessors that an entry remembers, the last one included.
    history: u8,
}

impl Default for Shape {
    fn default() -> Self {
        Shape { granularity: 4, history: 1 }
    }
}

impl Shape {
    /// Bytes of metadata for 2 MiB of addresses, in the quick entries of the default shape: two words of eight bytes,
    /// the numbers of two instructions and the locks of the writer, for each four bytes.
    pub(crate) const USUAL_METADATA_OF_CHUNK: u64 = CHUNK_BYTES / 4 * 22;

    /// Entries for so many bytes, a power of two up to 16, that remember so many accessors, 1 at least.
    pub fn new(granularity: u8, history: u8) -> Shape {
        Shape { granularity: granularity.clamp(1, 16).next_power_of_two(), history: history.max(1) }
    }

    /// Bytes of an entry that has a lock: eight for each accessor and for the writer, and four for the instruction and the
    /// locks of each.
    fn entry_bytes(self) -> u64 {
        (12 * (u64::from(self.history) + 1)).next_multiple_of(8)
    }

    /// Bytes of metadata for 2 MiB of addresses, in entries that have a lock.
    pub(crate) fn locked_metadata_of_chunk(self) -> u64 {
        CHUNK_BYTES / u64::from(self.granularity) * self.entry_bytes()
    }

    /// The shape as a launch's context has it.
    pub fn word(self) -> u32 {
        let older = u32::from(self.history) - 1;
        self.granularity.trailing_zeros()
            | older << OLDER_SHIFT
            | (self.entry_bytes() as u32) << ENTRY_BYTES_SHIFT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_room_for_all_that_they_remember() {
        for (history, bytes) in [(1, 24), (2, 40), (4, 64), (8, 112)] {
            let shape = Shape::new(4, history);
            assert_eq!(shape.entry_bytes(), bytes);
            // Words first, then half as much for each of them.
            let parts = u64::from(history) + 1;
            assert!(8 * parts + 4 * parts <= bytes && bytes.is_multiple_of(8));
            assert_eq!(shape.locked_metadata_of_chunk(), CHUNK_BYTES / 4 * bytes);
        }
    }

    #[test]
    fn a_shape_is_one_word() {
        assert_eq!(Shape::new(1, 1).word(), 24 << 16);
        assert_eq!(Shape::new(16, 8).word(), 112 << 16 | 7 << 8 | 4);
    }
}
