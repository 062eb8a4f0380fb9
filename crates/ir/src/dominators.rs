//! Dominators and post-dominators, by the iterative algorithm over a reverse post-order.

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
    let mut dominator = vec![NONE; count];
    if root >= count {
        return dominator;
    }
    let order = reverse_post_order(root, count, next);
    let mut position = vec![NONE; count];
    for (rank, block) in order.iter().enumerate() {
        position[*block as usize] = rank as u32;
    }
    dominator[root] = root as u32;
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().skip(1) {
            let mut best = NONE;
            for other in previous(block as usize).filter(|other| dominator[*other] != NONE) {
                best = match best {
                    NONE => other as u32,
                    known => intersect(known, other as u32, &dominator, &position),
                };
            }
            if best != NONE && dominator[block as usize] != best {
                dominator[block as usize] = best;
                changed = true;
            }
        }
    }
    dominator
}

fn reverse_post_order<N: Iterator<Item = usize>>(
    root: usize,
    count: usize,
    next: impl Fn(usize) -> N,
) -> Vec<u32> {
    let mut seen = vec![false; count];
    let mut post_order = Vec::new();
    // A block is met twice: to walk to its followers, and when all of them are done.
    let mut open = vec![(root as u32, false)];
    while let Some((block, done)) = open.pop() {
        if done {
            post_order.push(block);
        } else if !std::mem::replace(&mut seen[block as usize], true) {
            open.push((block, true));
            let followers = next(block as usize).filter(|follower| !seen[*follower]);
            open.extend(followers.map(|follower| (follower as u32, false)));
        }
    }
    post_order.reverse();
    post_order
}

fn intersect(mut a: u32, mut b: u32, dominator: &[u32], position: &[u32]) -> u32 {
    while a != b {
        while position[a as usize] > position[b as usize] {
            a = dominator[a as usize];
        }
        while position[b as usize] > position[a as usize] {
            b = dominator[b as usize];
        }
    }
    a
}
