//! What a thread knows of the others, compressed along blocks.
//!
//! An epoch counts a thread's synchronising steps. A [`View`] says, for each thread, up to which of
//! its epochs everything is ordered before the owner of the view. After a barrier of a whole block
//! all its threads are known up to the same epoch, so one number stands for all of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use warpsan_model::{BlockIndex, ThreadInBlock, ThreadRef};

/// Counts the synchronising steps of a thread, from 1.
pub(crate) type Epoch = u32;

/// What is known of one block's threads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct BlockView {
    /// All threads of the block are known up to this epoch.
    all: Epoch,
    /// Threads that are known further.
    further: BTreeMap<u32, Epoch>,
}

/// A vector clock over all threads of a launch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct View {
    blocks: BTreeMap<u32, BlockView>,
}

impl View {
    /// Whether what `thread` did in `epoch` is ordered before the owner of the view.
    pub(crate) fn knows(&self, thread: ThreadRef, epoch: Epoch) -> bool {
        self.blocks.get(&thread.block.0).is_some_and(|block| {
            block.all >= epoch
                || block.further.get(&thread.thread.0).is_some_and(|known| *known >= epoch)
        })
    }

    /// Whether what every thread of a block did in `epoch` is ordered before the owner.
    pub(crate) fn knows_all(&self, block: BlockIndex, epoch: Epoch) -> bool {
        self.blocks.get(&block.0).is_some_and(|known| known.all >= epoch)
    }

    /// What `thread` did up to `epoch` is known from now on.
    pub(crate) fn learn(&mut self, thread: ThreadRef, epoch: Epoch) {
        let block = self.blocks.entry(thread.block.0).or_default();
        if block.all < epoch {
            let known = block.further.entry(thread.thread.0).or_default();
            *known = epoch.max(*known);
        }
    }

    /// What all threads of the block did up to `epoch` is known from now on.
    pub(crate) fn learn_all(&mut self, block: BlockIndex, epoch: Epoch) {
        let known = self.blocks.entry(block.0).or_default();
        known.all = known.all.max(epoch);
        known.further.retain(|_, further| *further > epoch);
    }

    /// Says it in one number where all `threads` of a block are known one by one.
    pub(crate) fn shorten(&mut self, block: BlockIndex, threads: u32) {
        let Some(known) = self.blocks.get_mut(&block.0) else { return };
        if known.further.len() == threads as usize
            && let Some(least) = known.further.values().copied().min()
        {
            known.all = known.all.max(least);
            known.further.retain(|_, further| *further > least);
        }
    }

    /// What the other view knows is known from now on.
    pub(crate) fn join(&mut self, other: &View) {
        for (block, theirs) in &other.blocks {
            let block = BlockIndex(*block);
            self.learn_all(block, theirs.all);
            for (thread, epoch) in &theirs.further {
                self.learn(ThreadRef { block, thread: ThreadInBlock(*thread) }, *epoch);
            }
        }
    }
}

/// Joins `other` into a shared view, and copies only where that changes anything.
pub(crate) fn join_shared(view: &mut Arc<View>, other: &Arc<View>) {
    if !Arc::ptr_eq(view, other) {
        Arc::make_mut(view).join(other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(block: u32, thread: u32) -> ThreadRef {
        ThreadRef { block: BlockIndex(block), thread: ThreadInBlock(thread) }
    }

    #[test]
    fn single_threads_and_whole_blocks_are_known_up_to_their_epoch() {
        let mut view = View::default();
        assert!(!view.knows(thread(0, 1), 1));
        view.learn(thread(0, 1), 3);
        assert!(view.knows(thread(0, 1), 3) && !view.knows(thread(0, 1), 4));
        assert!(!view.knows(thread(0, 2), 1));
        view.learn_all(BlockIndex(0), 2);
        assert!(view.knows(thread(0, 2), 2) && view.knows(thread(0, 1), 3));
        assert!(view.knows_all(BlockIndex(0), 2) && !view.knows_all(BlockIndex(0), 3));
        view.learn_all(BlockIndex(0), 5);
        assert_eq!(view.blocks[&0].further.len(), 0, "nothing is kept twice");
    }

    #[test]
    fn a_block_whose_threads_are_all_known_becomes_one_number() {
        let mut view = View::default();
        view.learn(thread(0, 0), 2);
        view.shorten(BlockIndex(0), 2);
        assert!(!view.knows(thread(0, 1), 1), "one thread is not all");
        view.learn(thread(0, 1), 5);
        view.shorten(BlockIndex(0), 2);
        assert!(view.knows_all(BlockIndex(0), 2) && !view.knows_all(BlockIndex(0), 3));
        assert!(view.knows(thread(0, 1), 5));
        assert_eq!(view.blocks[&0].further.len(), 1);
    }

    #[test]
    fn joining_takes_the_later_of_both() {
        let (mut one, mut other) = (View::default(), View::default());
        one.learn(thread(0, 1), 3);
        one.learn_all(BlockIndex(2), 1);
        other.learn(thread(0, 1), 2);
        other.learn(thread(2, 7), 4);
        one.join(&other);
        assert!(one.knows(thread(0, 1), 3) && one.knows(thread(2, 7), 4));
        assert!(one.knows(thread(2, 0), 1) && !one.knows(thread(2, 0), 2));
    }
}
