//! Phases between block barriers: which instructions two threads of a block can be at without a barrier between them.
//!
//! Where every barrier is of the whole block, and all threads of the block come to it together, a block goes from barrier to barrier. An instruction
//! belongs to the phases that begin at the barriers, or at the entry, from which it is reached without another one.
//!
//! A loop may end by a number that all threads of a block have loaded from one address ([`uniform`](crate::uniform)): if somebody changes that meanwhile, that is a race.

use crate::uniform::{Among, FunctionWays, Guarded, Varying, Ways};
use crate::{BarrierOp, Function, Op, Value};

/// Functions with more barriers have no phases: the time would not pay.
const MOST_BARRIERS: usize = 63;

/// The phases of a kernel.
#[derive(Debug, Clone)]
pub struct Phases {
    /// For each instruction, the entry and the barriers from which it is reached, one bit each.
    begun_at: Vec<u64>,
    /// Whether a thread can end behind an instruction before the next barrier, while others go on. No barrier orders it with what they do.
    may_end: Vec<bool>,
}

impl Phases {
    /// The phases of a kernel. None where its threads may be in different ones at a time: behind barriers of some threads or with several
    /// numbers, barriers that not all threads come to, or calls.
    pub fn of(kernel: &Function) -> Option<Phases> {
        let ways = FunctionWays::of(kernel);
        let ways = ways.ways();
        let varying = Varying::of(ways, Among::Block);
        let barriers = barriers(ways, &varying)?;
        let begun_at = begun_at(kernel, ways.successors, &barriers);
        let may_end = may_end(kernel, ways, &varying, &barriers);
        Some(Phases { begun_at, may_end })
    }

    /// Whether a thread may end behind an instruction, before the next barrier, while others go on to it.
    pub fn may_end_behind(&self, at: usize) -> bool {
        self.may_end[at]
    }

    /// Whether two threads of a block may be at these instructions, or one of them at both, without a barrier between them.
    pub fn share(&self, one: usize, other: usize) -> bool {
        self.may_end[one] || self.may_end[other] || self.begun_at[one] & self.begun_at[other] != 0
    }
}

/// The barriers in order. None: one of them is not for all threads together.
fn barriers(ways: Ways<'_>, varying: &Varying) -> Option<Vec<usize>> {
    let mut barriers = Vec::new();
    let mut number = None;
    for (at, Guarded { guard, op }) in ways.code.iter().enumerate() {
        match op {
            Op::BlockBarrier { op, barrier: Value::Constant(barrier), threads: None, .. } => {
                let is_first = number.is_none_or(|number| number == *barrier);
                let is_together =
                    guard.is_none() && !varying.is_diverged(ways.block_of[at] as usize);
                if !is_first || !is_together || matches!(op, BarrierOp::Arrive) {
                    return None;
                }
                number = Some(*barrier);
                barriers.push(at);
            }
            Op::BlockBarrier { .. } | Op::Call(_) | Op::CallSubroutine(_) => return None,
            _ => {}
        }
    }
    (barriers.len() <= MOST_BARRIERS).then_some(barriers)
}

/// Goes forward from the entry and from all barriers.
fn begun_at(kernel: &Function, successors: &[Vec<usize>], barriers: &[usize]) -> Vec<u64> {
    let bit_of = |at: usize| barriers.binary_search(&at).ok().map(|number| 1u64 << (number + 1));
    let blocks = &kernel.control_flow.blocks;
    let mut at_start = vec![0u64; blocks.len()];
    let mut begun_at = vec![0u64; kernel.code.len()];
    if let Some(entry) = at_start.first_mut() {
        *entry = 1;
    }
    let mut open: Vec<usize> = (0..blocks.len()).rev().collect();
    while let Some(number) = open.pop() {
        let mut phases = at_start[number];
        let inside = blocks[number].start as usize..blocks[number].end as usize;
        for (at, of_instruction) in inside.clone().zip(&mut begun_at[inside]) {
            *of_instruction = phases;
            phases = bit_of(at).unwrap_or(phases);
        }
        for next in &successors[number] {
            if at_start[*next] | phases != at_start[*next] {
                at_start[*next] |= phases;
                open.push(*next);
            }
        }
    }
    begun_at
}

/// Whether threads that come to the end of a basic block may come to a barrier.
fn barriers_ahead(kernel: &Function, barriers: &[usize]) -> Vec<bool> {
    let graph = &kernel.control_flow;
    let mut ahead = vec![false; graph.blocks.len()];
    let mut open: Vec<usize> =
        barriers.iter().map(|barrier| graph.block_of(*barrier as u32)).collect();
    while let Some(number) = open.pop() {
        for before in graph.predecessors(number) {
            if !std::mem::replace(&mut ahead[before], true) {
                open.push(before);
            }
        }
    }
    ahead
}

/// Goes backward from ends that not all threads come to together, where others go on to a barrier.
fn may_end(kernel: &Function, ways: Ways<'_>, varying: &Varying, barriers: &[usize]) -> Vec<bool> {
    let graph = &kernel.control_flow;
    let mut may_end = vec![false; kernel.code.len()];
    if barriers.is_empty() {
        return may_end;
    }
    let ahead = barriers_ahead(kernel, barriers);
    let mut at_end = vec![false; graph.blocks.len()];
    let mut open: Vec<usize> = (0..graph.blocks.len()).collect();
    while let Some(number) = open.pop() {
        let block = graph.blocks[number];
        let mut ends = at_end[number];
        for at in (block.start as usize..block.end as usize).rev() {
            let Guarded { guard, op } = ways.code[at];
            let varies = || guard.is_some_and(|(predicate, _)| varying.predicate(predicate));
            ends |= match op {
                Op::Exit | Op::Return | Op::Trap => varies() || varying.is_diverged(number),
                Op::Branch { .. } => ahead[number] && varies() && ways.goes_to_end(at),
                _ => false,
            };
            if barriers.binary_search(&at).is_ok() {
                ends = false;
            }
            may_end[at] = ends;
        }
        if ends {
            for before in graph.predecessors(number) {
                if !std::mem::replace(&mut at_end[before], true) {
                    open.push(before);
                }
            }
        }
    }
    may_end
}

#[cfg(test)]
mod tests;
