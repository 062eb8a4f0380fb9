//! Basic blocks, the edges between them, and what they dominate.

use crate::Op;
use crate::dominators::{dominators, post_dominators};

/// Something with an operation and a guard: an instruction, before or after calls are expanded.
pub(crate) trait Step {
    /// What it does.
    fn op(&self) -> &Op;
    /// Whether it runs only where a predicate says so.
    fn is_guarded(&self) -> bool;
}

impl Step for crate::Instruction {
    fn op(&self) -> &Op {
        &self.op
    }

    fn is_guarded(&self) -> bool {
        self.guard.is_some()
    }
}

impl Step for crate::CodeInstruction {
    fn op(&self) -> &Op {
        &self.op
    }

    fn is_guarded(&self) -> bool {
        self.guard.is_some()
    }
}

/// The control-flow graph of a piece of code.
#[derive(Debug, Default)]
pub struct ControlFlow {
    /// The blocks, in the order of the code.
    pub blocks: Vec<Block>,
    /// The block that every way to a block passes last; none for the first and for unreachable ones.
    pub dominators: Vec<Option<usize>>,
    /// The block that every way from a block to the end passes first; none where the ways meet only
    /// at the end, or never.
    pub post_dominators: Vec<Option<usize>>,
    /// When a walk of the dominator tree enters and leaves each block; answers `dominates` at once.
    visits: Vec<(u32, u32)>,
}

/// A straight piece of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The first instruction.
    pub start: u32,
    /// The one behind the last.
    pub end: u32,
    /// Where it can go.
    pub successors: Vec<usize>,
    /// Where it can be reached from.
    pub predecessors: Vec<usize>,
}

impl ControlFlow {
    /// The graph of this code, which is not empty and ends in an instruction that does not go on.
    pub(crate) fn of<S: Step>(code: &[S]) -> ControlFlow {
        let mut blocks = blocks(code);
        connect(&mut blocks, code);
        let successors: Vec<&[usize]> =
            blocks.iter().map(|block| block.successors.as_slice()).collect();
        let predecessors: Vec<&[usize]> =
            blocks.iter().map(|block| block.predecessors.as_slice()).collect();
        let dominators = dominators(&successors, &predecessors);
        let post_dominators = post_dominators(&successors, &predecessors);
        let visits = visits(&dominators);
        ControlFlow { blocks, dominators, post_dominators, visits }
    }

    /// The block that an instruction belongs to.
    pub fn block_of(&self, at: u32) -> usize {
        self.blocks.partition_point(|block| block.start <= at).saturating_sub(1)
    }

    /// Where lanes that part at the end of a block meet again.
    pub(crate) fn meeting_point(&self, block: usize) -> Option<u32> {
        self.post_dominators[block].map(|block| self.blocks[block].start)
    }

    /// A number that grows from a block to all blocks it dominates.
    pub(crate) fn entered(&self, block: usize) -> u32 {
        self.visits[block].0
    }

    /// Whether every way to `block` passes `dominator`. A block dominates itself.
    pub fn dominates(&self, dominator: usize, block: usize) -> bool {
        let (outer, inner) = (self.visits[dominator], self.visits[block]);
        outer.0 <= inner.0 && inner.1 <= outer.1
    }
}

/// Enter and leave times of a walk over the dominator tree, or over each of its trees.
fn visits(dominators: &[Option<usize>]) -> Vec<(u32, u32)> {
    let mut children = vec![Vec::new(); dominators.len()];
    for (block, dominator) in dominators.iter().enumerate() {
        if let Some(dominator) = dominator {
            children[*dominator].push(block);
        }
    }
    let mut visits = vec![(0, 0); dominators.len()];
    let mut clock = 0;
    for root in (0..dominators.len()).filter(|block| dominators[*block].is_none()) {
        let mut open = vec![(root, false)];
        while let Some((block, leaving)) = open.pop() {
            clock += 1;
            if leaving {
                visits[block].1 = clock;
            } else {
                visits[block].0 = clock;
                open.push((block, true));
                open.extend(children[block].iter().map(|child| (*child, false)));
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
    starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| Block { start, end, successors: Vec::new(), predecessors: Vec::new() })
        .collect()
}

fn connect<S: Step>(blocks: &mut [Block], code: &[S]) {
    let starts: Vec<u32> = blocks.iter().map(|block| block.start).collect();
    let block_at = |at: u32| starts.partition_point(|start| *start <= at) - 1;
    for index in 0..blocks.len() {
        let end = blocks[index].end;
        let last = &code[end as usize - 1];
        let mut next = Vec::new();
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
        if falls_through && (end as usize) < code.len() {
            next.push(block_at(end));
        }
        next.sort_unstable();
        next.dedup();
        for successor in &next {
            blocks[*successor].predecessors.push(index);
        }
        blocks[index].successors = next;
    }
}

#[cfg(test)]
pub(crate) mod tests;
