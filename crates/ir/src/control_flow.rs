//! Basic blocks, the edges between them, and what they dominate.

use crate::Op;
use crate::dominators::{dominators, post_dominators};

/// Something with an operation and a guard: an instruction, before or after calls are expanded.
pub(crate) trait Step {
    /// What it does.
    fn op(&self) -> &Op;
    /// The same, to be changed.
    fn op_mut(&mut self) -> &mut Op;
    /// Whether it runs only where a predicate says so.
    fn is_guarded(&self) -> bool;
}

impl Step for crate::Instruction {
    fn op(&self) -> &Op {
        &self.op
    }

    fn op_mut(&mut self) -> &mut Op {
        &mut self.op
    }

    fn is_guarded(&self) -> bool {
        self.guard.is_some()
    }
}

impl Step for crate::CodeInstruction {
    fn op(&self) -> &Op {
        &self.op
    }

    fn op_mut(&mut self) -> &mut Op {
        &mut self.op
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
    pub dominators: Vec<Option<u32>>,
    /// The block that every way from a block to the end passes first; none where the ways meet only
    /// at the end, or never.
    pub post_dominators: Vec<Option<u32>>,
    successors: Edges,
    predecessors: Edges,
    /// When a walk of the dominator tree enters and leaves each block; answers `dominates` at once.
    visits: Vec<(u32, u32)>,
}

/// A straight piece of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// The first instruction.
    pub start: u32,
    /// The one behind the last.
    pub end: u32,
}

/// Lists of blocks, one per block, in one piece of memory: there are many, and most are short.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    /// Where the list of each block ends.
    ends: Vec<u32>,
    to: Vec<u32>,
}

impl Edges {
    fn of(&self, block: usize) -> &[u32] {
        let start = if block == 0 { 0 } else { self.ends[block - 1] };
        &self.to[start as usize..self.ends[block] as usize]
    }

    /// The same edges, the other way round.
    fn reversed(&self) -> Edges {
        let mut ends = vec![0; self.ends.len()];
        self.to.iter().for_each(|to| ends[*to as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            // For now where the list starts; filling it moves this to its end.
            (*end, sum) = (sum, sum + *end);
        }
        let mut to = vec![0; self.to.len()];
        for block in 0..self.ends.len() {
            for target in self.of(block) {
                let place = &mut ends[*target as usize];
                to[*place as usize] = block as u32;
                *place += 1;
            }
        }
        Edges { ends, to }
    }
}

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

    /// Where a block can go.
    pub fn successors(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        self.successors.of(block).iter().map(|block| *block as usize)
    }

    /// Where a block can be reached from.
    pub fn predecessors(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        self.predecessors.of(block).iter().map(|block| *block as usize)
    }

    /// The block that an instruction belongs to.
    pub fn block_of(&self, at: u32) -> usize {
        self.blocks.partition_point(|block| block.start <= at).saturating_sub(1)
    }

    /// Where lanes that part at the end of a block meet again.
    pub(crate) fn meeting_point(&self, block: usize) -> Option<u32> {
        self.post_dominators[block].map(|block| self.blocks[block as usize].start)
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

#[cfg(test)]
pub(crate) mod tests;
