//! A map from blocks to what is known of them, which is cheap to copy: copies share what they do not
//! change. A grid of many blocks that pass a token around makes as many copies.

use super::Group;
use std::sync::Arc;

const BITS: u32 = 4;
const WIDTH: usize = 1 << BITS;

/// What is known, by block.
#[derive(Debug, Clone, Default)]
pub(crate) enum Known {
    /// Nothing.
    #[default]
    Nothing,
    /// Something of one block; most threads never hear of another than their own.
    One { key: u64, group: Group },
    /// A tree whose leaves are `height` steps below the root.
    Many { height: u32, root: Arc<Node> },
}

#[derive(Debug, Clone)]
pub(crate) enum Node {
    Branch([Option<Arc<Node>>; WIDTH]),
    Leaf([Group; WIDTH]),
}

impl Known {
    /// What is known of a block.
    pub(crate) fn group(&self, key: u64) -> Option<&Group> {
        match self {
            Known::Nothing => None,
            Known::One { key: own, group } => (*own == key).then_some(group),
            Known::Many { height, root } => {
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
    pub(crate) fn update(&mut self, key: u64, change: impl FnOnce(&mut Group)) {
        match self {
            Known::Nothing => {
                let mut group = Group::default();
                change(&mut group);
                *self = Known::One { key, group };
            }
            Known::One { key: own, group } if *own == key => change(group),
            Known::One { .. } => {
                self.grow(key);
                self.update(key, change);
            }
            Known::Many { height, .. } if key >> (BITS * (*height + 1)).min(63) != 0 => {
                self.grow(key);
                self.update(key, change);
            }
            Known::Many { height, root } => {
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
        }
    }

    /// Makes it a tree that has room for the key.
    fn grow(&mut self, key: u64) {
        match std::mem::take(self) {
            Known::Nothing => *self = Known::Many { height: 0, root: empty(0) },
            Known::One { key: own, group } => {
                let height = height_for(key.max(own));
                *self = Known::Many { height, root: empty(height) };
                self.update(own, |place| *place = group);
            }
            Known::Many { height, root } => {
                let wanted = height_for(key).max(height);
                *self = Known::Many { height: wanted, root: raised(root, height, wanted) };
            }
        }
    }

    /// What the other knows is known from now on.
    pub(crate) fn join(&mut self, other: &Known) {
        match (&mut *self, other) {
            (_, Known::Nothing) => {}
            (Known::Nothing, _) => *self = other.clone(),
            (_, Known::One { key, group }) => {
                if !self.group(*key).is_some_and(|own| own.includes(group)) {
                    self.update(*key, |own| own.join(group));
                }
            }
            (Known::One { .. }, Known::Many { .. }) => {
                let own = std::mem::replace(self, other.clone());
                self.join(&own);
            }
            (
                Known::Many { height, root },
                Known::Many { height: their_height, root: their_root },
            ) => {
                let wanted = (*height).max(*their_height);
                let own = raised(Arc::clone(root), *height, wanted);
                let theirs = raised(Arc::clone(their_root), *their_height, wanted);
                (*height, *root) = (wanted, joined(&own, &theirs));
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

    fn all(known: &Known, key: u64) -> u32 {
        known.group(key).map_or(0, Group::all)
    }

    #[test]
    fn blocks_near_and_far_are_kept_apart() {
        let mut known = Known::default();
        for key in [3, 0, 17, 70_000, 1 << 31, 255] {
            known.update(key, |group| group.learn_all(key as u32 % 1000 + 1));
        }
        for key in [3, 0, 17, 70_000, 1 << 31, 255] {
            assert_eq!(all(&known, key), key as u32 % 1000 + 1, "{key}");
        }
        for key in [1, 16, 18, 69_999, 1 << 32, u64::MAX] {
            assert_eq!(all(&known, key), 0, "{key}");
        }
    }

    #[test]
    fn joining_in_any_order_gives_the_later_of_both() {
        let numbers = |seed: u64, count: u64| {
            let mut known = Known::default();
            for step in 0..count {
                let key = (seed * 7919 + step * 104_729) % 600;
                known.update(key, |group| group.learn_all((seed * 31 + step * 17) as u32 % 90));
            }
            known
        };
        for (first, second) in [(0, 1), (1, 0), (1, 1), (1, 60), (60, 1), (60, 60), (5, 300)] {
            let (one, other) = (numbers(3, first), numbers(8, second));
            let (mut forward, mut backward) = (one.clone(), other.clone());
            forward.join(&other);
            backward.join(&one);
            for key in 0..600 {
                let wanted = all(&one, key).max(all(&other, key));
                assert_eq!((all(&forward, key), all(&backward, key)), (wanted, wanted), "{key}");
            }
        }
    }

    #[test]
    fn copies_do_not_see_later_changes_and_joins_share_what_they_can() {
        let mut known = Known::default();
        for key in 0..200 {
            known.update(key, |group| group.learn_all(1));
        }
        let before = known.clone();
        known.update(5, |group| group.learn_all(2));
        assert_eq!((all(&before, 5), all(&known, 5)), (1, 2));
        let mut joined = before.clone();
        joined.join(&known);
        let (Known::Many { root: one, .. }, Known::Many { root: other, .. }) = (&joined, &known)
        else {
            panic!("two hundred blocks are many");
        };
        assert!(Arc::ptr_eq(one, other), "the larger one is all there is");
    }
}
