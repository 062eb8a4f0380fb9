//! How much memory kernels touch.

use rustc_hash::FxHashMap;
use warpsan_event::{Access, Batch, CopySide, Event, EventMask, EventSink, LaneAddresses};
use warpsan_model::Space;

/// Bytes of one page of the map.
const PAGE: u64 = 4096;

/// Counts the different bytes of shared and global memory that kernels access.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    global: Bytes,
    /// By block. A block's shared memory is gone when it ends.
    shared: FxHashMap<u32, Bytes>,
    /// Bytes of shared memory now.
    shared_bytes: u64,
    most_shared_bytes: u64,
}

/// A set of bytes.
#[derive(Debug, Default)]
struct Bytes {
    pages: FxHashMap<u64, Box<[u64; PAGE as usize / 64]>>,
    count: u64,
}

impl Bytes {
    /// Adds the bytes; says how many of them are new.
    fn add(&mut self, first: u64, bytes: u64) -> u64 {
        let before = self.count;
        let end = first.saturating_add(bytes);
        let mut start = first;
        while start < end {
            let next = (start - start % 64).saturating_add(64).min(end);
            let bits = u64::MAX >> (64 - (next - start)) << (start % 64);
            let page = self.pages.entry(start / PAGE).or_insert_with(|| Box::new([0; _]));
            let word = &mut page[(start % PAGE / 64) as usize];
            self.count += u64::from((bits & !*word).count_ones());
            *word |= bits;
            start = next;
        }
        self.count - before
    }
}

impl Touched {
    /// All bytes of global memory, and the most bytes of shared memory that were there at one time: what
    /// a detector has to remember at once.
    pub(crate) fn bytes(&self) -> u64 {
        self.global.count + self.most_shared_bytes
    }

    fn access(&mut self, access: &Access<'_>) {
        let bytes = access.bytes_of_lane();
        self.touch(access.space, access.owner.0, access.mask, &access.addresses, bytes);
    }

    fn side(&mut self, mask: u32, side: &CopySide<'_>) {
        self.touch(side.space, side.owner.0, mask, &side.addresses, u64::from(side.bytes));
    }

    fn touch(
        &mut self,
        space: Space,
        owner: u32,
        mask: u32,
        addresses: &LaneAddresses<'_>,
        bytes: u64,
    ) {
        if space == Space::Global {
            for (_, address) in addresses.of(mask) {
                self.global.add(address, bytes);
            }
        } else {
            let shared = self.shared.entry(owner).or_default();
            for (_, address) in addresses.of(mask) {
                self.shared_bytes += shared.add(address, bytes);
            }
            self.most_shared_bytes = self.most_shared_bytes.max(self.shared_bytes);
        }
    }
}

impl EventSink for Touched {
    fn interest(&self) -> EventMask {
        EventMask::STRUCTURE | EventMask::ACCESSES
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        for event in batch.events() {
            match event {
                Event::Access(access) => self.access(&access),
                Event::CopyBegin(copies) => {
                    self.side(copies.mask, &copies.to);
                    if let Some(from) = &copies.from {
                        self.side(copies.mask, from);
                    }
                }
                Event::BlockEnd { block } => {
                    let gone = self.shared.remove(&block.0);
                    self.shared_bytes -= gone.map_or(0, |bytes| bytes.count);
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_event::LaneAddresses;
    use warpsan_event::testing::{Lanes, MemoryOperand, Story};

    #[test]
    fn bytes_count_once_and_shared_memory_while_it_is_there() {
        let words = |first| MemoryOperand::from(LaneAddresses::Strided { first, stride: 4 });
        let story = Story::default()
            .load(Lanes::warp(0, 0), words(4090))
            .load(Lanes::warp(1, 0), words(4092))
            .load(Lanes::warp(0, 0), words(0).shared())
            .load((1, 0, 1), words(0).shared())
            .end_block(0)
            .load((2, 0, 3), words(0).shared());
        let mut touched = Touched::default();
        touched.batch(&story.batch());
        assert_eq!(touched.global.count, 130);
        assert_eq!(touched.most_shared_bytes, 132);
        assert_eq!(touched.bytes(), 262);
    }
}
