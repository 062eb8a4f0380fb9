//! Where lanes that part at a branch meet again: the branch's immediate post-dominator.
//!
//! Lanes that leave early are not waited for: `if (a) { if (b) return; x(); } y();` meets at `y`,
//! although not every way leads there. So the ways to the last end of the code decide, and all ways
//! only where none leads there.

use crate::Op;
use crate::control_flow::ControlFlow;
use crate::dominators::post_dominators_on_the_way_to;
use crate::step::Step;

/// Fills in `meet` of every branch that can part the lanes of a warp.
pub(crate) fn run<S: Step>(code: &mut [S], graph: &ControlFlow) {
    let leaves = |block: usize| graph.successors(block).next().is_none();
    let ends = (0..graph.blocks.len()).filter(|block| leaves(*block)).collect::<Vec<_>>();
    let to_last_end = match ends[..] {
        [.., _, last] => post_dominators_on_the_way_to(graph, last),
        // With one end all ways lead there.
        _ => Vec::new(),
    };
    for (index, block) in graph.blocks.iter().enumerate() {
        let last = &mut code[block.end as usize - 1];
        let parts = last.is_guarded() || matches!(last.op(), Op::BranchIndexed { .. });
        if let (true, Op::Branch { meet, .. } | Op::BranchIndexed { meet, .. }) =
            (parts, last.op_mut())
        {
            let early = to_last_end.get(index).copied().flatten();
            let early = early.map(|block| graph.blocks[block as usize].start);
            *meet = early.or_else(|| graph.meeting_point(index));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control_flow::tests::{guarded, jump, plain};

    #[test]
    fn lanes_that_leave_early_are_not_waited_for() {
        let mut code = [
            guarded(jump(4)),
            guarded(jump(3)),
            plain(Op::Exit),
            plain(Op::Nothing),
            plain(Op::Exit),
        ];
        let graph = ControlFlow::of(&code);
        run(&mut code, &graph);
        let meet = |at: usize| match code[at].op {
            Op::Branch { meet, .. } => meet,
            _ => None,
        };
        assert_eq!((meet(0), meet(1)), (Some(4), Some(3)));
    }

    #[test]
    fn ways_that_do_not_lead_to_the_last_end_meet_before_their_own() {
        let mut code = [
            guarded(jump(4)),
            guarded(jump(3)),
            plain(Op::Nothing),
            plain(Op::Exit),
            plain(Op::Exit),
        ];
        let graph = ControlFlow::of(&code);
        run(&mut code, &graph);
        assert!(matches!(code[1].op, Op::Branch { meet: Some(3), .. }));
    }
}
