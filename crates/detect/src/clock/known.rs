//! A map from blocks to what is known of them, which is cheap to copy: copies share what they do not
//! change. A grid of many blocks that pass a token around makes as many copies.
//!
//! Lanes of a warp that use one counter after the other know nearly the same: each has one lane more than the one before
//! it. So a map is a tree, which many share, and a few items on top of it. Joining two trees is remembered: the next lane
//! joins the same two.

use super::Epoch;
use super::group::Group;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::sync::Arc;

const BITS: u32 = 4;
const WIDTH: usize = 1 << BITS;
/// With more items than this on top of it, a tree is copied.
const MOST_ON_TOP: usize = 6;
/// So many joins of trees are remembered.
const REMEMBERED: usize = 8;

/// What is known, by block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    tree: Option<Arc<Tree>>,
    /// What is known besides. Nothing of it is in the tree.
    on_top: SmallVec<[Item; 2]>,
}

/// What lanes of a warp did up to an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Item {
    key: u64,
    warp: u32,
    lanes: u32,
    epoch: Epoch,
}

#[derive(Debug, Clone)]
enum Tree {
    /// Something of one block; most threads never hear of another than their own.
    One { key: u64, group: Group },
    /// Leaves are `height` steps below the root.
    Many { height: u32, root: Arc<Node> },
}

#[derive(Debug, Clone)]
enum Node {
    Branch([Option<Arc<Node>>; WIDTH]),
    Leaf([Group; WIDTH]),
}

impl Known {
    /// Nothing is known.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.tree.is_none() && self.on_top.is_empty()
    }

    /// Those of `lanes` of a block's warp that are known up to `epoch`.
    #[inline]
    pub(crate) fn lanes(&self, key: u64, warp: u32, lanes: u32, epoch: Epoch) -> u32 {
        let group = self.tree.as_deref().and_then(|tree| tree.group(key));
        let in_tree = group.map_or(0, |group| group.known_lanes(warp, lanes, epoch));
        if in_tree == lanes || self.on_top.is_empty() {
            return in_tree;
        }
        let fits = |item: &&Item| item.key == key && item.warp == warp && item.epoch >= epoch;
        let on_top = self.on_top.iter().filter(fits);
        in_tree | on_top.fold(0, |known, item| known | item.lanes) & lanes
    }

    /// All threads of a block are known up to this epoch.
    pub(crate) fn all(&self, key: u64) -> Epoch {
        self.tree.as_deref().and_then(|tree| tree.group(key)).map_or(0, Group::all)
    }

    /// What `lanes` of a block's warp did up to `epoch` is known from now on.
    pub(crate) fn learn(&mut self, key: u64, warp: u32, lanes: u32, epoch: Epoch) {
        self.learn_item(Item { key, warp, lanes, epoch });
    }

    fn learn_item(&mut self, mut new: Item) {
        new.lanes &= !self.lanes(new.key, new.warp, new.lanes, new.epoch);
        if new.lanes == 0 {
            return;
        }
        if self.on_top.is_empty()
            && let Some(tree) = &mut self.tree
            && let Some(Tree::One { key, group }) = Arc::get_mut(tree)
            && *key == new.key
        {
            return group.learn(new.warp, new.lanes, new.epoch);
        }
        for item in &mut self.on_top {
            if (item.key, item.warp) == (new.key, new.warp) {
                // Those are known further than this now, or this would not be new.
                item.lanes &= !new.lanes;
            }
        }
        self.on_top.retain(|item| item.lanes != 0);
        let alike =
            |item: &&mut Item| (item.key, item.warp, item.epoch) == (new.key, new.warp, new.epoch);
        match self.on_top.iter_mut().find(alike) {
            Some(item) => item.lanes |= new.lanes,
            None => self.on_top.push(new),
        }
        if self.on_top.len() > MOST_ON_TOP || self.tree.is_none() {
            self.settle();
        }
    }

    /// What all threads of a block did up to `epoch` is known from now on.
    pub(crate) fn learn_all(&mut self, key: u64, epoch: Epoch) {
        if self.all(key) < epoch {
            self.on_top.retain(|item| item.key != key || item.epoch > epoch);
            self.change(key, |group| group.learn_all(epoch));
        }
    }

    /// Says it in one number where all `threads` of a block are known one by one.
    pub(crate) fn shorten(&mut self, key: u64, threads: u32) {
        if !self.is_empty() {
            self.settle();
            self.change(key, |group| group.shorten(threads));
        }
    }

    /// Puts what is on top of the tree into it.
    fn settle(&mut self) {
        for Item { key, warp, lanes, epoch } in std::mem::take(&mut self.on_top) {
            self.change(key, |group| group.learn(warp, lanes, epoch));
        }
    }

    fn change(&mut self, key: u64, change: impl FnOnce(&mut Group)) {
        match &mut self.tree {
            Some(tree) => Arc::make_mut(tree).update(key, change),
            None => {
                let mut group = Group::default();
                change(&mut group);
                self.tree = Some(Arc::new(Tree::One { key, group }));
            }
        }
    }

    /// What the other knows is known from now on.
    pub(crate) fn join(&mut self, other: &Known) {
        let Some(theirs) = &other.tree else {
            return other.on_top.iter().for_each(|item| self.learn_item(*item));
        };
        match &self.tree {
            Some(own) if Arc::ptr_eq(own, theirs) => {}
            Some(own) => {
                let joined = remembered_join(own, theirs);
                if !Arc::ptr_eq(own, &joined) {
                    self.tree = Some(joined);
                    self.forget_what_is_in_the_tree();
                }
            }
            None => {
                self.tree = Some(Arc::clone(theirs));
                self.forget_what_is_in_the_tree();
            }
        }
        other.on_top.iter().for_each(|item| self.learn_item(*item));
    }

    fn forget_what_is_in_the_tree(&mut self) {
        let Some(tree) = &self.tree else { return };
        for item in &mut self.on_top {
            if let Some(group) = tree.group(item.key) {
                item.lanes &= !group.known_lanes(item.warp, item.lanes, item.epoch);
            }
        }
        self.on_top.retain(|item| item.lanes != 0);
    }
}

/// A join of two trees, with its result.
struct Join {
    own: Arc<Tree>,
    theirs: Arc<Tree>,
    joined: Arc<Tree>,
}

thread_local! {
    /// The last joins, and where the next one is put. Trees that are in here stay, so no other has their address.
    static LAST_JOINS: RefCell<(Vec<Join>, usize)> = const { RefCell::new((Vec::new(), 0)) };
}

/// What either of two trees knows.
fn remembered_join(own: &Arc<Tree>, theirs: &Arc<Tree>) -> Arc<Tree> {
    LAST_JOINS.with_borrow_mut(|(joins, next)| {
        let is_it = |join: &&Join| Arc::ptr_eq(&join.theirs, theirs);
        for join in joins.iter().filter(is_it) {
            // What has been joined before has all of the other already.
            if Arc::ptr_eq(&join.own, own) || Arc::ptr_eq(&join.joined, own) {
                return Arc::clone(&join.joined);
            }
        }
        let joined = joined_trees(own, theirs);
        let join =
            Join { own: Arc::clone(own), theirs: Arc::clone(theirs), joined: Arc::clone(&joined) };
        match joins.get_mut(*next) {
            Some(place) => *place = join,
            None => joins.push(join),
        }
        *next = (*next + 1) % REMEMBERED;
        joined
    })
}

/// What either knows. One of the two themselves, where that is all.
fn joined_trees(own: &Arc<Tree>, theirs: &Arc<Tree>) -> Arc<Tree> {
    match (&**own, &**theirs) {
        (_, Tree::One { key, group }) => match own.group(*key) {
            Some(known) if known.includes(group) => Arc::clone(own),
            _ => {
                let mut joined = Tree::clone(own);
                joined.update(*key, |own| own.join(group));
                Arc::new(joined)
            }
        },
        (Tree::One { .. }, Tree::Many { .. }) => joined_trees(theirs, own),
        (Tree::Many { height, root }, Tree::Many { height: their_height, root: their_root }) => {
            let wanted = (*height).max(*their_height);
            let own_root = raised(Arc::clone(root), *height, wanted);
            let their_root_there = raised(Arc::clone(their_root), *their_height, wanted);
            let joined = joined(&own_root, &their_root_there);
            if Arc::ptr_eq(&joined, root) {
                Arc::clone(own)
            } else if Arc::ptr_eq(&joined, their_root) {
                Arc::clone(theirs)
            } else {
                Arc::new(Tree::Many { height: wanted, root: joined })
            }
        }
    }
}

impl Tree {
    /// What is known of a block.
    fn group(&self, key: u64) -> Option<&Group> {
        match self {
            Tree::One { key: own, group } => (*own == key).then_some(group),
            Tree::Many { height, root } => {
                if key >> (BITS * (height + 1)).min(63) != 0 {
                    return None;
                }
                let mut node = root;
                let mut level = *height;
                loop {
                    let index = digit(key, level);
                    match &**node {
                        Node::Leaf(groups) => return Some(&groups[index]),
                        Node::Branch(children) => node = children[index].as_ref()?,
                    }
                    level = level.saturating_sub(1);
                }
            }
        }
    }

    /// Changes what is known of a block.
    fn update(&mut self, key: u64, change: impl FnOnce(&mut Group)) {
        match self {
            Tree::One { key: own, group } if *own == key => return change(group),
            Tree::One { .. } => self.grow(key),
            Tree::Many { height, .. } if key >> (BITS * (*height + 1)).min(63) != 0 => {
                self.grow(key);
            }
            Tree::Many { .. } => {}
        }
        let Tree::Many { height, root } = self else { return };
        let mut node = root;
        let mut level = *height;
        loop {
            let index = digit(key, level);
            match Arc::make_mut(node) {
                Node::Leaf(groups) => return change(&mut groups[index]),
                Node::Branch(children) => {
                    node = children[index].get_or_insert_with(|| empty(level - 1));
                }
            }
            level = level.saturating_sub(1);
        }
    }

    /// Makes it a tree of many that has room for the key.
    fn grow(&mut self, key: u64) {
        match self {
            Tree::One { key: own, group } => {
                let (own, group) = (*own, std::mem::take(group));
                let height = height_for(key.max(own));
                *self = Tree::Many { height, root: empty(height) };
                self.update(own, |place| *place = group);
            }
            Tree::Many { height, root } => {
                let wanted = height_for(key).max(*height);
                *root = raised(Arc::clone(root), *height, wanted);
                *height = wanted;
            }
        }
    }
}

fn digit(key: u64, level: u32) -> usize {
    (key >> (BITS * level)) as usize % WIDTH
}

/// The height of a tree that has room for the key.
fn height_for(key: u64) -> u32 {
    (64 - key.leading_zeros()).div_ceil(BITS).saturating_sub(1)
}

fn empty(height: u32) -> Arc<Node> {
    Arc::new(match height {
        0 => Node::Leaf(Default::default()),
        _ => Node::Branch(Default::default()),
    })
}

/// The same tree with more levels above it.
fn raised(mut root: Arc<Node>, from: u32, to: u32) -> Arc<Node> {
    for _ in from..to {
        let mut children: [Option<Arc<Node>>; WIDTH] = Default::default();
        children[0] = Some(root);
        root = Arc::new(Node::Branch(children));
    }
    root
}

/// What either knows. One of the two themselves, where that is all, so that they stay shared.
fn joined(one: &Arc<Node>, other: &Arc<Node>) -> Arc<Node> {
    if Arc::ptr_eq(one, other) {
        return Arc::clone(one);
    }
    match (&**one, &**other) {
        (Node::Leaf(own), Node::Leaf(theirs)) => {
            if own.iter().zip(theirs).all(|(own, theirs)| own.includes(theirs)) {
                return Arc::clone(one);
            }
            if own.iter().zip(theirs).all(|(own, theirs)| theirs.includes(own)) {
                return Arc::clone(other);
            }
            let mut groups = own.clone();
            for (own, theirs) in groups.iter_mut().zip(theirs) {
                own.join(theirs);
            }
            Arc::new(Node::Leaf(groups))
        }
        (Node::Branch(own), Node::Branch(theirs)) => {
            let (mut is_one, mut is_other) = (true, true);
            let children: [Option<Arc<Node>>; WIDTH] =
                std::array::from_fn(|index| match (&own[index], &theirs[index]) {
                    (None, None) => None,
                    (Some(only), None) => {
                        is_other = false;
                        Some(Arc::clone(only))
                    }
                    (None, Some(only)) => {
                        is_one = false;
                        Some(Arc::clone(only))
                    }
                    (Some(own), Some(theirs)) => {
                        let child = joined(own, theirs);
                        is_one &= Arc::ptr_eq(&child, own);
                        is_other &= Arc::ptr_eq(&child, theirs);
                        Some(child)
                    }
                });
            match (is_one, is_other) {
                (true, _) => Arc::clone(one),
                (_, true) => Arc::clone(other),
                _ => Arc::new(Node::Branch(children)),
            }
        }
        // Trees of one height have leaves at one level.
        _ => Arc::clone(one),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn blocks_near_and_far_are_kept_apart() {
        let mut known = Known::default();
        for key in [3, 0, 17, 70_000, 1 << 31, 255] {
            known.learn_all(key, key as u32 % 1000 + 1);
        }
        for key in [3, 0, 17, 70_000, 1 << 31, 255] {
            assert_eq!(known.all(key), key as u32 % 1000 + 1, "{key}");
        }
        for key in [1, 16, 18, 69_999, 1 << 32, u64::MAX] {
            assert_eq!(known.all(key), 0, "{key}");
        }
    }

    #[test]
    fn joining_in_any_order_gives_the_later_of_both() {
        let numbers = |seed: u64, count: u64| {
            let mut known = Known::default();
            for step in 0..count {
                let key = (seed * 7919 + step * 104_729) % 600;
                known.learn_all(key, (seed * 31 + step * 17) as u32 % 90);
            }
            known
        };
        for (first, second) in [(0, 1), (1, 0), (1, 1), (1, 60), (60, 1), (60, 60), (5, 300)] {
            let (one, other) = (numbers(3, first), numbers(8, second));
            let (mut forward, mut backward) = (one.clone(), other.clone());
            forward.join(&other);
            backward.join(&one);
            for key in 0..600 {
                let wanted = one.all(key).max(other.all(key));
                assert_eq!((forward.all(key), backward.all(key)), (wanted, wanted), "{key}");
            }
        }
    }

    #[test]
    fn copies_do_not_see_later_changes_and_joins_share_what_they_can() {
        let mut known = Known::default();
        for key in 0..200 {
            known.learn_all(key, 1);
        }
        let before = known.clone();
        known.learn_all(5, 2);
        assert_eq!((before.all(5), known.all(5)), (1, 2));
        let mut joined = before.clone();
        joined.join(&known);
        let (Some(one), Some(other)) = (&joined.tree, &known.tree) else {
            panic!("two hundred blocks are known");
        };
        assert!(Arc::ptr_eq(one, other), "the larger one is all there is");
    }

    #[test]
    fn lanes_that_learn_one_after_the_other_share_a_tree() {
        let mut counter = Known::default();
        for key in 0..100 {
            counter.learn_all(key, 1);
        }
        let copies: Vec<Known> = (0..32)
            .map(|lane| {
                counter.learn(7, 3, 1 << lane, 9);
                counter.clone()
            })
            .collect();
        let tree = |known: &Known| known.tree.clone().expect("a hundred blocks");
        for (lane, known) in copies.iter().enumerate() {
            assert!(Arc::ptr_eq(&tree(known), &tree(&counter)));
            assert_eq!(known.lanes(7, 3, u32::MAX, 9), (2u64.pow(lane as u32 + 1) - 1) as u32);
        }
    }

    /// What is known, the plain way.
    type Plain = std::collections::BTreeMap<(u64, u32, u32), Epoch>;

    #[derive(Debug, Clone)]
    enum Step {
        Learn { who: usize, key: u64, warp: u32, lanes: u32, epoch: Epoch },
        LearnAll { who: usize, key: u64, epoch: Epoch },
        Join { who: usize, other: usize },
        Copy { who: usize, other: usize },
    }

    fn step() -> impl Strategy<Value = Step> {
        let who = 0..4usize;
        let key = prop_oneof![0..3u64, 14..18u64, Just(300u64)];
        prop_oneof![
            4 => (who.clone(), key.clone(), 0..2u32, 1..16u32, 1..8 as Epoch).prop_map(
                |(who, key, warp, lanes, epoch)| Step::Learn { who, key, warp, lanes, epoch }
            ),
            1 => (who.clone(), key, 1..6 as Epoch)
                .prop_map(|(who, key, epoch)| Step::LearnAll { who, key, epoch }),
            3 => (who.clone(), who.clone()).prop_map(|(who, other)| Step::Join { who, other }),
            1 => (who.clone(), who).prop_map(|(who, other)| Step::Copy { who, other }),
        ]
    }

    fn raise(plain: &mut Plain, at: (u64, u32, u32), epoch: Epoch) {
        let place = plain.entry(at).or_default();
        *place = epoch.max(*place);
    }

    proptest! {
        #[test]
        fn answers_are_those_of_a_plain_map(steps in prop::collection::vec(step(), 1..60)) {
            let mut known: [Known; 4] = Default::default();
            let mut plain: [Plain; 4] = Default::default();
            for step in steps {
                match step {
                    Step::Learn { who, key, warp, lanes, epoch } => {
                        known[who].learn(key, warp, lanes, epoch);
                        for lane in (0..4).filter(|lane| lanes >> lane & 1 == 1) {
                            raise(&mut plain[who], (key, warp, lane), epoch);
                        }
                    }
                    Step::LearnAll { who, key, epoch } => {
                        known[who].learn_all(key, epoch);
                        for (warp, lane) in (0..2).flat_map(|warp| (0..4).map(move |lane| (warp, lane))) {
                            raise(&mut plain[who], (key, warp, lane), epoch);
                        }
                    }
                    Step::Join { who, other } => {
                        let theirs = (known[other].clone(), plain[other].clone());
                        known[who].join(&theirs.0);
                        for (at, epoch) in theirs.1 {
                            raise(&mut plain[who], at, epoch);
                        }
                    }
                    Step::Copy { who, other } => {
                        known[who] = known[other].clone();
                        plain[who] = plain[other].clone();
                    }
                }
                for (known, plain) in known.iter().zip(&plain) {
                    for (&(key, warp, lane), &epoch) in plain {
                        let bit = 1 << lane;
                        prop_assert_eq!(known.lanes(key, warp, bit, epoch), bit);
                        prop_assert_eq!(known.lanes(key, warp, bit, epoch + 1), 0);
                    }
                }
            }
        }
    }
}
