//! What was accessed, by location. Knows no algorithm: it finds the cells of a range of bytes.
//!
//! A cell stands for the four bytes of an aligned word until somebody accesses a part of it; then it
//! splits into one cell for each byte, so that neighbours never disturb each other.

use std::collections::HashMap;

const WORD: u64 = 4;
const PAGE_WORDS: usize = 1024;
const PAGE_BYTES: u64 = PAGE_WORDS as u64 * WORD;

#[derive(Debug)]
enum Slot<C> {
    Empty,
    Word(C),
    Bytes(Box<[C; WORD as usize]>),
}

/// Cells for an address space that is mostly empty.
#[derive(Debug)]
pub(crate) struct Shadow<C> {
    pages: HashMap<u64, Vec<Slot<C>>>,
}

impl<C> Default for Shadow<C> {
    fn default() -> Self {
        Shadow { pages: HashMap::new() }
    }
}

impl<C: Default + Clone> Shadow<C> {
    /// Calls `visit` for every cell of the bytes from `start`, with the cell's first byte.
    pub(crate) fn visit(&mut self, start: u64, bytes: u64, mut visit: impl FnMut(u64, &mut C)) {
        // Addresses come from programs: the last byte there is must not be stepped over.
        let end = start.saturating_add(bytes);
        let mut at = start;
        while at < end {
            let word = at - at % WORD;
            let stop = end.min(word.saturating_add(WORD));
            let page = self.pages.entry(word / PAGE_BYTES).or_insert_with(|| {
                std::iter::repeat_with(|| Slot::Empty).take(PAGE_WORDS).collect()
            });
            let slot = &mut page[(word % PAGE_BYTES / WORD) as usize];
            if matches!(slot, Slot::Empty) {
                *slot = Slot::Word(C::default());
            }
            if stop - at < WORD {
                split(slot);
            }
            match slot {
                Slot::Word(cell) => visit(word, cell),
                Slot::Bytes(cells) => {
                    for byte in at..stop {
                        visit(byte, &mut cells[(byte - word) as usize]);
                    }
                }
                Slot::Empty => {}
            }
            at = stop;
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.pages.clear();
    }
}

fn split<C: Default + Clone>(slot: &mut Slot<C>) {
    if let Slot::Word(cell) = slot {
        let cell = std::mem::take(cell);
        *slot = Slot::Bytes(Box::new([cell.clone(), cell.clone(), cell.clone(), cell]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(shadow: &mut Shadow<Vec<u32>>, start: u64, bytes: u64, mark: u32) {
        shadow.visit(start, bytes, |_, cell| cell.push(mark));
    }

    fn cells(shadow: &mut Shadow<Vec<u32>>, start: u64, bytes: u64) -> Vec<(u64, Vec<u32>)> {
        let mut found = Vec::new();
        shadow.visit(start, bytes, |at, cell| found.push((at, cell.clone())));
        found
    }

    #[test]
    fn whole_words_share_a_cell_and_parts_split_it() {
        let mut shadow = Shadow::default();
        add(&mut shadow, 4096, 8, 1);
        assert_eq!(cells(&mut shadow, 4096, 8), [(4096, vec![1]), (4100, vec![1])]);
        add(&mut shadow, 4097, 1, 2);
        assert_eq!(
            cells(&mut shadow, 4096, 4),
            [(4096, vec![1]), (4097, vec![1, 2]), (4098, vec![1]), (4099, vec![1])]
        );
        assert_eq!(cells(&mut shadow, 4100, 4), [(4100, vec![1])]);
    }

    #[test]
    fn ranges_may_cross_words_and_pages() {
        let mut shadow = Shadow::default();
        add(&mut shadow, 4094, 4, 1);
        let touched: Vec<_> = cells(&mut shadow, 4092, 8)
            .into_iter()
            .filter(|(_, marks)| !marks.is_empty())
            .map(|(at, _)| at)
            .collect();
        assert_eq!(touched, [4094, 4095, 4096, 4097]);
        shadow.clear();
        assert!(cells(&mut shadow, 4094, 4).iter().all(|(_, marks)| marks.is_empty()));
    }
}
