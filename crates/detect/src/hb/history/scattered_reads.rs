//! Reads of single lanes that scatter over the words of a line, as those of sparse matrices and graphs do.
//!
//! A word needs one reader: the last one, if it is the same thread or ordered after the one before it. Where
//! that is not so, the reader becomes an entry of its own, unless nobody can write the word any more without
//! a race.

use super::line::Line;
use super::scattered::Scattered;
use super::{ByLane, Entry, ThisLaunch};
use crate::clock::Epoch;

impl Line {
    /// Remembers a read of one word, if that needs no entry of its own. `is_permanent` says of an earlier one
    /// that nobody of the launch can come to know of it any more.
    #[inline]
    pub(crate) fn read_word(
        &mut self,
        new: ByLane,
        word: u32,
        block_known: Epoch,
        is_permanent: impl Fn(&ByLane) -> bool,
        launch: ThisLaunch,
    ) -> bool {
        let cover = 0xf << (word * 4);
        if self.more.as_ref().is_some_and(|more| cover & !more.settled(launch) == 0) {
            return true;
        }
        if self.first.is_empty() {
            self.first = new.read_of(word);
            return true;
        }
        let more = self.more.get_or_insert_default();
        let scattered = more.scattered.get_or_insert_with(Scattered::empty);
        let last = &mut scattered.last[word as usize];
        if scattered.words >> word & 1 == 1 {
            let same_block = last.block == new.block;
            let same_thread = same_block && (last.warp, last.lane) == (new.warp, new.lane);
            if same_thread || same_block && last.epoch <= block_known {
                *last = new;
            } else if is_permanent(last) {
                more.settle(cover, launch);
            } else if launch.blocks_never_meet && !same_block && last.block >= launch.first_block {
                let other = scattered.other.get_or_insert_with(|| Box::new([None; 32]));
                other[word as usize] = Some(*last);
                *last = new;
                more.settle(cover, launch);
            } else {
                return false;
            }
            return true;
        }
        *last = new;
        scattered.words |= 1 << word;
        true
    }

    /// The reads that are remembered by word, of the words that have any of the bytes.
    pub(crate) fn scattered_reads(&self, cover: u128) -> impl Iterator<Item = Entry> {
        let scattered = self.more.as_ref().and_then(|more| more.scattered.as_deref());
        scattered.into_iter().flat_map(move |scattered| {
            let words = scattered.words & super::words_of(cover);
            warpsan_model::lanes(words).flat_map(|word| scattered.entries(word))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hb::ids::BlockNumber;

    const MEET: ThisLaunch = ThisLaunch { first_block: BlockNumber(0), blocks_never_meet: false };

    fn reader(block: u32, lane: u8, epoch: Epoch) -> ByLane {
        ByLane { block: BlockNumber(block), lane, epoch, ..ByLane::NONE }
    }

    fn lanes_of(line: &Line, word: u32) -> Vec<(u32, u32)> {
        let cover = 0xf << (word * 4);
        let entries = line.reads().copied().chain(line.scattered_reads(cover));
        let here = entries.filter(|entry| entry.cover() & cover != 0);
        here.map(|entry| (entry.block.0, entry.lanes.trailing_zeros())).collect()
    }

    #[test]
    fn a_word_has_one_reader_until_another_is_unordered_with_it() {
        let mut line = Line::EMPTY;
        assert!(line.read_word(reader(0, 9, 1), 0, 0, |_| false, MEET));
        assert!(line.read_word(reader(0, 1, 1), 5, 0, |_| false, MEET));
        assert!(line.read_word(reader(0, 1, 2), 5, 0, |_| false, MEET), "the same thread");
        assert!(line.read_word(reader(0, 2, 3), 5, 2, |_| false, MEET), "a barrier between them");
        assert_eq!(lanes_of(&line, 5), [(0, 2)]);
        assert!(!line.read_word(reader(0, 3, 3), 5, 2, |_| false, MEET));
        assert!(!line.read_word(reader(1, 2, 1), 5, 0, |_| false, MEET), "blocks may meet");
        assert_eq!((lanes_of(&line, 0), lanes_of(&line, 5)), (vec![(0, 9)], vec![(0, 2)]));
        line.forget(0xf << 20);
        assert_eq!(lanes_of(&line, 5), []);
    }

    #[test]
    fn readers_of_two_blocks_settle_a_word_where_blocks_never_meet() {
        let mut line = Line::EMPTY;
        line.read_word(
            reader(0, 0, 1),
            0,
            0,
            |_| false,
            ThisLaunch { blocks_never_meet: true, ..MEET },
        );
        for block in 1..100 {
            assert!(line.read_word(
                reader(block, 3, 1),
                7,
                0,
                |_| false,
                ThisLaunch { blocks_never_meet: true, ..MEET }
            ));
        }
        assert_eq!(lanes_of(&line, 7), [(2, 3), (1, 3)]);
    }

    #[test]
    fn a_reader_that_nobody_can_know_settles_a_word() {
        let mut line = Line::EMPTY;
        line.read_word(reader(0, 0, 1), 0, 0, |_| false, MEET);
        for block in 1..100 {
            assert!(line.read_word(reader(block, 3, 1), 7, 0, |old| old.block.0 < block, MEET));
        }
        assert_eq!(lanes_of(&line, 7), [(1, 3)]);
    }

    #[test]
    fn a_word_that_another_launch_settled_is_read_anew() {
        let mut line = Line::EMPTY;
        line.read_word(reader(0, 0, 1), 0, 0, |_| false, MEET);
        let launch = |first_block| ThisLaunch {
            first_block: BlockNumber(first_block),
            blocks_never_meet: true,
        };
        for block in 1..4 {
            assert!(line.read_word(reader(block, 3, 1), 7, 0, |_| false, launch(0)));
        }
        let next = reader(10, 3, 1);
        assert!(!line.read_word(next, 7, 0, |_| false, launch(10)), "it needs an entry");
    }
}
