//! Which registers hold the same value in all threads that are together: the lanes of a warp, or the threads of a block.
//!
//! A register is uniform if everything that writes it computes from uniform values, and does so where all threads come by: not between a
//! branch where they diverge and the point where they reconverge. Then a value depends on nothing that differs from thread to thread, and
//! an instruction that reads such registers alone computes the same in all that run together.
//!
//! Threads that do not run together may be at different times: one in a later iteration of a loop than the other.
//!
//! What the threads of a block load weakly from one address is taken for one value: who changes it meanwhile races with some of the loads. So what is
//! said of blocks holds for runs without races, and for others as long as nobody has raced. Nothing of the kind is said of warps.

use crate::{Function, Instruction, MemorySpace, Op, Predicate, Register, Special, Uses, words_of};
use std::collections::HashSet;
use warpsan_model::Strength;

/// Who is together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// The lanes of a warp.
    Warp,
    /// The threads of a block.
    Block,
}

/// An operation, and what it runs under.
#[derive(Debug, Clone, Copy)]
pub struct Guarded<'c> {
    /// It runs only where this predicate is true, or false if negated.
    pub guard: Option<(Predicate, bool)>,
    /// What it does.
    pub op: &'c Op,
}

/// Code with the ways through it.
#[derive(Debug, Clone, Copy)]
pub struct Ways<'c> {
    /// The instructions.
    pub code: &'c [Guarded<'c>],
    /// The number of the first one, from which branches count.
    pub first: u32,
    /// Where each basic block can go.
    pub successors: &'c [Vec<usize>],
    /// The basic block of each instruction.
    pub block_of: &'c [u32],
}

impl Ways<'_> {
    /// Whether a branch goes to where threads do nothing but end, or falls through to it.
    pub(crate) fn goes_to_end(&self, at: usize) -> bool {
        let is_end = |block: &usize| {
            let places = self.block_of.iter().zip(self.code);
            let mut inside = places.filter(|(of, _)| **of as usize == *block);
            inside.all(|(_, one)| one.guard.is_none() && matches!(one.op, Op::Exit | Op::Return))
        };
        self.successors[self.block_of[at] as usize].iter().any(is_end)
    }
}

/// The ways through a function.
#[derive(Debug)]
pub struct FunctionWays<'c> {
    code: Vec<Guarded<'c>>,
    successors: Vec<Vec<usize>>,
    block_of: Vec<u32>,
}

impl<'c> FunctionWays<'c> {
    /// Looks them up.
    pub fn of(function: &'c Function) -> FunctionWays<'c> {
        let guarded = |one: &'c Instruction| Guarded { guard: one.guard, op: &one.op };
        let graph = &function.control_flow;
        let mut block_of = vec![0; function.code.len()];
        for (number, block) in graph.blocks.iter().enumerate() {
            block_of[block.start as usize..block.end as usize].fill(number as u32);
        }
        let successors = (0..graph.blocks.len()).map(|block| graph.successors(block).collect());
        let code = function.code.iter().map(guarded).collect();
        FunctionWays { code, successors: successors.collect(), block_of }
    }

    /// The same, to be looked at.
    pub fn ways(&self) -> Ways<'_> {
        let FunctionWays { code, successors, block_of } = self;
        Ways { code, first: 0, successors, block_of }
    }
}

/// What differs from thread to thread.
#[derive(Debug, Clone)]
pub struct Varying {
    among: Among,
    registers: HashSet<(u32, u8)>,
    predicates: HashSet<u32>,
    /// Basic blocks that threads may be in while others are not.
    diverged: Vec<bool>,
    everything: bool,
}

impl Varying {
    /// Nothing is known: everything may differ.
    pub fn everything(among: Among) -> Varying {
        let (registers, predicates) = (HashSet::new(), HashSet::new());
        Varying { among, registers, predicates, diverged: Vec::new(), everything: true }
    }

    /// Finds what differs.
    pub fn of(ways: Ways<'_>, among: Among) -> Varying {
        let diverged = vec![false; ways.successors.len()];
        let mut varying = Varying { diverged, everything: false, ..Varying::everything(among) };
        let mut seen_branches = vec![false; ways.code.len()];
        loop {
            let mut changed = false;
            for (at, Guarded { guard, op }) in ways.code.iter().enumerate() {
                let guard_varies = guard.is_some_and(|(predicate, _)| varying.predicate(predicate));
                let is_diverged = varying.diverged[ways.block_of[at] as usize];
                if guard_varies || is_diverged || !varying.is_uniform(op) {
                    changed |= varying.add_writes_of(op);
                }
                let reconverge = match op {
                    Op::Branch { reconverge, .. } if guard_varies => *reconverge,
                    Op::BranchIndexed { reconverge, .. }
                        if guard_varies || !varying.is_uniform(op) =>
                    {
                        *reconverge
                    }
                    // Threads that leave early never reconverge with the others, but do nothing any more.
                    _ => continue,
                };
                if !std::mem::replace(&mut seen_branches[at], true) {
                    // A block does not wait for threads that leave; lanes of a warp may.
                    let some_leave = among == Among::Block && ways.goes_to_end(at);
                    changed |= !some_leave && varying.diverge(ways, at, reconverge);
                }
            }
            if !changed {
                return varying;
            }
        }
    }

    /// Whether threads may not all come to an instruction together.
    pub fn is_of_some(&self, ways: Ways<'_>, at: usize) -> bool {
        let varies = |(predicate, _)| self.predicate(predicate);
        ways.code[at].guard.is_some_and(varies) || self.is_diverged(ways.block_of[at] as usize)
    }

    /// Whether a register differs.
    pub fn register(&self, register: Register) -> bool {
        self.everything || self.registers.contains(&key(register))
    }

    /// Whether a predicate differs.
    pub fn predicate(&self, predicate: Predicate) -> bool {
        self.everything || self.predicates.contains(&predicate.0)
    }

    /// Whether threads may be in a basic block while others are not.
    pub fn is_diverged(&self, block: usize) -> bool {
        self.everything || self.diverged[block]
    }

    /// Whether an operation computes the same in all threads.
    pub fn is_uniform(&self, op: &Op) -> bool {
        if self.everything || self.differs_by_itself(op) {
            return false;
        }
        if self.among == Among::Block && matches!(op, Op::BlockBarrier { threads: None, .. }) {
            // What all of them have brought is combined for all of them.
            return true;
        }
        let uses = Uses::of(op);
        !uses.reads.iter().any(|one| self.register(*one))
            && !uses.reads_predicates.iter().any(|one| self.predicate(*one))
    }

    fn add_writes_of(&mut self, op: &Op) -> bool {
        let uses = Uses::of(op);
        let mut changed = false;
        for register in uses.writes {
            changed |= self.registers.insert(key(register));
        }
        for predicate in uses.writes_predicates {
            changed |= self.predicates.insert(predicate.0);
        }
        changed
    }

    /// Marks the blocks between a branch and its reconvergence point.
    fn diverge(&mut self, ways: Ways<'_>, at: usize, reconverge: Option<u32>) -> bool {
        let end = reconverge.map(|to| ways.block_of[(to - ways.first) as usize] as usize);
        let mut open: Vec<usize> = ways.successors[ways.block_of[at] as usize].clone();
        let mut seen = vec![false; ways.successors.len()];
        let mut changed = false;
        while let Some(block) = open.pop() {
            if Some(block) == end || std::mem::replace(&mut seen[block], true) {
                continue;
            }
            changed |= !std::mem::replace(&mut self.diverged[block], true);
            open.extend(&ways.successors[block]);
        }
        changed
    }

    /// Operations whose result differs from thread to thread, or from time to time, whatever they read.
    fn differs_by_itself(&self, op: &Op) -> bool {
        match op {
            Op::Branch { .. } | Op::BranchIndexed { .. } => false,
            // They are computed lane by lane, whatever they are computed from.
            Op::Extended { .. }
            | Op::Video(_)
            | Op::MapAddress { .. }
            | Op::RankOfAddress { .. }
            | Op::FrameAddress { .. }
            | Op::IsInSpace { .. } => true,
            Op::Load { space: MemorySpace::Param, .. } => false,
            // A generic address may be one of local memory, which each thread has its own of.
            Op::Load {
                space: MemorySpace::Global | MemorySpace::Shared | MemorySpace::Const,
                strength: Strength::Weak,
                ..
            } => self.among != Among::Block,
            Op::BlockBarrier { threads: None, .. } => self.among != Among::Block,
            Op::Load { .. } => true,
            Op::ReadSpecial { special, .. } => !match special {
                Special::Ntid(_)
                | Special::Ctaid(_)
                | Special::Nctaid(_)
                | Special::WarpSize
                | Special::Nwarpid
                | Special::DynamicSharedSize
                | Special::TotalSharedSize => true,
                Special::Warpid => self.among == Among::Warp,
                _ => false,
            },
            other => !other.is_pure(),
        }
    }
}

/// The register by its number and the words that it takes: a number may be used again for another width.
fn key(register: Register) -> (u32, u8) {
    (register.number, words_of(register.bits))
}
