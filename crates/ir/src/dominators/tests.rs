use super::*;
use std::time::{Duration, Instant};

/// What dominators are, by their definition: the blocks without which `block` cannot be reached.
fn by_definition(successors: &[Vec<usize>]) -> Vec<u32> {
    let count = successors.len();
    let reached_without = |left_out: usize| {
        let mut seen = vec![false; count];
        let mut open = vec![0];
        while let Some(block) = open.pop() {
            if block != left_out && !std::mem::replace(&mut seen[block], true) {
                open.extend(&successors[block]);
            }
        }
        seen
    };
    let reachable = reached_without(usize::MAX);
    let without: Vec<Vec<bool>> = (0..count).map(reached_without).collect();
    let dominates = |one: usize, block: usize| one == block || !without[one][block];
    (0..count)
        .map(|block| match (block, reachable[block]) {
            (0, _) => 0,
            (_, false) => NONE,
            // The strict dominators are a chain: the immediate one is dominated by all others.
            _ => {
                let strict: Vec<usize> = (0..count)
                    .filter(|one| *one != block && reachable[*one] && dominates(*one, block))
                    .collect();
                let is_lowest = |one: &&usize| strict.iter().all(|other| dominates(*other, **one));
                *strict.iter().find(is_lowest).expect("the root dominates it") as u32
            }
        })
        .collect()
}

fn reversed(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (block, followers) in successors.iter().enumerate() {
        followers.iter().for_each(|follower| predecessors[*follower].push(block));
    }
    predecessors
}

fn found(successors: &[Vec<usize>]) -> Vec<u32> {
    let predecessors = reversed(successors);
    immediate(
        0,
        successors.len(),
        |block| successors[block].iter().copied(),
        |block| predecessors[block].iter().copied(),
    )
}

#[test]
fn random_graphs_have_the_dominators_of_the_definition() {
    let mut state = 1u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..500 {
        let count = 1 + random(14);
        let edges = random(3 * count);
        let mut successors = vec![Vec::new(); count];
        for _ in 0..edges {
            let from = random(count);
            successors[from].push(random(count));
        }
        assert_eq!(found(&successors), by_definition(&successors), "{successors:?}");
    }
}

/// A switch whose cases fall through: the paths to each case go far back.
#[test]
fn time_does_not_grow_with_the_square_of_the_blocks() {
    const CASES: usize = 200_000;
    let mut successors: Vec<Vec<usize>> =
        (0..CASES).map(|test| vec![test + 1, CASES + test + 1]).collect();
    successors.extend((0..CASES).map(|case| vec![CASES + case + 1]));
    successors.push(Vec::new());
    let start = Instant::now();
    let dominators = found(&successors);
    let taken = start.elapsed();
    assert_eq!(dominators[2 * CASES], 0);
    assert!(taken < Duration::from_secs(10), "{taken:?}");
}
