//! The examples of figure 5.9: 3 threads in a warp, 2 warps in a block, 2 blocks.

mod plain;
mod random;

use super::*;
use std::sync::Arc;

const LANES: u32 = 3;
const WARPS: u32 = 2;
const ALL: u32 = (1 << LANES) - 1;

fn block(number: u32) -> BlockClocks {
    BlockClocks::of_warps(number, (0..WARPS).map(|_| LANES))
}

fn thread(block: u32, warp: u16, lane: u8) -> Thread {
    Thread { block, warp, lane }
}

/// The vector clock of lane 1 of the first warp: first its own warp, then the rest of its block, then the other block.
fn clock_of_t1(block: &BlockClocks) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let group = block.warps[0].groups().iter().find(|group| group.lanes() & 2 != 0);
    let group = group.expect("the lane is in a group");
    let of = |block, warp| {
        (0..LANES as u8).map(|lane| group.known(1, thread(block, warp, lane))).collect()
    };
    (of(0, 0), of(0, 1), [of(1, 0), of(1, 1)].concat())
}

fn execute(block: &mut BlockClocks, mask: u32) -> Branch {
    let branch = block.warps[0].activate(mask).expect("lanes of the warp");
    block.warps[0].active_mut().advance();
    branch
}

#[test]
fn a_warp_that_executes_together_has_one_clock() {
    let mut block = block(0);
    assert_eq!(clock_of_t1(&block), (vec![0, 1, 0], vec![0; 3], vec![0; 6]));
    assert_eq!(execute(&mut block, ALL), Branch::None);
    assert_eq!(clock_of_t1(&block), (vec![1, 2, 1], vec![0; 3], vec![0; 6]));
    assert_eq!(block.warps[0].active().format(), Format::Converged);
}

#[test]
fn a_barrier_sets_the_clock_of_the_block() {
    let mut block = block(0);
    block.meet();
    assert_eq!(clock_of_t1(&block), (vec![1, 2, 1], vec![1; 3], vec![0; 6]));
    assert_eq!(block.warps[0].active().format(), Format::Converged);
    for _ in 0..4 {
        execute(&mut block, ALL);
    }
    block.meet();
    assert_eq!(
        clock_of_t1(&block),
        (vec![6, 7, 6], vec![6; 3], vec![0; 6]),
        "all have the highest clock"
    );
}

#[test]
fn a_branch_needs_one_clock_for_the_other_lanes() {
    let mut block = block(0);
    block.meet();
    assert_eq!(block.warps[0].activate(0b110), Some(Branch::If));
    assert_eq!(clock_of_t1(&block), (vec![1, 3, 2], vec![1; 3], vec![0; 6]));
    assert_eq!(block.warps[0].active().format(), Format::Diverged);
    assert_eq!(execute(&mut block, 0b001), Branch::ElseOrEnd);
    assert_eq!(block.warps[0].active().format(), Format::Diverged);
    assert_eq!(execute(&mut block, ALL), Branch::ElseOrEnd);
    assert_eq!(block.warps[0].active().format(), Format::Converged);
}

#[test]
fn a_branch_in_a_branch_needs_a_clock_for_each_lane() {
    let mut block = block(0);
    block.meet();
    block.warps[0].activate(0b110);
    block.warps[0].activate(0b010);
    assert_eq!(clock_of_t1(&block), (vec![1, 4, 2], vec![1; 3], vec![0; 6]));
    assert_eq!(block.warps[0].active().format(), Format::NestedDiverged);
    assert_eq!(block.warps[0].activate(0b011), Some(Branch::ElseOrEnd), "any lanes can meet");
    assert_eq!(block.warps[0].active().format(), Format::Diverged);
}

#[test]
fn a_lock_of_another_block_needs_a_map() {
    let (mut mine, mut other) = (block(0), block(1));
    (0..5).for_each(|_| execute_in(&mut other));
    let released = Arc::new(other.warps[0].active().released_by(1));
    mine.warps[0].activate(0b010);
    mine.warps[0].active_mut().acquire(&released);
    assert_eq!(mine.warps[0].active().format(), Format::Sparse);
    assert_eq!(clock_of_t1(&mine), (vec![0, 2, 0], vec![0; 3], vec![5, 6, 5, 0, 0, 0]));
    mine.meet();
    assert_eq!(clock_of_t1(&mine), (vec![2, 3, 2], vec![2; 3], vec![5, 6, 5, 0, 0, 0]));
}

fn execute_in(block: &mut BlockClocks) {
    execute(block, ALL);
}

#[test]
fn what_the_own_block_releases_needs_no_map_if_a_barrier_was_all_of_it() {
    let mut block = block(0);
    block.meet();
    let released = Arc::new(block.warps[1].active().released_by(0));
    block.warps[0].active_mut().acquire(&released);
    assert_eq!(block.warps[0].active().format(), Format::Sparse, "one thread is known better");
    assert_eq!(clock_of_t1(&block), (vec![1, 2, 1], vec![2, 1, 1], vec![0; 6]));
    block.meet();
    assert_eq!(block.warps[0].active().format(), Format::Converged);
}

#[test]
fn lanes_that_have_ended_are_before_a_barrier_of_the_others() {
    let mut block = block(0);
    execute(&mut block, ALL);
    block.warps[0].end_lanes(0b001);
    assert!(block.are_all(|warp| if warp == 0 { 0b110 } else { ALL }));
    assert!(!block.are_all(|_| 0b110));
    block.meet();
    assert_eq!(clock_of_t1(&block), (vec![2, 3, 2], vec![2; 3], vec![0; 6]));
    assert_eq!(block.warps[0].active().format(), Format::Converged);
}
