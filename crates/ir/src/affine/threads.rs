//! Which threads make an access, as far as comparisons of a thread's index say: `if (threadIdx.x < 64)` and the like.

use super::{Atom, Form, Holds, LaunchValues, Polynomial, Registers, is_signed};
use crate::control_flow::ControlFlow;
use crate::{Compare, Instruction, Op, Predicate, Type, Uses};
use std::collections::HashMap;
use std::ops::Range;

/// An access is made by threads alone whose index compares so with a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadCondition {
    axis: u8,
    compare: Compare,
    /// The same for all threads of a launch.
    limit: Polynomial,
    signed: bool,
}

impl ThreadCondition {
    /// The indices of a launch, below an extent, for which it may hold.
    pub(super) fn indices(&self, launch: &LaunchValues<'_>, extent: i128) -> Range<i128> {
        let all = 0..extent;
        let Some(limit) = launch.uniform(&self.limit) else { return all };
        // As an unsigned number it is a large one.
        if limit < 0 && !self.signed {
            return all;
        }
        let range = match self.compare {
            Compare::Eq => limit..limit + 1,
            Compare::Lt => 0..limit,
            Compare::Le => 0..limit + 1,
            Compare::Gt => limit + 1..extent,
            Compare::Ge => limit..extent,
            _ => return all,
        };
        range.start.max(0)..range.end.min(extent)
    }

    fn negated(&self) -> Option<ThreadCondition> {
        let compare = match self.compare {
            Compare::Eq => Compare::Ne,
            Compare::Ne => Compare::Eq,
            Compare::Lt => Compare::Ge,
            Compare::Le => Compare::Gt,
            Compare::Gt => Compare::Le,
            Compare::Ge => Compare::Lt,
            _ => return None,
        };
        Some(ThreadCondition { compare, ..self.clone() })
    }
}

/// What holds wherever an instruction is.
pub(super) struct Conditions {
    graph: ControlFlow,
    /// Of predicates that one instruction writes: what it says if they are true.
    known: HashMap<Predicate, ThreadCondition>,
    /// Blocks that are reached by one branch alone, and what it says.
    behind: Vec<(usize, ThreadCondition)>,
}

impl Conditions {
    pub(super) fn of(code: &[Instruction], registers: &Registers) -> Conditions {
        let mut writes: HashMap<Predicate, u32> = HashMap::new();
        for instruction in code {
            for predicate in Uses::of(&instruction.op).writes_predicates {
                *writes.entry(predicate).or_default() += 1;
            }
        }
        let mut known = HashMap::new();
        for instruction in code {
            let Op::SetPredicate { to: Some(to), combine: None, .. } = &instruction.op else {
                continue;
            };
            if writes[to] == 1 && instruction.guard.is_none() {
                known.extend(registers.condition(&instruction.op).map(|one| (*to, one)));
            }
        }
        let mut conditions = Conditions { graph: ControlFlow::of(code), known, behind: Vec::new() };
        for block in 0..conditions.graph.blocks.len() {
            conditions.follow(code, block);
        }
        conditions
    }

    /// What the branch at the end of a block says to where it goes.
    fn follow(&mut self, code: &[Instruction], block: usize) {
        let end = self.graph.blocks[block].end;
        let Some(last) = code.get(end as usize - 1) else { return };
        let Op::Branch { target, .. } = &last.op else { return };
        if *target == end {
            return;
        }
        for (start, is_taken) in [(*target, true), (end, false)] {
            let next = self.graph.block_of(start);
            let is_only = self.graph.blocks.get(next).is_some_and(|one| one.start == start)
                && self.graph.predecessors(next).eq([block]);
            let condition = last
                .guard
                .and_then(|(predicate, negated)| self.where_guard(predicate, negated != is_taken));
            if is_only && let Some(condition) = condition {
                self.behind.push((next, condition));
            }
        }
    }

    fn where_guard(&self, predicate: Predicate, is_true: bool) -> Option<ThreadCondition> {
        let condition = self.known.get(&predicate)?;
        if is_true { Some(condition.clone()) } else { condition.negated() }
    }

    /// What holds of threads that execute an instruction.
    pub(super) fn at(&self, place: u32, instruction: &Instruction) -> Vec<ThreadCondition> {
        let block = self.graph.block_of(place);
        let dominating = self.behind.iter().filter(|(next, _)| self.graph.dominates(*next, block));
        let mut all: Vec<_> = dominating.map(|(_, condition)| condition.clone()).collect();
        let guard = instruction.guard;
        all.extend(guard.and_then(|(predicate, negated)| self.where_guard(predicate, !negated)));
        all
    }
}

impl Registers {
    /// What a comparison says of the thread's index, if it compares that with a number that all threads agree on.
    fn condition(&self, op: &Op) -> Option<ThreadCondition> {
        let Op::SetPredicate { compare, ty, a, b, .. } = op else { return None };
        if !matches!(ty, Type::U32 | Type::S32 | Type::B32) {
            return None;
        }
        let form = |value| match self.of(value)? {
            Holds::Known(None, Form { offset, widened }) if widened.is_empty() => Some(offset),
            _ => None,
        };
        let index = |polynomial: &Polynomial| {
            (0..3).find(|axis| *polynomial == Polynomial::of(Atom::Thread(*axis)))
        };
        let (a, b) = (form(*a)?, form(*b)?);
        let mirrored = match compare {
            Compare::Lt => Compare::Gt,
            Compare::Le => Compare::Ge,
            Compare::Gt => Compare::Lt,
            Compare::Ge => Compare::Le,
            same => *same,
        };
        let (axis, compare, limit) = match (index(&a), index(&b)) {
            (Some(axis), None) => (axis, *compare, b),
            (None, Some(axis)) => (axis, mirrored, a),
            _ => return None,
        };
        let is_uniform = |atom: &Atom| !matches!(atom, Atom::Thread(_) | Atom::Block(_));
        let is_uniform = limit.terms().all(|(atoms, _)| atoms.iter().all(is_uniform));
        let condition = ThreadCondition { axis, compare, limit, signed: is_signed(*ty) };
        (is_uniform && !condition.limit.is_unknown()).then_some(condition)
    }
}

impl LaunchValues<'_> {
    /// The indices of threads (0 to 2) of which some access is made where these conditions hold, and all of blocks (3 to 5).
    pub(super) fn indices(&self, conditions: &[ThreadCondition]) -> [Range<i128>; 6] {
        let mut ranges = self.extents().map(|extent| 0..i128::from(extent));
        for condition in conditions {
            let range = &mut ranges[usize::from(condition.axis)];
            let held = condition.indices(self, range.end);
            *range = range.start.max(held.start)..range.end.min(held.end);
        }
        ranges
    }
}
