//! Where the history of each byte is found.

use super::location::Location;
use crate::last_access::pages::{PageContent, Pages};
use rustc_hash::FxHashMap;
use warpsan_model::Space;

/// Memory that one page stands for, as a power of two: 4 KiB.
const PAGE_SHIFT: u32 = 12;
const WORD: u64 = 4;

/// Four bytes, which nearly always have one history. Where they do not, each has its own.
#[derive(Debug, Clone)]
enum Word {
    Whole(Location),
    Bytes(Box<[Location; WORD as usize]>),
}

impl Default for Word {
    fn default() -> Self {
        Word::Whole(Location::default())
    }
}

impl Word {
    fn bytes(&mut self) -> &mut [Location; WORD as usize] {
        if let Word::Whole(location) = self {
            *self = Word::Bytes(Box::new(std::array::from_fn(|_| location.clone())));
        }
        match self {
            Word::Bytes(bytes) => bytes,
            Word::Whole(_) => unreachable!("it has just been taken apart"),
        }
    }

    /// The histories of bytes from `from` to `to`, with the first byte and the number of bytes of each.
    fn visit(&mut self, from: u64, to: u64, visit: &mut impl FnMut(u64, u64, &mut Location)) {
        match self {
            Word::Whole(location) if to - from == WORD => visit(from, WORD, location),
            _ => {
                let bytes = &mut self.bytes()[from as usize..to as usize];
                for (byte, location) in (from..to).zip(bytes) {
                    visit(byte, 1, location);
                }
            }
        }
    }
}

/// Words in a page.
const WORDS: usize = (1 << PAGE_SHIFT) / WORD as usize;
const PAGE_BYTES: u64 = (WORDS * size_of::<Word>()) as u64;

#[derive(Debug)]
struct Page(Box<[Word]>);

impl Page {
    fn new() -> Page {
        Page(vec![Word::default(); WORDS].into())
    }
}

impl PageContent for Page {
    fn clear(&mut self) {
        self.0.fill(Word::default());
    }
}

/// What is remembered of one memory.
#[derive(Debug)]
pub(super) struct Memory(Pages<Page>);

impl Memory {
    fn new() -> Memory {
        Memory(Pages::new(PAGE_BYTES))
    }

    /// The histories of a range of bytes, with the address and the number of bytes of each.
    #[inline]
    pub(super) fn visit(
        &mut self,
        address: u64,
        bytes: u64,
        mut visit: impl FnMut(u64, u64, &mut Location),
    ) {
        let mut at = address;
        let end = address.saturating_add(bytes);
        while at < end {
            let first = at & !(WORD - 1);
            let to = (end - first).min(WORD);
            let page = self.0.page(at >> PAGE_SHIFT, Page::new);
            let word = &mut page.0[(at / WORD) as usize % WORDS];
            word.visit(at - first, to, &mut |byte, bytes, location| {
                visit(first + byte, bytes, location);
            });
            at = first.saturating_add(to);
        }
    }
}

/// What is remembered of memory in one launch.
#[derive(Debug)]
pub(super) struct Shadow {
    global: Memory,
    /// By the block that owns them.
    shared: FxHashMap<u32, Memory>,
    shared_peak: u64,
}

impl Shadow {
    pub(super) fn new() -> Shadow {
        Shadow { global: Memory::new(), shared: FxHashMap::default(), shared_peak: 0 }
    }

    /// A launch begins: nothing has been accessed.
    pub(super) fn begin_launch(&mut self) {
        self.global.0.begin_launch();
        self.shared.clear();
    }

    /// The shared memory of a block is gone.
    pub(super) fn end_block(&mut self, block: u32) {
        self.shared_peak = self.shared_peak.max(self.shared_bytes());
        self.shared.remove(&block);
    }

    /// Global memory, or the shared memory of a block.
    #[inline]
    pub(super) fn of(&mut self, (space, owner): (Space, u32)) -> &mut Memory {
        match space {
            Space::Shared => self.shared.entry(owner).or_insert_with(Memory::new),
            _ => &mut self.global,
        }
    }

    fn shared_bytes(&self) -> u64 {
        self.shared.values().map(|memory| memory.0.bytes()).sum()
    }

    /// What it takes, without readers that were concurrent.
    pub(super) fn bytes(&self) -> u64 {
        self.global.0.bytes() + self.shared_peak.max(self.shared_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::super::epoch::Epoch;
    use super::*;

    const GLOBAL: (Space, u32) = (Space::Global, 0);

    fn visited(
        shadow: &mut Shadow,
        place: (Space, u32),
        address: u64,
        bytes: u64,
    ) -> Vec<(u64, u64, u32)> {
        let mut visited = Vec::new();
        shadow.of(place).visit(address, bytes, |at, bytes, location| {
            visited.push((at, bytes, location.write.clock));
        });
        visited
    }

    fn mark(shadow: &mut Shadow, place: (Space, u32), address: u64, bytes: u64, clock: u32) {
        shadow.of(place).visit(address, bytes, |_, _, location| {
            location.write = Epoch { clock, ..Epoch::NONE };
        });
    }

    #[test]
    fn words_are_taken_apart_when_a_part_is_accessed() {
        let mut shadow = Shadow::new();
        mark(&mut shadow, GLOBAL, 0x1000, 16, 1);
        assert_eq!(visited(&mut shadow, GLOBAL, 0x1008, 8), [(0x1008, 4, 1), (0x100c, 4, 1)]);
        mark(&mut shadow, GLOBAL, 0x1003, 2, 2);
        let bytes = [(0x1000, 1, 1), (0x1001, 1, 1), (0x1002, 1, 1), (0x1003, 1, 2)];
        assert_eq!(visited(&mut shadow, GLOBAL, 0x1000, 4), bytes);
        assert_eq!(visited(&mut shadow, GLOBAL, 0x1004, 2), [(0x1004, 1, 2), (0x1005, 1, 1)]);
        assert_eq!(visited(&mut shadow, GLOBAL, 0x1004, 0), []);
    }

    #[test]
    fn pages_blocks_and_launches_keep_to_themselves() {
        let mut shadow = Shadow::new();
        let shared = |block| (Space::Shared, block);
        mark(&mut shadow, GLOBAL, 0xffe, 4, 1);
        assert_eq!(visited(&mut shadow, GLOBAL, 0xfff, 2), [(0xfff, 1, 1), (0x1000, 1, 1)]);
        mark(&mut shadow, shared(3), 0x1000, 4, 2);
        assert_eq!(visited(&mut shadow, shared(3), 0x1000, 4), [(0x1000, 4, 2)]);
        assert_eq!(visited(&mut shadow, shared(4), 0x1000, 4), [(0x1000, 4, 0)]);
        shadow.end_block(3);
        assert_eq!(visited(&mut shadow, shared(3), 0x1000, 4), [(0x1000, 4, 0)]);
        shadow.begin_launch();
        assert_eq!(visited(&mut shadow, GLOBAL, 0x1000, 4), [(0x1000, 4, 0)]);
        assert!(shadow.bytes() > 0);
        mark(&mut shadow, GLOBAL, u64::MAX - 3, 8, 1);
    }
}
