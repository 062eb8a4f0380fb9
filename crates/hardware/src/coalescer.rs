//! From the addresses of a warp's lanes to the lines that its instruction asks for.

use crate::configuration::{LINE_BYTES, WORDS_IN_LINE};

/// Most bytes of a lane that are looked at; no access of PTX has more.
const MOST_BYTES: u64 = 64;

/// What a warp's instruction wants of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The line's number in the program's addresses.
    pub(crate) line: u64,
    /// Its words of 4 bytes that are accessed.
    pub(crate) words: u32,
    /// Lanes that access it.
    pub(crate) lanes: u8,
    /// The most lanes that access one word: an atomic does them one after the other.
    pub(crate) most_on_a_word: u8,
}

/// Joins what lanes access. It is kept, so that no instruction needs memory of its own.
#[derive(Debug, Default)]
pub(crate) struct Coalescer {
    segments: Vec<Segment>,
    /// For each segment, how many lanes access each word.
    on_word: Vec<[u8; WORDS_IN_LINE as usize]>,
}

impl Coalescer {
    /// The lines of an instruction, in the order of the lanes that ask for them first.
    pub(crate) fn segments(
        &mut self,
        addresses: impl Iterator<Item = u64>,
        bytes_of_lane: u64,
    ) -> &[Segment] {
        self.segments.clear();
        self.on_word.clear();
        let bytes = bytes_of_lane.clamp(1, MOST_BYTES);
        for address in addresses {
            let last = address.saturating_add(bytes - 1);
            self.lane(address, last);
        }
        for (segment, on_word) in self.segments.iter_mut().zip(&self.on_word) {
            segment.most_on_a_word = on_word.iter().copied().max().unwrap_or(0);
        }
        &self.segments
    }

    fn lane(&mut self, first: u64, last: u64) {
        for line in first / LINE_BYTES..=last / LINE_BYTES {
            let start = line * LINE_BYTES;
            let from = first.max(start) - start;
            let to = last.min(start + (LINE_BYTES - 1)) - start;
            let index = self.segment(line);
            self.segments[index].lanes = self.segments[index].lanes.saturating_add(1);
            for word in (from / 4) as usize..=(to / 4) as usize {
                self.segments[index].words |= 1 << word;
                let count = &mut self.on_word[index][word];
                *count = count.saturating_add(1);
            }
        }
    }

    /// Where the line's segment is. Neighbouring lanes mostly want the same line.
    fn segment(&mut self, line: u64) -> usize {
        if let Some(found) = self.segments.iter().rposition(|segment| segment.line == line) {
            return found;
        }
        self.segments.push(Segment { line, words: 0, lanes: 0, most_on_a_word: 0 });
        self.on_word.push([0; WORDS_IN_LINE as usize]);
        self.segments.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments(addresses: &[u64], bytes: u64) -> Vec<Segment> {
        Coalescer::default().segments(addresses.iter().copied(), bytes).to_vec()
    }

    #[test]
    fn neighbouring_words_are_one_line() {
        let addresses: Vec<u64> = (0..32).map(|lane| 0x1000 + 4 * lane).collect();
        let one = Segment { line: 0x20, words: u32::MAX, lanes: 32, most_on_a_word: 1 };
        assert_eq!(segments(&addresses, 4), [one]);
    }

    #[test]
    fn words_that_begin_in_the_middle_are_two_lines() {
        let addresses: Vec<u64> = (0..32).map(|lane| 0x1040 + 4 * lane).collect();
        let halves = segments(&addresses, 4);
        assert_eq!(halves.len(), 2);
        assert_eq!((halves[0].line, halves[0].words, halves[0].lanes), (0x20, 0xffff_0000, 16));
        assert_eq!((halves[1].line, halves[1].words, halves[1].lanes), (0x21, 0x0000_ffff, 16));
    }

    #[test]
    fn scattered_lanes_are_a_line_each() {
        let addresses: Vec<u64> = (0..32).map(|lane| lane * 4096).collect();
        assert_eq!(segments(&addresses, 4).len(), 32);
    }

    #[test]
    fn lanes_on_one_word_are_counted() {
        assert_eq!(
            segments(&[8; 5], 4),
            [Segment { line: 0, words: 4, lanes: 5, most_on_a_word: 5 }]
        );
    }

    #[test]
    fn a_wide_lane_may_reach_into_the_next_line() {
        let both = segments(&[120], 16);
        assert_eq!((both[0].line, both[0].words), (0, 0xc000_0000));
        assert_eq!((both[1].line, both[1].words), (1, 0b11));
    }

    #[test]
    fn an_address_at_the_very_end_does_not_overflow() {
        let last = segments(&[u64::MAX], 16);
        assert_eq!(last.len(), 1);
        assert_eq!(last[0].line, u64::MAX / LINE_BYTES);
    }
}
