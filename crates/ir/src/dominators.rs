//! Dominators and post-dominators, by the iterative algorithm over a reverse post-order.

/// The immediate dominator of each block, seen from block 0.
pub(crate) fn dominators(successors: &[&[usize]], predecessors: &[&[usize]]) -> Vec<Option<usize>> {
    let found = immediate(
        0,
        successors.len(),
        |block| successors[block].iter().copied(),
        |block| predecessors[block].iter().copied(),
    );
    found
        .into_iter()
        .enumerate()
        .map(|(block, dominator)| dominator.filter(|dominator| *dominator != block))
        .collect()
}

/// The immediate post-dominator of each block. One exit is added behind all blocks that leave; what
/// meets only there, or never, has none.
pub(crate) fn post_dominators(
    successors: &[&[usize]],
    predecessors: &[&[usize]],
) -> Vec<Option<usize>> {
    let exit = successors.len();
    let leaving: Vec<usize> = (0..exit).filter(|block| successors[*block].is_empty()).collect();
    let to_exit = [exit];
    let mut found = immediate(
        exit,
        exit + 1,
        |block| if block == exit { &leaving[..] } else { predecessors[block] }.iter().copied(),
        |block| {
            let leaves = block != exit && successors[block].is_empty();
            let own = if block == exit { &[][..] } else { successors[block] };
            if leaves { &to_exit[..] } else { own }.iter().copied()
        },
    );
    found.truncate(exit);
    found.into_iter().map(|block| block.filter(|block| *block < exit)).collect()
}

/// The immediate dominators seen from `root`; that of the root is itself, and what cannot be reached
/// has none.
fn immediate<N: Iterator<Item = usize>, P: Iterator<Item = usize>>(
    root: usize,
    count: usize,
    next: impl Fn(usize) -> N,
    previous: impl Fn(usize) -> P,
) -> Vec<Option<usize>> {
    let order = reverse_post_order(root, count, next);
    let mut position = vec![usize::MAX; count];
    for (rank, block) in order.iter().enumerate() {
        position[*block] = rank;
    }
    let mut dominator = vec![None; count];
    if root < count {
        dominator[root] = Some(root);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for &block in order.iter().skip(1) {
            let mut best = None;
            for other in previous(block).filter(|other| dominator[*other].is_some()) {
                best = Some(match best {
                    None => other,
                    Some(known) => intersect(known, other, &dominator, &position),
                });
            }
            if best.is_some() && dominator[block] != best {
                dominator[block] = best;
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
) -> Vec<usize> {
    let mut seen = vec![false; count];
    let mut post_order = Vec::new();
    if root >= count {
        return post_order;
    }
    let mut stack = vec![(root, next(root))];
    seen[root] = true;
    while let Some((block, rest)) = stack.last_mut() {
        match rest.next() {
            Some(follower) if !seen[follower] => {
                seen[follower] = true;
                stack.push((follower, next(follower)));
            }
            Some(_) => {}
            None => {
                post_order.push(*block);
                stack.pop();
            }
        }
    }
    post_order.reverse();
    post_order
}

fn intersect(mut a: usize, mut b: usize, dominator: &[Option<usize>], position: &[usize]) -> usize {
    while a != b {
        while position[a] > position[b] {
            a = dominator[a].unwrap_or(b);
        }
        while position[b] > position[a] {
            b = dominator[b].unwrap_or(a);
        }
    }
    a
}
