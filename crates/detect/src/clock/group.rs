//! What is known of the threads of one block.

use super::Epoch;
use std::sync::Arc;

/// What is known of the threads of one block: one number for all, and exceptions by warp.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Group {
    all: Epoch,
    /// Lanes that are known further than `all`, sorted by warp. The items of a warp have no lane in common.
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
    pub(super) fn all(&self) -> Epoch {
        self.all
    }

    /// Those of `lanes` that are known up to `epoch`.
    pub(super) fn known_lanes(&self, warp: u32, lanes: u32, epoch: Epoch) -> u32 {
        if self.all >= epoch {
            return lanes;
        }
        let Some(further) = &self.further else { return 0 };
        let start = further.partition_point(|item| item.warp < warp);
        let of_warp = further[start..].iter().take_while(|item| item.warp == warp);
        of_warp.filter(|item| item.epoch >= epoch).fold(0, |known, item| known | item.lanes) & lanes
    }

    /// What `lanes` of a warp did up to `epoch` is known from now on.
    pub(super) fn learn(&mut self, warp: u32, lanes: u32, epoch: Epoch) {
        let new = lanes & !self.known_lanes(warp, lanes, epoch);
        if new == 0 {
            return;
        }
        let further = Arc::make_mut(self.further.get_or_insert_default());
        let start = further.partition_point(|item| item.warp < warp);
        let end = start + further[start..].partition_point(|item| item.warp == warp);
        learn_in(further, start..end, Further { warp, lanes: new, epoch });
    }

    /// What all threads of the block did up to `epoch` is known from now on.
    pub(super) fn learn_all(&mut self, epoch: Epoch) {
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
    pub(super) fn shorten(&mut self, threads: u32) {
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
        let Some(own) = &self.further else {
            if theirs.iter().all(|item| item.epoch > self.all) {
                self.further = Some(Arc::clone(theirs));
            } else {
                let left: Vec<_> =
                    theirs.iter().copied().filter(|item| item.epoch > self.all).collect();
                self.further = (!left.is_empty()).then(|| Arc::new(left));
            }
            return;
        };
        if Arc::ptr_eq(own, theirs) || includes_items(own, theirs, self.all) {
            return;
        }
        let joined = joined_items(own, theirs, self.all);
        self.further = Some(Arc::new(joined));
    }

    /// Whether it knows all that the other knows.
    pub(super) fn includes(&self, other: &Group) -> bool {
        if self.all < other.all {
            return false;
        }
        let Some(theirs) = &other.further else { return true };
        match &self.further {
            Some(own) if Arc::ptr_eq(own, theirs) => true,
            Some(own) => includes_items(own, theirs, self.all),
            None => theirs.iter().all(|item| item.epoch <= self.all),
        }
    }
}

/// Adds lanes to the items of their warp, which stand at `place`. They are known less far so far.
fn learn_in(items: &mut Vec<Further>, place: std::ops::Range<usize>, new: Further) {
    let (start, mut end) = (place.start, place.end);
    for item in &mut items[start..end] {
        item.lanes &= !new.lanes;
    }
    for index in (start..end).rev() {
        if items[index].lanes == 0 {
            items.remove(index);
            end -= 1;
        }
    }
    match items[start..end].iter_mut().find(|item| item.epoch == new.epoch) {
        Some(item) => item.lanes |= new.lanes,
        None => items.insert(end, new),
    }
}

/// Whether items, and what is known of all, have all of the others.
fn includes_items(own: &[Further], theirs: &[Further], all: Epoch) -> bool {
    let mut start = 0;
    theirs.iter().filter(|item| item.epoch > all).all(|item| {
        while own.get(start).is_some_and(|known| known.warp < item.warp) {
            start += 1;
        }
        let of_warp = own[start..].iter().take_while(|known| known.warp == item.warp);
        let known = of_warp.filter(|known| known.epoch >= item.epoch);
        item.lanes & !known.fold(0, |lanes, known| lanes | known.lanes) == 0
    })
}

/// What either has, where all are known up to an epoch.
fn joined_items(own: &[Further], theirs: &[Further], all: Epoch) -> Vec<Further> {
    let mut joined: Vec<Further> = Vec::with_capacity(own.len().max(theirs.len()) + 2);
    let mut others = theirs.iter().filter(|item| item.epoch > all).peekable();
    let mut left = own;
    while let Some(first) = left.first() {
        while let Some(item) = others.next_if(|item| item.warp < first.warp) {
            joined.push(*item);
        }
        let of_warp = left.partition_point(|item| item.warp == first.warp);
        let start = joined.len();
        joined.extend_from_slice(&left[..of_warp]);
        left = &left[of_warp..];
        while let Some(item) = others.next_if(|item| item.warp == first.warp) {
            let known = joined[start..].iter().filter(|known| known.epoch >= item.epoch);
            let lanes = item.lanes & !known.fold(0, |lanes, known| lanes | known.lanes);
            if lanes != 0 {
                let end = joined.len();
                learn_in(&mut joined, start..end, Further { lanes, ..*item });
            }
        }
    }
    joined.extend(others);
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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

    fn learned(items: &[(u32, u32, Epoch)], all: Epoch) -> Group {
        let mut group = Group::default();
        group.learn_all(all);
        for (warp, lanes, epoch) in items {
            group.learn(*warp, *lanes, *epoch);
        }
        group
    }

    proptest! {
        #[test]
        fn joining_takes_the_later_of_both(
            one in prop::collection::vec((0..4u32, 1..16u32, 1..9 as Epoch), 0..8),
            other in prop::collection::vec((0..4u32, 1..16u32, 1..9 as Epoch), 0..8),
            (one_all, other_all) in (0..5 as Epoch, 0..5 as Epoch),
        ) {
            let (first, second) = (learned(&one, one_all), learned(&other, other_all));
            let mut joined = first.clone();
            joined.join(&second);
            prop_assert!(joined.includes(&first) && joined.includes(&second));
            let mut includes = true;
            for warp in 0..4 {
                for epoch in 1..10 {
                    let known = |group: &Group| group.known_lanes(warp, 0b1111, epoch);
                    prop_assert_eq!(known(&joined), known(&first) | known(&second));
                    includes &= known(&second) & !known(&first) == 0;
                }
            }
            prop_assert!(!first.includes(&second) || includes);
        }
    }
}
