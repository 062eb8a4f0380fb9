//! What can happen between two barriers, by the control flow alone.

use super::operations::shared_access;
use warpsan_ir::{Function, MemorySpace, Op};

/// What threads may do before they meet, or leave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Reached {
    writes: bool,
    ends: bool,
}

/// Whether a thread may leave a kernel at a time when others of its block write to shared memory. If not, what it did since the last barrier need not be reported when it leaves.
pub(super) fn writes_at_the_end(function: &Function) -> bool {
    let at_first = reached(function, &[0]);
    let barriers: Vec<usize> = (0..function.code.len())
        .filter(|at| matches!(function.code[*at].op, Op::BlockBarrier { .. }))
        .map(|at| at + 1)
        .collect();
    let later = reached(function, &barriers);
    [at_first, later].iter().any(|one| one.ends && one.writes)
}

/// What is reached from these instructions without a barrier.
fn reached(function: &Function, starts: &[usize]) -> Reached {
    let flow = &function.control_flow;
    let mut found = Reached::default();
    let mut seen = vec![false; flow.blocks.len()];
    let mut open: Vec<usize> =
        starts.iter().copied().filter(|at| *at < function.code.len()).collect();
    while let Some(start) = open.pop() {
        let block = flow.block_of(start as u32);
        let mut meets = false;
        for instruction in &function.code[start..flow.blocks[block].end as usize] {
            match &instruction.op {
                Op::BlockBarrier { .. } if instruction.guard.is_none() => {
                    meets = true;
                    break;
                }
                Op::Return | Op::Exit | Op::Trap => found.ends = true,
                op => {
                    found.writes |= matches!(
                        shared_access(op),
                        Some((MemorySpace::Shared | MemorySpace::Generic, true, _))
                    );
                }
            }
        }
        if meets {
            continue;
        }
        for next in flow.successors(block) {
            if !std::mem::replace(&mut seen[next], true) {
                open.push(flow.blocks[next].start as usize);
            }
        }
    }
    found
}

/// Which blocks of the control flow may run more than once.
pub(crate) fn in_cycles(function: &Function) -> Vec<bool> {
    let flow = &function.control_flow;
    let comes_back = |block: usize| {
        let mut seen = vec![false; flow.blocks.len()];
        let mut open: Vec<usize> = flow.successors(block).collect();
        while let Some(next) = open.pop() {
            if next == block {
                return true;
            }
            if !std::mem::replace(&mut seen[next], true) {
                open.extend(flow.successors(next));
            }
        }
        false
    };
    (0..flow.blocks.len()).map(comes_back).collect()
}
