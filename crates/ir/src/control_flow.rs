//! Basic blocks, the edges between them, and what they dominate.

mod build;

/// The control-flow graph of a piece of code.
#[derive(Debug, Default)]
pub struct ControlFlow {
    /// The blocks, in the order of the code.
    pub blocks: Vec<Block>,
    /// The block that every way to a block passes last; none for the first and for unreachable ones.
    pub dominators: Vec<Option<u32>>,
    /// The block that every way from a block to the end passes first; none where the ways reconverge only
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

    /// Where lanes that diverge at the end of a block reconverge.
    pub(crate) fn reconvergence_point(&self, block: usize) -> Option<u32> {
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

#[cfg(test)]
pub(crate) mod tests;
