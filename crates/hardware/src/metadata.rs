//! Where the metadata of a line is.
//!
//! The base design has 8 bytes for each 4 bytes of memory. The cache is direct-mapped: "the offset into the
//! region is easily calculated by dividing the address … with the size of the metadata region", so the
//! remainder is the entry and the quotient, of 4 bits, the tag. The memory that is divided into 16 parts is
//! what the program touched: only then holds what the paper says of DRAM, that 1/16 of the unique entries is
//! accessed.

use crate::configuration::{Metadata, WORDS_IN_LINE};

/// Words of memory that share an entry of the cache.
const WORDS_OF_AN_ENTRY: u32 = 16;
/// Lines of metadata of a line: 32 entries of 8 bytes.
const LINES_OF_A_LINE: u32 = 2;

/// The region of metadata, which begins where the program's memory ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MetadataRegion {
    first: u32,
    lines: u32,
}

impl MetadataRegion {
    pub(crate) fn new(metadata: Metadata, memory_lines: u32) -> MetadataRegion {
        let full = memory_lines.saturating_mul(LINES_OF_A_LINE);
        let lines = match metadata {
            Metadata::Full => full,
            Metadata::Cached => full.div_ceil(WORDS_OF_AN_ENTRY),
        };
        MetadataRegion { first: memory_lines, lines: lines.max(1) }
    }

    /// The lines with the metadata of these words of a line.
    pub(crate) fn lines_of(&self, line: u32, words: u32) -> impl Iterator<Item = u32> + use<> {
        let region = *self;
        let half = WORDS_IN_LINE / LINES_OF_A_LINE;
        let mut before = None;
        (0..LINES_OF_A_LINE).filter_map(move |part| {
            let wanted = words >> (part * half) & ((1 << half) - 1) != 0;
            let in_region = line.wrapping_mul(LINES_OF_A_LINE).wrapping_add(part) % region.lines;
            // A region of one line has both halves in it.
            (wanted && before.replace(in_region) != Some(in_region))
                .then(|| region.first.wrapping_add(in_region))
        })
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.lines) * crate::configuration::LINE_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::configuration::LINE_BYTES;

    fn lines(region: &MetadataRegion, line: u32, words: u32) -> Vec<u32> {
        region.lines_of(line, words).collect()
    }

    #[test]
    fn the_base_design_takes_twice_the_memory_and_the_cache_an_eighth() {
        let memory = 32 * 1024;
        let bytes = u64::from(memory) * LINE_BYTES;
        assert_eq!(MetadataRegion::new(Metadata::Full, memory).bytes(), 2 * bytes);
        assert_eq!(MetadataRegion::new(Metadata::Cached, memory).bytes(), bytes / 8);
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
    fn lines_that_are_a_region_apart_share_entries_of_the_cache() {
        let region = MetadataRegion::new(Metadata::Cached, 1600);
        assert_eq!(lines(&region, 3, 1), lines(&region, 3 + 100, 1));
        assert_ne!(lines(&region, 3, 1), lines(&region, 4, 1));
    }

    #[test]
    fn a_region_of_one_line_is_looked_up_once() {
        let region = MetadataRegion::new(Metadata::Cached, 8);
        assert_eq!(lines(&region, 5, u32::MAX), [8]);
    }
}
