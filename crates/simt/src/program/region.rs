//! Straight pieces of one routine of a kernel, and the ways between them.

use warpsan_ir::{Among, CodeInstruction, Guarded, Op, Varying, Ways};

/// Larger kernels are not looked through for what differs from lane to lane: the gain would not pay.
const MOST_BLOCKS: usize = 4_000;

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

    /// What differs from lane to lane. An instruction that reads nothing such is computed once for all lanes that run together. Subroutines are
    /// not looked at: their parameters may differ.
    pub(super) fn varying(&self, is_kernel: bool) -> Varying {
        if !is_kernel || self.blocks.len() > MOST_BLOCKS {
            return Varying::everything(Among::Warp);
        }
        let guarded = |one: &'a CodeInstruction| Guarded { guard: one.guard, op: &one.op };
        let code: Vec<Guarded<'_>> = self.code.iter().map(guarded).collect();
        let Region { first, successors, block_of, .. } = self;
        Varying::of(Ways { code: &code, first: *first, successors, block_of }, Among::Warp)
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
