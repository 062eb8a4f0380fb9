//! What a thread knows of threads anywhere.

use super::Thread;
use rustc_hash::FxHashMap;

/// Threads that are known up to the same clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Floor {
    Block(u32),
    Warp(u32, u16),
    Thread(Thread),
}

impl Floor {
    pub(super) fn block(self) -> u32 {
        match self {
            Floor::Block(block) | Floor::Warp(block, _) => block,
            Floor::Thread(thread) => thread.block,
        }
    }
}

/// A sparse vector clock: the clock of a thread is the highest one that is given for it, its warp and its block, and 0
/// where nothing is given. The thesis' map has an entry for each thread, so that one hand-over from a block that has
/// met at a barrier is a thousand entries; here it is a few.
#[derive(Debug, Clone, Default)]
pub(crate) struct Floors(FxHashMap<Floor, u32>);

impl Floors {
    /// The clock of a thread.
    pub(crate) fn of(&self, thread: Thread) -> u32 {
        let floors = [
            Floor::Thread(thread),
            Floor::Warp(thread.block, thread.warp),
            Floor::Block(thread.block),
        ];
        floors.iter().filter_map(|floor| self.0.get(floor)).copied().max().unwrap_or(0)
    }

    /// Threads are known up to this clock, at least.
    pub(crate) fn raise(&mut self, floor: Floor, clock: u32) {
        if clock > 0 {
            let known = self.0.entry(floor).or_insert(clock);
            *known = clock.max(*known);
        }
    }

    /// Whatever one of the two knows.
    pub(crate) fn join(&mut self, other: &Floors) {
        other.iter().for_each(|(floor, clock)| self.raise(floor, clock));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Floor, u32)> + '_ {
        self.0.iter().map(|(floor, clock)| (*floor, *clock))
    }

    pub(super) fn mentions(&self, block: u32) -> bool {
        self.0.keys().any(|floor| floor.block() == block)
    }

    /// Drops what is said of a block.
    pub(super) fn forget(&mut self, block: u32) {
        self.0.retain(|floor, _| floor.block() != block);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
