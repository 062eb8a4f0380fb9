//! Dominators and post-dominators, by the algorithm of Lengauer and Tarjan (1979) with path compression.
//!
//! Its time is m log n for m edges and n blocks, whatever the code looks like. The iterative algorithm over a
//! reverse post-order is quadratic for a switch with many cases that fall through.

use crate::ControlFlow;

/// No block.
const NONE: u32 = u32::MAX;

/// The immediate dominator of each block, seen from block 0.
pub(crate) fn dominators(graph: &ControlFlow) -> Vec<Option<u32>> {
    let found = immediate(
        0,
        graph.blocks.len(),
        |block| graph.successors(block),
        |block| graph.predecessors(block),
    );
    let found = found.into_iter().enumerate();
    found.map(|(block, by)| Some(by).filter(|by| *by != NONE && *by as usize != block)).collect()
}

/// The immediate post-dominator of each block. One exit is added behind all blocks that leave; what
/// meets only there, or never, has none.
pub(crate) fn post_dominators(graph: &ControlFlow) -> Vec<Option<u32>> {
    let leaves = |block: usize| graph.successors(block).next().is_none();
    post_dominators_of(graph, leaves)
}

/// The same for the ways that lead to a given block that leaves: others count as if they were not
/// there. What does not lead to it has none.
pub(crate) fn post_dominators_on_the_way_to(graph: &ControlFlow, end: usize) -> Vec<Option<u32>> {
    post_dominators_of(graph, |block| block == end)
}

fn post_dominators_of(graph: &ControlFlow, leaves: impl Fn(usize) -> bool) -> Vec<Option<u32>> {
    let exit = graph.blocks.len();
    let leaving: Vec<u32> = (0..exit).filter(|block| leaves(*block)).map(|b| b as u32).collect();
    let before = |block: usize| {
        let own = (block < exit).then(|| graph.predecessors(block));
        let last = if block == exit { &leaving[..] } else { &[] };
        own.into_iter().flatten().chain(last.iter().map(|block| *block as usize))
    };
    let behind = |block: usize| {
        let own = (block < exit).then(|| graph.successors(block));
        let end = (block < exit && leaves(block)).then_some(exit);
        own.into_iter().flatten().chain(end)
    };
    let mut found = immediate(exit, exit + 1, before, behind);
    found.truncate(exit);
    found.into_iter().map(|by| Some(by).filter(|by| (*by as usize) < exit)).collect()
}

/// The immediate dominators seen from `root`; that of the root is itself, and what cannot be reached
/// has none.
fn immediate<N: Iterator<Item = usize>, P: Iterator<Item = usize>>(
    root: usize,
    count: usize,
    next: impl Fn(usize) -> N,
    previous: impl Fn(usize) -> P,
) -> Vec<u32> {
    let mut found = vec![NONE; count];
    if root >= count {
        return found;
    }
    let walk = Walk::new(root, count, next);
    let immediate = walk.immediate(previous);
    for (block, dominator) in walk.order.iter().zip(immediate) {
        found[*block as usize] = walk.order[dominator as usize];
    }
    found
}

/// A walk in depth, which gives each block that it reaches a number: how many it met before.
struct Walk {
    /// The blocks by their numbers.
    order: Vec<u32>,
    /// The number of each block, or [`NONE`].
    numbers: Vec<u32>,
    /// By number: the number of the block that the walk came from. It is smaller, but for the root's,
    /// which is 0 too.
    parents: Vec<u32>,
}

impl Walk {
    fn new<N: Iterator<Item = usize>>(
        root: usize,
        count: usize,
        next: impl Fn(usize) -> N,
    ) -> Walk {
        let mut walk = Walk { order: Vec::new(), numbers: vec![NONE; count], parents: Vec::new() };
        let mut open = vec![(root, 0)];
        while let Some((block, parent)) = open.pop() {
            if walk.numbers[block] == NONE {
                let number = walk.order.len() as u32;
                walk.numbers[block] = number;
                walk.order.push(block as u32);
                walk.parents.push(parent);
                open.extend(next(block).map(|follower| (follower, number)));
            }
        }
        walk
    }

    /// The immediate dominators, all by numbers of the walk.
    fn immediate<P: Iterator<Item = usize>>(&self, previous: impl Fn(usize) -> P) -> Vec<u32> {
        let count = self.order.len();
        let mut forest = Forest::new(count);
        let mut dominators = vec![0; count];
        // The blocks with a given semidominator, as linked lists.
        let (mut first, mut beside) = (vec![NONE; count], vec![NONE; count]);
        for number in (1..count).rev() {
            for other in previous(self.order[number] as usize) {
                let other = self.numbers[other];
                if other != NONE {
                    let best = forest.best(other);
                    let semi = forest.semi[best as usize];
                    forest.semi[number] = forest.semi[number].min(semi);
                }
            }
            let semi = forest.semi[number] as usize;
            beside[number] = std::mem::replace(&mut first[semi], number as u32);
            let parent = self.parents[number];
            forest.ancestor[number] = parent;
            let mut waiting = std::mem::replace(&mut first[parent as usize], NONE);
            while waiting != NONE {
                let best = forest.best(waiting);
                let is_lower = forest.semi[best as usize] < forest.semi[waiting as usize];
                dominators[waiting as usize] = if is_lower { best } else { parent };
                waiting = beside[waiting as usize];
            }
        }
        for number in 1..count {
            if dominators[number] != forest.semi[number] {
                dominators[number] = dominators[dominators[number] as usize];
            }
        }
        dominators
    }
}

/// The blocks that were done, as trees that grow together, by their numbers in the walk.
struct Forest {
    /// The semidominator, as far as it is known.
    semi: Vec<u32>,
    /// A block above, or [`NONE`] for the root of a tree.
    ancestor: Vec<u32>,
    /// Of the blocks from here up to the ancestor, without it, the one with the smallest semidominator.
    label: Vec<u32>,
    /// Memory for [`Forest::best`].
    path: Vec<u32>,
}

impl Forest {
    fn new(count: usize) -> Forest {
        let all: Vec<u32> = (0..count as u32).collect();
        Forest { semi: all.clone(), ancestor: vec![NONE; count], label: all, path: Vec::new() }
    }

    /// Of the blocks from this one up to the root of its tree, without the root, the one with the
    /// smallest semidominator; of a root, itself. The path is compressed on the way.
    fn best(&mut self, number: u32) -> u32 {
        let mut at = number;
        while self.ancestor[at as usize] != NONE {
            self.path.push(at);
            at = self.ancestor[at as usize];
        }
        // The topmost block of the path has the root above it, and nothing to learn from it.
        let root = at;
        let mut above = self.path.pop();
        while let Some(next) = self.path.pop() {
            let (higher, lower) = (above.unwrap_or(next) as usize, next as usize);
            if self.semi[self.label[higher] as usize] < self.semi[self.label[lower] as usize] {
                self.label[lower] = self.label[higher];
            }
            self.ancestor[lower] = root;
            above = Some(next);
        }
        self.label[number as usize]
    }
}

#[cfg(test)]
mod tests;
