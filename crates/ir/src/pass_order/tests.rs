use super::*;
use crate::control_flow::tests::jump;
use crate::{Op, Predicate};

fn instruction(op: Op) -> CodeInstruction {
    CodeInstruction { guard: None, counts_if: None, op, site: SiteId(0) }
}

fn nothing() -> CodeInstruction {
    instruction(Op::Nothing)
}

/// Jumps where a predicate is true.
fn perhaps(target: u32) -> CodeInstruction {
    CodeInstruction { guard: Some((Predicate(1), false)), ..instruction(jump(target)) }
}

fn barrier(number: u64) -> CodeInstruction {
    let (op, barrier) = (BarrierOp::Sync, Value::Constant(number));
    instruction(Op::BlockBarrier { op, barrier, threads: None, aligned: true })
}

/// The order of this code, in which each instruction has a site of its own.
fn order(mut code: Vec<CodeInstruction>) -> PassOrder {
    for (instruction, site) in code.iter_mut().zip(0..) {
        instruction.site = SiteId(site);
    }
    run(&code, &ControlFlow::of(&code), code.len())
}

fn back(order: &PassOrder, one: u32, other: u32) -> Option<u32> {
    order.passed_between(SiteId(one), SiteId(other)).map(|passed| passed.back.0)
}

fn back_since_barrier(order: &PassOrder, first: u32, second: u32) -> Option<u32> {
    order.passed_since_barrier(SiteId(first), SiteId(second)).map(|passed| passed.back.0)
}

#[test]
fn the_write_of_the_next_pass_comes_after_the_read_behind_the_barrier() {
    // 0: before; 1: write; 2: barrier; 3: read; 4: back to 1; 5: end
    let code = [nothing(), nothing(), barrier(0), nothing(), perhaps(1), instruction(Op::Exit)];
    let tiled = order(code.to_vec());
    assert_eq!(back_since_barrier(&tiled, 3, 1), Some(4));
    assert_eq!(back_since_barrier(&tiled, 1, 3), None);
    assert_eq!(
        (back(&tiled, 3, 1), back(&tiled, 1, 3), back(&tiled, 1, 1)),
        (Some(4), None, Some(4))
    );
    assert_eq!((back(&tiled, 5, 0), back(&tiled, 0, 0)), (None, None));
}

#[test]
fn a_barrier_that_is_not_passed_by_all_says_nothing() {
    // The barrier is jumped over, has a guard, or is one of several.
    let code = |at_two: [CodeInstruction; 2]| {
        let [one, two] = at_two;
        order(vec![nothing(), nothing(), one, two, nothing(), perhaps(1), instruction(Op::Exit)])
    };
    assert_eq!(back_since_barrier(&code([nothing(), barrier(0)]), 4, 1), Some(5));
    assert_eq!(back_since_barrier(&code([perhaps(4), barrier(0)]), 4, 1), None);
    let guarded = CodeInstruction { guard: Some((Predicate(2), false)), ..barrier(0) };
    assert_eq!(back_since_barrier(&code([nothing(), guarded]), 4, 1), None);
    assert_eq!(back_since_barrier(&code([barrier(0), barrier(1)]), 4, 1), None);
}

#[test]
fn an_access_behind_some_barrier_of_the_loop_may_be_of_the_same_pass() {
    // 1: a barrier that some jump over; 2: write; 3: barrier; 4: read
    let code = vec![
        perhaps(2),
        barrier(0),
        nothing(),
        barrier(0),
        nothing(),
        perhaps(0),
        instruction(Op::Exit),
    ];
    assert_eq!(back_since_barrier(&order(code), 4, 2), None);
}

#[test]
fn the_exit_of_an_inner_loop_stands_behind_all_of_it() {
    // 0: outer header; 1: inner header, which may leave to 4; 2: inner body; 3: back to 1; 4: behind it; 5: back to 0
    let code = vec![
        nothing(),
        perhaps(4),
        nothing(),
        instruction(jump(1)),
        nothing(),
        perhaps(0),
        instruction(Op::Exit),
    ];
    let nested = order(code);
    assert_eq!(
        back(&nested, 2, 4),
        None,
        "through the inner header to its exit, in one pass of the outer loop"
    );
    assert_eq!(
        (back(&nested, 4, 2), back(&nested, 2, 2), back(&nested, 4, 0)),
        (Some(5), Some(3), Some(5))
    );
}

#[test]
fn of_two_paths_of_a_branch_neither_leads_to_the_other_in_one_pass() {
    // 0: branches to 3; 1, 2: the one path; 3: the other; 4: back to 0
    let code = vec![
        perhaps(3),
        nothing(),
        instruction(jump(4)),
        nothing(),
        perhaps(0),
        instruction(Op::Exit),
    ];
    let branched = order(code);
    assert!(back(&branched, 1, 3).is_some() || back(&branched, 3, 1).is_some());
    assert_eq!(back(&branched, 0, 1), None);
}

#[test]
fn barriers_are_known_where_no_loop_is_left() {
    let of_warp = instruction(Op::WarpBarrier { mask: Value::Constant(u64::from(u32::MAX)) });
    let order = order(vec![barrier(0), nothing(), of_warp, nothing(), instruction(Op::Exit)]);
    let before = |site: usize| {
        let place = order.places[site];
        (place.barrier.map(|barrier| barrier.0), place.any_barrier.map(|barrier| barrier.0))
    };
    assert_eq!(before(0), (None, None));
    assert_eq!((before(1), before(3)), ((Some(0), Some(0)), (Some(0), Some(2))));
    assert_eq!(back(&order, 2, 2), None);
}

#[test]
fn nothing_is_said_of_a_cycle_with_two_entries_nor_where_there_is_no_loop() {
    let two_entries = vec![perhaps(2), nothing(), nothing(), perhaps(1), instruction(Op::Exit)];
    assert_eq!(order(two_entries), PassOrder::default());
    assert_eq!(order(vec![nothing(), instruction(Op::Exit)]), PassOrder::default());
}

#[test]
fn deep_nesting_takes_no_time() {
    const DEPTH: usize = 100_000;
    let mut code = vec![nothing(); DEPTH];
    code.extend((0..DEPTH as u32).rev().map(perhaps));
    code.push(instruction(Op::Exit));
    assert_eq!(order(code), PassOrder::default());
}
