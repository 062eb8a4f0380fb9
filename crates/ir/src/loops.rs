//! Natural loops: a back edge leads to a block that dominates its start.

use crate::ControlFlow;

/// The loops of a graph, as a forest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Loops {
    /// The loops, inner ones before those around them.
    pub loops: Vec<NaturalLoop>,
    /// The innermost loop of each block.
    pub innermost: Vec<Option<usize>>,
}

/// A loop. Back edges to one header make one loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NaturalLoop {
    /// The block that the loop is entered through.
    pub header: usize,
    /// The loop around it.
    pub parent: Option<usize>,
}

impl Loops {
    /// The loops around a block, innermost first.
    pub fn around(&self, block: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.innermost[block], |inner| self.loops[*inner].parent)
    }

    /// How many loops are around a block; no more than so many are counted.
    pub(crate) fn depth_up_to(&self, block: usize, most: usize) -> usize {
        self.around(block).take(most).count()
    }

    /// How many loops are around a block.
    pub fn depth(&self, block: usize) -> usize {
        self.around(block).count()
    }
}

/// Finds the loops.
pub(crate) fn run(graph: &ControlFlow) -> Loops {
    let mut found = Loops { loops: Vec::new(), innermost: vec![None; graph.blocks.len()] };
    let mut outer = Outer::default();
    // A header stands before the headers it dominates in a walk of the dominator tree, so the reverse
    // of one meets inner loops first.
    let mut headers: Vec<usize> = (0..graph.blocks.len()).collect();
    headers.sort_by_key(|block| std::cmp::Reverse(graph.entered(*block)));
    for header in headers {
        let back: Vec<usize> =
            graph.predecessors(header).filter(|start| graph.dominates(header, *start)).collect();
        if !back.is_empty() {
            found.add(graph, header, back, &mut outer);
        }
    }
    found
}

impl Loops {
    /// Adds the loop of a header: all blocks from which the start of a back edge can be reached
    /// without passing the header.
    fn add(&mut self, graph: &ControlFlow, header: usize, mut open: Vec<usize>, outer: &mut Outer) {
        let this = self.loops.len();
        outer.above.push(this);
        self.loops.push(NaturalLoop { header, parent: None });
        self.innermost[header] = self.innermost[header].or(Some(this));
        while let Some(block) = open.pop() {
            // What cannot be reached from the start is in no loop.
            if !graph.dominates(header, block) {
                continue;
            }
            let Some(inner) = self.innermost[block] else {
                self.innermost[block] = Some(this);
                open.extend(graph.predecessors(block));
                continue;
            };
            let outermost = outer.most(inner);
            if outermost != this {
                // An inner loop as a whole belongs to this one; go on in front of its header.
                self.loops[outermost].parent = Some(this);
                outer.above[outermost] = this;
                open.extend(graph.predecessors(self.loops[outermost].header));
            }
        }
    }
}

/// Which loop is outermost around each of those that were found, with paths that get shorter when they are
/// walked: a loop in 10,000 others must not take 10,000 steps each time.
#[derive(Default)]
struct Outer {
    /// A loop around each loop, or itself.
    above: Vec<usize>,
}

impl Outer {
    fn most(&mut self, mut inner: usize) -> usize {
        while self.above[inner] != inner {
            self.above[inner] = self.above[self.above[inner]];
            inner = self.above[inner];
        }
        inner
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control_flow::tests::{guarded, jump, plain};
    use crate::{Op, control_flow};

    #[test]
    fn nested_loops_form_a_forest() {
        // 0: before; 1: outer header; 2: inner; 3: outer back edge; 4: end
        let code = vec![
            plain(Op::Nothing),
            plain(Op::Nothing),
            guarded(jump(2)),
            guarded(jump(1)),
            plain(Op::Exit),
        ];
        let graph = control_flow::ControlFlow::of(&code);
        let loops = run(&graph);
        let header = |at: u32| graph.block_of(at);
        assert_eq!(loops.loops.len(), 2);
        assert_eq!(loops.loops[0], NaturalLoop { header: header(2), parent: Some(1) });
        assert_eq!(loops.loops[1], NaturalLoop { header: header(1), parent: None });
        let depths: Vec<usize> = (0..5).map(|at| loops.depth(graph.block_of(at))).collect();
        assert_eq!(depths, [0, 1, 2, 1, 0]);
    }

    #[test]
    fn an_edge_back_to_a_block_that_does_not_dominate_is_no_loop() {
        // Two ways into the cycle 2 <-> 3.
        let code = vec![
            guarded(jump(3)),
            plain(Op::Nothing),
            plain(Op::Nothing),
            guarded(jump(2)),
            plain(Op::Exit),
        ];
        let graph = control_flow::ControlFlow::of(&code);
        assert_eq!(run(&graph).loops, []);
    }

    #[test]
    fn time_does_not_grow_with_the_square_of_the_nesting() {
        const DEPTH: usize = 100_000;
        let mut code = vec![plain(Op::Nothing); DEPTH];
        code.extend((0..DEPTH as u32).rev().map(|target| guarded(jump(target))));
        code.push(plain(Op::Exit));
        let start = std::time::Instant::now();
        let graph = control_flow::ControlFlow::of(&code);
        let loops = run(&graph);
        let taken = start.elapsed();
        assert_eq!(loops.loops.len(), DEPTH);
        assert_eq!(loops.depth(graph.block_of(DEPTH as u32)), DEPTH);
        assert!(taken < std::time::Duration::from_secs(10), "{taken:?}");
    }
}
