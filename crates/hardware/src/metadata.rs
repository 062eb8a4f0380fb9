//! Where the metadata of a line is.
//!
//! The base design has 8 bytes for each 4 bytes of memory. The cache is direct-mapped with an entry "for every
//! 16th 4-byte segment", and "the offset into the region is easily calculated by dividing the address": 16
//! neighbouring words share an entry, and its tag of 4 bits says which of them it is about. If words that are
//! a sixteenth of the memory apart shared one instead, a program that runs through its memory would read as
//! much metadata as without the cache, which figure 9 says it does not; and the 20 MB of rule 110 would have
//! no aliases in the memory of a GPU, while table VI has one.

use crate::configuration::{Metadata, WORDS_IN_LINE};

/// Bytes of an entry of metadata.
const ENTRY_BYTES: u32 = 8;
/// Entries of a line of metadata.
const ENTRIES_IN_LINE: u32 = crate::configuration::LINE_BYTES as u32 / ENTRY_BYTES;

/// The region of metadata, which begins where the program's memory ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MetadataRegion {
    first: u32,
    /// Words that share an entry; never more than a line has.
    words_of_entry: u32,
}

impl MetadataRegion {
    pub(crate) fn new(metadata: Metadata, memory_lines: u32) -> MetadataRegion {
        let words_of_entry = match metadata {
            Metadata::Full => 1,
            Metadata::Cached => 16,
        };
        MetadataRegion { first: memory_lines, words_of_entry }
    }

    /// The lines with the metadata of these words of a line.
    pub(crate) fn lines_of(&self, line: u32, words: u32) -> impl Iterator<Item = u32> + use<> {
        let words_of_line = self.words_of_entry * ENTRIES_IN_LINE;
        let first_word = u64::from(line) * u64::from(WORDS_IN_LINE);
        let region = self.first;
        // A line has its metadata in one line, or its halves have one each.
        let parts = WORDS_IN_LINE.div_ceil(words_of_line);
        let words_of_part = WORDS_IN_LINE / parts;
        let mask = u32::MAX >> (WORDS_IN_LINE - words_of_part);
        (0..parts).filter(move |part| words >> (part * words_of_part) & mask != 0).map(
            move |part| {
                let word = first_word + u64::from(part * words_of_part);
                region.wrapping_add((word / u64::from(words_of_line)) as u32)
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn lines(region: &MetadataRegion, line: u32, words: u32) -> Vec<u32> {
        region.lines_of(line, words).collect()
    }

    #[test]
    fn the_base_design_takes_twice_the_memory_and_the_cache_an_eighth() {
        let memory = 32 * 1024;
        for (metadata, expected) in [(Metadata::Full, 2 * memory), (Metadata::Cached, memory / 8)] {
            let region = MetadataRegion::new(metadata, memory);
            let all: BTreeSet<u32> =
                (0..memory).flat_map(|line| lines(&region, line, u32::MAX)).collect();
            assert_eq!(all, (memory..memory + expected).collect(), "{metadata:?}");
        }
    }

    #[test]
    fn only_halves_that_are_accessed_have_their_metadata_looked_up() {
        let region = MetadataRegion::new(Metadata::Full, 1000);
        assert_eq!(lines(&region, 7, u32::MAX), [1014, 1015]);
        assert_eq!(lines(&region, 7, 1), [1014]);
        assert_eq!(lines(&region, 7, 1 << 31), [1015]);
        assert_eq!(lines(&region, 7, 0), [0; 0]);
    }

    #[test]
    fn eight_lines_share_a_line_of_the_cache() {
        let region = MetadataRegion::new(Metadata::Cached, 1000);
        assert_eq!(lines(&region, 8, 1), [1001]);
        assert_eq!(lines(&region, 15, u32::MAX), [1001]);
        assert_eq!(lines(&region, 16, 1 << 31), [1002]);
        assert_eq!(lines(&region, 16, 0), [0; 0]);
    }
}
