//! What is known of the threads of one block.

use super::Epoch;
use std::sync::Arc;

/// What is known of the threads of one block: one number for all, and exceptions by warp.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Group {
    all: Epoch,
    /// Lanes that are known further, sorted by warp.
    further: Option<Arc<Vec<Further>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Further {
    warp: u32,
    lanes: u32,
    epoch: Epoch,
}

impl Group {
    /// All threads of the block are known up to this epoch.
    pub(crate) fn all(&self) -> Epoch {
        self.all
    }

    /// Those of `lanes` that are known up to `epoch`.
    pub(crate) fn known_lanes(&self, warp: u32, lanes: u32, epoch: Epoch) -> u32 {
        if self.all >= epoch {
            return lanes;
        }
        let Some(further) = &self.further else { return 0 };
        let start = further.partition_point(|item| item.warp < warp);
        let of_warp = further[start..].iter().take_while(|item| item.warp == warp);
        of_warp.filter(|item| item.epoch >= epoch).fold(0, |known, item| known | item.lanes) & lanes
    }

    /// What `lanes` of a warp did up to `epoch` is known from now on.
    pub(crate) fn learn(&mut self, warp: u32, lanes: u32, epoch: Epoch) {
        let new = lanes & !self.known_lanes(warp, lanes, epoch);
        if new == 0 {
            return;
        }
        let further = Arc::make_mut(self.further.get_or_insert_default());
        let start = further.partition_point(|item| item.warp < warp);
        let mut end = start;
        while further.get(end).is_some_and(|item| item.warp == warp) {
            further[end].lanes &= !new;
            end += 1;
        }
        match further[start..end].iter_mut().find(|item| item.epoch == epoch) {
            Some(item) => item.lanes |= new,
            None => further.insert(end, Further { warp, lanes: new, epoch }),
        }
        further.retain(|item| item.lanes != 0);
    }

    /// What all threads of the block did up to `epoch` is known from now on.
    pub(crate) fn learn_all(&mut self, epoch: Epoch) {
        if epoch <= self.all {
            return;
        }
        self.all = epoch;
        let Some(further) = &mut self.further else { return };
        if further.iter().any(|item| item.epoch <= epoch) {
            Arc::make_mut(further).retain(|item| item.epoch > epoch);
        }
        if further.is_empty() {
            self.further = None;
        }
    }

    /// Says it in one number where all `threads` of the block are known one by one.
    pub(crate) fn shorten(&mut self, threads: u32) {
        let Some(further) = &self.further else { return };
        let known: u32 = further.iter().map(|item| item.lanes.count_ones()).sum();
        if known == threads
            && let Some(least) = further.iter().map(|item| item.epoch).min()
        {
            self.learn_all(least);
        }
    }

    pub(super) fn join(&mut self, other: &Group) {
        self.learn_all(other.all);
        let Some(theirs) = &other.further else { return };
        if self.further.is_none() && theirs.iter().all(|item| item.epoch > self.all) {
            self.further = Some(Arc::clone(theirs));
            return;
        }
        if self.further.as_ref().is_some_and(|own| Arc::ptr_eq(own, theirs)) {
            return;
        }
        for item in theirs.iter() {
            self.learn(item.warp, item.lanes, item.epoch);
        }
    }

    /// Whether it knows all that the other knows.
    pub(super) fn includes(&self, other: &Group) -> bool {
        if self.all < other.all {
            return false;
        }
        let Some(theirs) = &other.further else { return true };
        if self.further.as_ref().is_some_and(|own| Arc::ptr_eq(own, theirs)) {
            return true;
        }
        theirs.iter().all(|item| self.known_lanes(item.warp, item.lanes, item.epoch) == item.lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_and_whole_blocks_are_known_up_to_their_epoch() {
        let mut group = Group::default();
        assert_eq!(group.known_lanes(0, 1, 1), 0);
        group.learn(0, 0b11, 3);
        group.learn(1, 0b1, 5);
        assert_eq!(group.known_lanes(0, 0b111, 3), 0b11);
        assert_eq!(group.known_lanes(0, 0b111, 4), 0);
        group.learn(0, 0b1, 4);
        assert_eq!(group.known_lanes(0, 0b111, 4), 0b1);
        assert_eq!(group.known_lanes(0, 0b111, 3), 0b11);
        group.learn_all(4);
        assert_eq!((group.all(), group.known_lanes(0, u32::MAX, 4)), (4, u32::MAX));
        assert_eq!(group.known_lanes(1, 0b11, 5), 0b1);
        group.learn_all(5);
        assert_eq!(group.further, None, "nothing is kept twice");
    }

    #[test]
    fn a_block_whose_threads_are_all_known_becomes_one_number() {
        let mut group = Group::default();
        group.learn(0, u32::MAX, 2);
        group.shorten(33);
        assert_eq!(group.all(), 0, "a thread is missing");
        group.learn(1, 1, 7);
        group.shorten(33);
        assert_eq!(group.all(), 2);
        assert_eq!(group.known_lanes(1, 1, 7), 1);
    }

    #[test]
    fn joining_takes_the_later_of_both() {
        let (mut one, mut other) = (Group::default(), Group::default());
        one.learn(0, 0b10, 3);
        other.learn(0, 0b11, 2);
        other.learn(7, 0b1, 4);
        assert!(!one.includes(&other) && !other.includes(&one));
        one.join(&other);
        assert_eq!(one.known_lanes(0, 0b11, 3), 0b10);
        assert_eq!(one.known_lanes(0, 0b11, 2), 0b11);
        assert_eq!(one.known_lanes(7, 0b1, 4), 0b1);
        assert!(one.includes(&other));
    }
}
