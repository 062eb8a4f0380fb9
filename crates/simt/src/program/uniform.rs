//! Which registers hold the same value in all lanes that are together.
//!
//! A register is uniform if everything that writes it computes from uniform values, and does so where
//! all lanes come by: not between a branch where lanes diverge and the point where they reconverge. Then
//! a value depends on nothing that differs from lane to lane, and an instruction that reads such
//! registers alone can be computed once for all lanes that run together.
//!
//! Lanes that do not run together may be at different times: one in a later iteration of a loop than
//! the other. So groups are joined only where they agree on these registers.

use super::region::Region;
use super::rows_of;
use std::collections::HashSet;
use warpsan_ir::{MemorySpace, Op, Predicate, Register, Special, Uses};

/// Larger kernels are not analysed: the gain would not pay.
const MOST_BLOCKS: usize = 4_000;

/// What differs from lane to lane in a region.
pub(super) struct Varying {
    registers: HashSet<(u32, u8)>,
    predicates: HashSet<u32>,
    everything: bool,
}

impl Varying {
    pub(super) fn register(&self, register: Register) -> bool {
        self.everything || self.registers.contains(&(register.number, rows_of(register.bits)))
    }

    /// Whether a predicate differs.
    pub(super) fn predicate(&self, predicate: Predicate) -> bool {
        self.everything || self.predicates.contains(&predicate.0)
    }

    /// Whether an operation computes the same in all lanes.
    pub(super) fn is_uniform(&self, op: &Op) -> bool {
        if self.everything || differs_by_itself(op) {
            return false;
        }
        let uses = Uses::of(op);
        !uses.reads.iter().any(|one| self.register(*one))
            && !uses.reads_predicates.iter().any(|one| self.predicate(*one))
    }
}

/// Finds what differs in a region. Subroutines are not looked at: their parameters may differ.
pub(super) fn analyse(region: &Region<'_>, is_kernel: bool) -> Varying {
    let mut varying = Varying {
        registers: HashSet::new(),
        predicates: HashSet::new(),
        everything: !is_kernel || region.blocks.len() > MOST_BLOCKS,
    };
    if varying.everything {
        return varying;
    }
    // Blocks that lanes may be in while others are not.
    let mut diverged = vec![false; region.blocks.len()];
    let mut seen_branches = vec![false; region.code.len()];
    loop {
        let mut changed = false;
        for (at, instruction) in region.code.iter().enumerate() {
            let guard_varies =
                instruction.guard.is_some_and(|(predicate, _)| varying.predicate(predicate));
            let is_diverged = diverged[region.block_of[at] as usize];
            if guard_varies || is_diverged || !varying.is_uniform(&instruction.op) {
                let uses = Uses::of(&instruction.op);
                for register in uses.writes {
                    changed |= varying.registers.insert((register.number, rows_of(register.bits)));
                }
                for predicate in uses.writes_predicates {
                    changed |= varying.predicates.insert(predicate.0);
                }
            }
            let reconverge = match &instruction.op {
                Op::Branch { reconverge, .. } if guard_varies => *reconverge,
                Op::BranchIndexed { reconverge, .. }
                    if guard_varies || !varying.is_uniform(&instruction.op) =>
                {
                    *reconverge
                }
                // Lanes that leave early never reconverge with the others, but do nothing any more.
                _ => continue,
            };
            if !std::mem::replace(&mut seen_branches[at], true) {
                changed |= diverge(region, at, reconverge, &mut diverged);
            }
        }
        if !changed {
            return varying;
        }
    }
}

/// Marks the blocks between a branch and its reconvergence point.
fn diverge(region: &Region<'_>, at: usize, reconverge: Option<u32>, diverged: &mut [bool]) -> bool {
    let end =
        reconverge.map(|reconverge| region.block_of[(reconverge - region.first) as usize] as usize);
    let mut open: Vec<usize> = region.successors[region.block_of[at] as usize].clone();
    let mut seen = vec![false; region.blocks.len()];
    let mut changed = false;
    while let Some(block) = open.pop() {
        if Some(block) == end || std::mem::replace(&mut seen[block], true) {
            continue;
        }
        changed |= !std::mem::replace(&mut diverged[block], true);
        open.extend(&region.successors[block]);
    }
    changed
}

/// Operations whose result differs from lane to lane, or from time to time, whatever they read.
fn differs_by_itself(op: &Op) -> bool {
    match op {
        Op::Move { .. }
        | Op::MovePredicate { .. }
        | Op::ConstantPredicate { .. }
        | Op::Pack { .. }
        | Op::Unpack { .. }
        | Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Ternary { .. }
        | Op::BitFieldInsert { .. }
        | Op::SelectBySign { .. }
        | Op::Select { .. }
        | Op::SetPredicate { .. }
        | Op::SetPredicatePair { .. }
        | Op::SetValue { .. }
        | Op::TestFloat { .. }
        | Op::PredicateLogic { .. }
        | Op::Convert { .. }
        | Op::ConvertPair { .. }
        | Op::ConvertPack { .. }
        | Op::ConvertAddress { .. }
        | Op::Branch { .. }
        | Op::BranchIndexed { .. } => false,
        Op::Load { space, .. } => *space != MemorySpace::Param,
        Op::ReadSpecial { special, .. } => !matches!(
            special,
            Special::Ntid(_)
                | Special::Ctaid(_)
                | Special::Nctaid(_)
                | Special::WarpSize
                | Special::Warpid
                | Special::Nwarpid
                | Special::DynamicSharedSize
                | Special::TotalSharedSize
        ),
        _ => true,
    }
}
