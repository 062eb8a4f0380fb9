//! The flow of values through a function: who reads and writes a name, and what reaches what.

use crate::control_flow::ControlFlow;
use crate::operands::Accesses;
use crate::{Instruction, Loops, Name, Op, loops};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// A function's code with the accesses of every instruction.
pub(crate) struct Flow<'f> {
    pub(crate) code: &'f [Instruction],
    pub(super) graph: ControlFlow,
    pub(super) loops: Loops,
    /// The names that each instruction reads and then those that it writes, all in one list, with
    /// where the reads and where the writes of each end.
    names: Vec<Name>,
    ends: Vec<(u32, u32)>,
    /// The one definition that reaches the start of a block, by name and block, as far as asked for.
    at_start: RefCell<HashMap<(Name, usize), Option<usize>>>,
    /// Instructions that may still be looked at.
    budget: Cell<usize>,
}

/// Looking at more instructions than this in one function is given up: what is not known then is taken
/// for the worst.
const MOST_STEPS: usize = 20_000_000;

impl<'f> Flow<'f> {
    pub(crate) fn of(code: &'f [Instruction]) -> Flow<'f> {
        let (mut names, mut ends) = (Vec::new(), Vec::with_capacity(code.len()));
        for instruction in code {
            let accesses = Accesses::of(&instruction.op);
            names.extend(accesses.reads);
            names.extend(instruction.guard.map(|(predicate, _)| Name::Predicate(predicate.0)));
            let reads_end = names.len() as u32;
            names.extend(accesses.writes);
            ends.push((reads_end, names.len() as u32));
        }
        let graph = ControlFlow::of(code);
        let loops = loops::run(&graph);
        Flow {
            code,
            graph,
            loops,
            names,
            ends,
            at_start: RefCell::default(),
            budget: Cell::new(MOST_STEPS),
        }
    }

    /// Counts instructions that were looked at.
    pub(super) fn spend(&self, steps: usize) {
        self.budget.set(self.budget.get().saturating_sub(steps));
    }

    /// Whether too much was looked at already.
    pub(super) fn is_exhausted(&self) -> bool {
        self.budget.get() == 0
    }

    /// The names that an instruction reads, its guard included.
    pub(super) fn reads(&self, at: usize) -> &[Name] {
        let start = if at == 0 { 0 } else { self.ends[at - 1].1 };
        &self.names[start as usize..self.ends[at].0 as usize]
    }

    /// The names that an instruction writes.
    pub(crate) fn writes(&self, at: usize) -> &[Name] {
        &self.names[self.ends[at].0 as usize..self.ends[at].1 as usize]
    }

    pub(super) fn block_of(&self, at: usize) -> usize {
        self.graph.block_of(at as u32)
    }

    pub(super) fn start(&self, block: usize) -> usize {
        self.graph.blocks[block].start as usize
    }

    pub(super) fn end(&self, block: usize) -> usize {
        self.graph.blocks[block].end as usize
    }

    /// The one instruction whose value of `name` is there just before `at`; none if there may be
    /// several, or none at all.
    pub(super) fn definition(&self, name: Name, at: usize) -> Option<usize> {
        let block = self.block_of(at);
        if let Some(found) = self.last_write(name, self.start(block), at) {
            return found;
        }
        if let Some(known) = self.at_start.borrow().get(&(name, block)) {
            return *known;
        }
        if self.is_exhausted() {
            return None;
        }
        let found = self.definition_at_start(name, block);
        self.at_start.borrow_mut().insert((name, block), found);
        found
    }

    fn definition_at_start(&self, name: Name, block: usize) -> Option<usize> {
        if block == 0 {
            return None;
        }
        let mut only = None;
        let mut seen = vec![false; self.graph.blocks.len()];
        let mut open: Vec<usize> = self.graph.predecessors(block).collect();
        // Nothing leads here: the name has no value.
        if open.is_empty() {
            return None;
        }
        while let Some(block) = open.pop() {
            if std::mem::replace(&mut seen[block], true) {
                continue;
            }
            let written = self.last_write(name, self.start(block), self.end(block));
            // What is known of its start need not be looked for again.
            let known = || self.at_start.borrow().get(&(name, block)).copied().flatten();
            match written.or_else(|| known().map(Some)) {
                Some(None) => return None,
                Some(Some(found)) if only.is_none_or(|known| known == found) => only = Some(found),
                Some(Some(_)) => return None,
                // The entry of the function brings no value.
                None if block == 0 => return None,
                None => open.extend(self.graph.predecessors(block)),
            }
        }
        only
    }

    /// The last write between two places of one block: none if there is none, and no instruction if
    /// the last one is guarded, so that it may or may not have written.
    fn last_write(&self, name: Name, from: usize, to: usize) -> Option<Option<usize>> {
        self.spend(to - from);
        let found = (from..to).rev().find(|at| self.writes(*at).contains(&name))?;
        Some(Some(found).filter(|found| self.code[*found].guard.is_none()))
    }

    /// Whether `other` can run after `from` and before the next run of `from`, and then be followed
    /// by `to` before that.
    pub(super) fn runs_between(&self, other: usize, from: usize, to: usize) -> bool {
        self.leads_to(from, other, from) && (other == to || self.leads_to(other, to, from))
    }

    /// Whether a way from behind `start` to `goal` avoids `wall`.
    fn leads_to(&self, start: usize, goal: usize, wall: usize) -> bool {
        let mut seen = vec![false; self.graph.blocks.len()];
        let mut open = vec![start + 1];
        while let Some(mut at) = open.pop() {
            if at >= self.code.len() {
                continue;
            }
            let block = self.block_of(at);
            if at == self.start(block) && std::mem::replace(&mut seen[block], true) {
                continue;
            }
            let end = self.end(block);
            self.spend(end - at);
            let blocked = loop {
                if at == goal {
                    return true;
                }
                if at == wall {
                    break true;
                }
                at += 1;
                if at >= end {
                    break false;
                }
            };
            // `start` may be the last instruction of its block.
            if !blocked {
                open.extend(self.graph.successors(block).map(|block| self.start(block)));
            }
        }
        false
    }

    /// The instructions that read this value of `name`, made by `at`; none if there are too many.
    pub(crate) fn readers(&self, name: Name, at: usize) -> Option<Vec<usize>> {
        const MOST_READERS: usize = 64;
        let mut readers = Vec::new();
        let mut seen = vec![false; self.graph.blocks.len()];
        let mut open = vec![at + 1];
        while let Some(from) = open.pop() {
            if from >= self.code.len() {
                continue;
            }
            let block = self.block_of(from);
            if from == self.start(block) && std::mem::replace(&mut seen[block], true) {
                continue;
            }
            let mut killed = false;
            self.spend(self.end(block) - from);
            if self.is_exhausted() {
                return None;
            }
            for at in from..self.end(block) {
                if self.reads(at).contains(&name) {
                    readers.push(at);
                }
                if self.writes(at).contains(&name) && self.code[at].guard.is_none() {
                    killed = true;
                    break;
                }
            }
            if readers.len() > MOST_READERS {
                return None;
            }
            if !killed {
                open.extend(self.graph.successors(block).map(|block| self.start(block)));
            }
        }
        Some(readers)
    }

    /// The targets of the branch that ends a block: where it goes if the guard holds, and if not.
    pub(super) fn ways(&self, block: usize) -> Option<(usize, usize)> {
        let last = self.end(block) - 1;
        match (&self.code[last].op, self.code[last].guard) {
            (Op::Branch { target, .. }, Some(_)) if last + 1 < self.code.len() => {
                Some((self.graph.block_of(*target), self.block_of(last + 1)))
            }
            _ => None,
        }
    }
}
