//! How the graph of a piece of code is found.

use super::{Block, ControlFlow, Edges};
use crate::Op;
use crate::dominators::{dominators, post_dominators};
use crate::step::Step;

impl ControlFlow {
    /// The graph of this code, which is not empty and ends in an instruction that does not go on.
    pub(crate) fn of<S: Step>(code: &[S]) -> ControlFlow {
        let blocks = blocks(code);
        let successors = successors(&blocks, code);
        let predecessors = successors.reversed();
        let mut graph = ControlFlow { blocks, successors, predecessors, ..ControlFlow::default() };
        graph.dominators = dominators(&graph);
        graph.post_dominators = post_dominators(&graph);
        graph.visits = visits(&graph.dominators);
        graph
    }
}

/// Enter and leave times of a walk over the dominator tree, or over each of its trees.
fn visits(dominators: &[Option<u32>]) -> Vec<(u32, u32)> {
    let count = dominators.len();
    // Children as linked lists: the first of each block, and the next beside each.
    let (mut first, mut beside) = (vec![u32::MAX; count], vec![u32::MAX; count]);
    for (block, dominator) in dominators.iter().enumerate() {
        if let Some(dominator) = dominator {
            beside[block] = std::mem::replace(&mut first[*dominator as usize], block as u32);
        }
    }
    let mut visits = vec![(0, 0); count];
    let mut clock = 0;
    for root in (0..count).filter(|block| dominators[*block].is_none()) {
        let mut open = vec![root];
        while let Some(&block) = open.last() {
            clock += 1;
            if visits[block].0 == 0 {
                visits[block].0 = clock;
            }
            // The next child that was not walked yet.
            let child = first[block];
            if child == u32::MAX {
                visits[block].1 = clock;
                open.pop();
            } else {
                first[block] = beside[child as usize];
                open.push(child as usize);
            }
        }
    }
    visits
}

fn blocks<S: Step>(code: &[S]) -> Vec<Block> {
    let mut leads = vec![false; code.len() + 1];
    leads[0] = true;
    for (index, step) in code.iter().enumerate() {
        match step.op() {
            Op::Branch { target, .. } => {
                leads[*target as usize] = true;
                leads[index + 1] = true;
            }
            Op::BranchIndexed { targets, .. } => {
                targets.iter().for_each(|target| leads[*target as usize] = true);
                leads[index + 1] = true;
            }
            Op::Exit | Op::Trap | Op::Return => leads[index + 1] = true,
            _ => {}
        }
    }
    let starts: Vec<u32> = (0..code.len() as u32).filter(|at| leads[*at as usize]).collect();
    let ends = starts.iter().skip(1).copied().chain([code.len() as u32]);
    starts.iter().zip(ends).map(|(&start, end)| Block { start, end }).collect()
}

fn successors<S: Step>(blocks: &[Block], code: &[S]) -> Edges {
    let block_at = |at: u32| blocks.partition_point(|block| block.start <= at) as u32 - 1;
    let mut edges = Edges { ends: Vec::with_capacity(blocks.len()), to: Vec::new() };
    let mut next = Vec::new();
    for block in blocks {
        let last = &code[block.end as usize - 1];
        next.clear();
        let falls_through = match last.op() {
            Op::Branch { target, .. } => {
                next.push(block_at(*target));
                last.is_guarded()
            }
            Op::BranchIndexed { targets, .. } => {
                next.extend(targets.iter().map(|target| block_at(*target)));
                last.is_guarded()
            }
            Op::Exit | Op::Trap | Op::Return => last.is_guarded(),
            _ => true,
        };
        if falls_through && (block.end as usize) < code.len() {
            next.push(block_at(block.end));
        }
        next.sort_unstable();
        next.dedup();
        edges.to.extend(&next);
        edges.ends.push(edges.to.len() as u32);
    }
    edges
}
