//! Straight pieces of one routine of a kernel, and the ways between them.

use warpsan_ir::{CodeInstruction, Op};

/// The code of the kernel itself or of one subroutine.
pub(super) struct Region<'a> {
    pub(super) code: &'a [CodeInstruction],
    /// The number of its first instruction in the kernel.
    pub(super) first: u32,
    /// Its blocks, as ranges of its own instructions.
    pub(super) blocks: Vec<(usize, usize)>,
    pub(super) successors: Vec<Vec<usize>>,
    /// The block of each instruction.
    pub(super) block_of: Vec<u32>,
}

impl<'a> Region<'a> {
    pub(super) fn new(code: &'a [CodeInstruction], first: u32) -> Region<'a> {
        let inside = |target: u32| {
            let own = target.wrapping_sub(first) as usize;
            (own < code.len()).then_some(own)
        };
        let mut starts = vec![false; code.len() + 1];
        if let Some(start) = starts.first_mut() {
            *start = true;
        }
        for (at, instruction) in code.iter().enumerate() {
            let targets = targets(&instruction.op);
            for target in targets {
                if let Some(own) = inside(*target) {
                    starts[own] = true;
                }
            }
            if ends_block(&instruction.op) {
                starts[at + 1] = true;
            }
        }
        let mut blocks = Vec::new();
        let mut block_of = vec![0; code.len()];
        let mut start = 0;
        for end in 1..=code.len() {
            if end == code.len() || starts[end] {
                block_of[start..end].fill(blocks.len() as u32);
                blocks.push((start, end));
                start = end;
            }
        }
        let successors = blocks
            .iter()
            .map(|&(_, end)| {
                let last = &code[end - 1];
                let mut next: Vec<usize> = targets(&last.op)
                    .iter()
                    .filter_map(|target| inside(*target))
                    .map(|own| block_of[own] as usize)
                    .collect();
                if (goes_on(&last.op) || last.guard.is_some()) && end < code.len() {
                    next.push(block_of[end] as usize);
                }
                next.sort_unstable();
                next.dedup();
                next
            })
            .collect();
        Region { code, first, blocks, successors, block_of }
    }
}

fn targets(op: &Op) -> &[u32] {
    match op {
        Op::Branch { target, .. } => std::slice::from_ref(target),
        Op::BranchIndexed { targets, .. } => targets,
        _ => &[],
    }
}

fn ends_block(op: &Op) -> bool {
    matches!(op, Op::Branch { .. } | Op::BranchIndexed { .. } | Op::Exit | Op::Return | Op::Trap)
}

fn goes_on(op: &Op) -> bool {
    !ends_block(op)
}
