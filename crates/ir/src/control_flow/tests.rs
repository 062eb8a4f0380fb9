use super::ControlFlow;
use crate::{Anchor, Instruction, LineId, Op, Predicate};
use warpsan_ptx::Span;

pub(crate) fn plain(op: Op) -> Instruction {
    Instruction {
        guard: None,
        counts_if: None,
        op,
        anchor: Anchor::Nothing,
        span: Span::new(0, 0),
        line: LineId(0),
    }
}

pub(crate) fn guarded(op: Op) -> Instruction {
    Instruction { guard: Some((Predicate(1), false)), ..plain(op) }
}

pub(crate) fn jump(target: u32) -> Op {
    Op::Branch { target, reconverge: None }
}

/// Where the branches of the code reconverge.
fn meets(code: &[Instruction]) -> Vec<Option<u32>> {
    let graph = ControlFlow::of(code);
    let branches = (0..code.len()).filter(|at| {
        matches!(code[*at].op, Op::Branch { .. } | Op::BranchIndexed { .. })
            && graph.successors(graph.block_of(*at as u32)).count() > 1
    });
    branches.map(|at| graph.reconvergence_point(graph.block_of(at as u32))).collect()
}

#[test]
fn both_sides_of_an_if_meet_behind_it() {
    let code =
        [guarded(jump(3)), plain(Op::Nothing), plain(jump(4)), plain(Op::Nothing), plain(Op::Exit)];
    assert_eq!(meets(&code), [Some(4)]);
    let graph = ControlFlow::of(&code);
    assert_eq!(graph.dominators[graph.block_of(4)], Some(0));
    assert!(graph.dominates(0, graph.block_of(3)));
    assert!(!graph.dominates(graph.block_of(1), graph.block_of(4)));
}

#[test]
fn a_loop_meets_at_its_exit() {
    assert_eq!(meets(&[plain(Op::Nothing), guarded(jump(0)), plain(Op::Exit)]), [Some(2)]);
}

#[test]
fn paths_that_end_apart_never_meet() {
    assert_eq!(meets(&[guarded(jump(2)), plain(Op::Exit), plain(Op::Exit)]), [None]);
}

#[test]
fn a_loop_without_end_is_survived() {
    let code = [guarded(jump(2)), plain(Op::Exit), plain(jump(2))];
    assert_eq!(meets(&code), [Some(1)], "the side that never ends does not count");
}

#[test]
fn an_indexed_branch_meets_where_all_its_targets_do() {
    let branch = Op::BranchIndexed {
        index: crate::Value::Constant(0),
        targets: vec![1, 3, 4],
        reconverge: None,
    };
    let code =
        [plain(branch), plain(Op::Nothing), plain(jump(4)), plain(Op::Nothing), plain(Op::Exit)];
    assert_eq!(meets(&code), [Some(4)]);
}
