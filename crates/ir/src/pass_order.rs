//! In which order a pass of a loop comes to the instructions of a kernel.
//!
//! The blocks of a loop, with each loop in it taken as one, form a graph without cycles once the edges back to its header
//! are gone; the same holds for the kernel as a whole. The order is a topological one of each such graph, with inner loops
//! in one piece.

use crate::{BarrierOp, CodeInstruction, ControlFlow, Loops, Op, Value, loops};
use warpsan_model::{PassLoop, PassOrder, PassPlace, SiteId};

/// Loops nested deeper than this are not looked at: each edge of the graph would take as many steps.
const DEEPEST: usize = 64;

/// The order of a kernel's code, if there is one.
pub(crate) fn run(code: &[CodeInstruction], graph: &ControlFlow, sites: usize) -> PassOrder {
    let loops = loops::run(graph);
    // Barriers are of use without loops, too: loops that were unrolled are none any more.
    let is_plain =
        loops.loops.is_empty() && !code.iter().any(|instruction| is_barrier(&instruction.op));
    let depth = (0..graph.blocks.len()).map(|block| loops.depth_up_to(block, DEEPEST)).max();
    if is_plain || depth == Some(DEEPEST) {
        return PassOrder::default();
    }
    Regions::of(graph, &loops).order().map_or_else(PassOrder::default, |blocks| {
        let places = Places { code, graph, loops: &loops };
        places.of_sites(&blocks, sites)
    })
}

/// A loop, or the kernel as a whole; what it consists of is blocks, and loops that have no other loop in between. Blocks
/// have the first numbers, and loops those behind.
struct Regions<'a> {
    graph: &'a ControlFlow,
    loops: &'a Loops,
    /// From each block or loop to others of the same region, without the edges back to its header.
    next: Vec<Vec<usize>>,
    /// How many of these lead to each.
    entries: Vec<usize>,
}

impl<'a> Regions<'a> {
    fn of(graph: &'a ControlFlow, loops: &'a Loops) -> Regions<'a> {
        let count = graph.blocks.len() + loops.loops.len();
        let (next, entries) = (vec![Vec::new(); count], vec![0; count]);
        let mut regions = Regions { graph, loops, next, entries };
        for from in 0..graph.blocks.len() {
            for to in graph.successors(from) {
                regions.add(from, to);
            }
        }
        regions
    }

    fn add(&mut self, from: usize, to: usize) {
        let is_back = |one: usize| self.loops.loops[one].header == to;
        if self.loops.around(from).any(is_back) {
            return;
        }
        let common =
            self.loops.around(from).find(|one| self.loops.around(to).any(|other| other == *one));
        let (from, to) = (self.part_of(from, common), self.part_of(to, common));
        self.next[from].push(to);
        self.entries[to] += 1;
    }

    /// The part of a region that a block belongs to.
    fn part_of(&self, block: usize, region: Option<usize>) -> usize {
        let inner = self.loops.around(block).take_while(|one| Some(*one) != region).last();
        inner.map_or(block, |inner| self.graph.blocks.len() + inner)
    }

    /// The blocks in their order; none if there is a cycle that is not a loop with one entry.
    fn order(mut self) -> Option<Vec<usize>> {
        let count = self.graph.blocks.len();
        let mut parts = vec![Vec::new(); self.loops.loops.len() + 1];
        let whole = self.loops.loops.len();
        for block in 0..count {
            parts[self.loops.innermost[block].unwrap_or(whole)].push(block);
        }
        for (number, one) in self.loops.loops.iter().enumerate() {
            parts[one.parent.unwrap_or(whole)].push(count + number);
        }
        let mut order = Vec::with_capacity(count);
        let starts = |parts: &[usize], entries: &[usize]| -> Vec<usize> {
            parts.iter().rev().copied().filter(|part| entries[*part] == 0).collect()
        };
        // Regions that are open, with those of their parts that nothing stands before any more.
        let mut open = vec![(None, starts(&parts[whole], &self.entries))];
        while let Some((region, ready)) = open.last_mut() {
            let done = match ready.pop() {
                Some(part) if part >= count => {
                    let inner = part - count;
                    open.push((Some(part), starts(&parts[inner], &self.entries)));
                    continue;
                }
                Some(block) => {
                    order.push(block);
                    Some(block)
                }
                None => {
                    let region = *region;
                    open.pop();
                    region
                }
            };
            if let (Some(done), Some((_, ready))) = (done, open.last_mut()) {
                for next in std::mem::take(&mut self.next[done]) {
                    self.entries[next] -= 1;
                    if self.entries[next] == 0 {
                        ready.push(next);
                    }
                }
            }
        }
        (order.len() == count).then_some(order)
    }
}

struct Places<'a> {
    code: &'a [CodeInstruction],
    graph: &'a ControlFlow,
    loops: &'a Loops,
}

impl Places<'_> {
    fn of_sites(&self, blocks: &[usize], sites: usize) -> PassOrder {
        let mut places = vec![PassPlace::default(); sites];
        let mut passed: Vec<(Option<SiteId>, Option<SiteId>)> =
            vec![(None, None); self.graph.blocks.len()];
        let mut first_barriers: Vec<Option<u32>> = vec![None; self.loops.loops.len()];
        let meets_in_one_place = self.meets_in_one_place();
        let mut number = 0;
        for &block in blocks {
            // Every way to a block passes its dominator, which stands before it in the order.
            let dominator = self.graph.dominators[block];
            let (mut barrier, mut any_barrier) =
                dominator.map_or((None, None), |dominator| passed[dominator as usize]);
            let innermost = self.loops.innermost[block];
            for instruction in self.instructions(block) {
                let innermost = innermost.map(|one| one as u32);
                let place = PassPlace { number, innermost, barrier, any_barrier };
                places[instruction.site.0 as usize] = place;
                let is_passed_by_all = instruction.guard.is_none();
                if meets_in_one_place && is_of_whole_block(&instruction.op) {
                    for around in self.loops.around(block) {
                        first_barriers[around].get_or_insert(number);
                    }
                    if is_passed_by_all {
                        barrier = Some(instruction.site);
                    }
                }
                if is_passed_by_all && is_barrier(&instruction.op) {
                    any_barrier = Some(instruction.site);
                }
                number += 1;
            }
            passed[block] = (barrier, any_barrier);
        }
        let of_loop = |(number, one): (usize, &loops::NaturalLoop)| PassLoop {
            parent: one.parent.map(|parent| parent as u32),
            back: self.back_of(one.header),
            first_barrier: first_barriers[number],
        };
        PassOrder { places, loops: self.loops.loops.iter().enumerate().map(of_loop).collect() }
    }

    fn instructions(&self, block: usize) -> &[CodeInstruction] {
        let block = self.graph.blocks[block];
        &self.code[block.start as usize..block.end as usize]
    }

    /// The last instruction of a block that leads back to a header.
    fn back_of(&self, header: usize) -> SiteId {
        let mut back = self.graph.predecessors(header);
        let latch = back.find(|from| self.graph.dominates(header, *from)).unwrap_or(header);
        self.code[self.graph.blocks[latch].end as usize - 1].site
    }

    /// Whether all barriers of the whole block are such that threads which meet there at two places are told of: others
    /// than `__syncthreads()` are made for that.
    fn meets_in_one_place(&self) -> bool {
        self.code.iter().all(|instruction| match &instruction.op {
            Op::BlockBarrier { barrier, threads: None, aligned, .. } => {
                *aligned && *barrier == Value::Constant(0)
            }
            _ => true,
        })
    }
}

/// Whether threads wait for each other here.
fn is_barrier(op: &Op) -> bool {
    is_of_whole_block(op) || matches!(op, Op::WarpBarrier { .. })
}

/// Whether all threads of the block wait for each other here.
fn is_of_whole_block(op: &Op) -> bool {
    matches!(op, Op::BlockBarrier { op, threads: None, .. } if *op != BarrierOp::Arrive)
}

#[cfg(test)]
mod tests;
