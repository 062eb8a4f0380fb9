//! Where lanes that part at a branch meet again: the branch's immediate post-dominator.

use crate::Op;
use crate::control_flow::{ControlFlow, Step};

/// Fills in `meet` of every branch that can part the lanes of a warp.
pub(crate) fn run<S: Step>(code: &mut [S], graph: &ControlFlow) {
    for (index, block) in graph.blocks.iter().enumerate() {
        let last = &mut code[block.end as usize - 1];
        let parts = last.is_guarded() || matches!(last.op(), Op::BranchIndexed { .. });
        if let (true, Op::Branch { meet, .. } | Op::BranchIndexed { meet, .. }) =
            (parts, last.op_mut())
        {
            *meet = graph.meeting_point(index);
        }
    }
}
