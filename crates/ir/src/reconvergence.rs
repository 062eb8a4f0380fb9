//! Reconvergence points: where lanes that diverge at a branch reconverge, the branch's immediate post-dominator.
//!
//! Lanes that leave early are not waited for: `if (a) { if (b) return; x(); } y();` reconverges at `y`,
//! although not every way leads there. So the ways to the last end of the code decide, and all ways
//! only where none leads there.

use crate::Op;
use crate::control_flow::ControlFlow;
use crate::dominators::post_dominators_on_the_way_to;
use crate::step::Step;

/// Fills in `reconverge` of every branch at which the lanes of a warp can diverge.
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
        let diverges = last.is_guarded() || matches!(last.op(), Op::BranchIndexed { .. });
        if let (true, Op::Branch { reconverge, .. } | Op::BranchIndexed { reconverge, .. }) =
            (diverges, last.op_mut())
        {
            let early = to_last_end.get(index).copied().flatten();
            let early = early.map(|block| graph.blocks[block as usize].start);
            *reconverge = early.or_else(|| graph.reconvergence_point(index));
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
        let reconverge = |at: usize| match code[at].op {
            Op::Branch { reconverge, .. } => reconverge,
            _ => None,
        };
        assert_eq!((reconverge(0), reconverge(1)), (Some(4), Some(3)));
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
        assert!(matches!(code[1].op, Op::Branch { reconverge: Some(3), .. }));
    }
}
