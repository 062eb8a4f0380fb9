//! Second accesses that are of a later pass of a loop.

use super::*;
use std::sync::Arc;
use warpsan_event::{Site, SiteTable};
use warpsan_model::{PassLoop, PassOrder, PassPlace, SourceFrame, SourcePosition};

const WRITE: u32 = 0;
const BARRIER: u32 = 1;
const READ: u32 = 2;
const BACK: u32 = 3;

const WARP_ONE: Lanes = Lanes::warp(0, 1);

/// A loop of a write, `__syncthreads()` and a read, on these lines.
fn tiled(lines: [u32; 4], pass_order: PassOrder) -> Story {
    let texts =
        ["st.shared.u32 [%r1], %r2;", "bar.sync 0;", "ld.shared.u32 %r2, [%r1];", "@%p1 bra $L1;"];
    let site = |(text, line): (&str, u32)| {
        let position = Some(SourcePosition { file: "a.cu".into(), line, column: 5 });
        Site::new(text, 10 + line, vec![SourceFrame { function: "k".into(), position }])
    };
    let mut kernel = Kernel::default().facts(KernelFacts { pass_order, ..KernelFacts::default() });
    kernel.sites = Arc::new(SiteTable { sites: texts.into_iter().zip(lines).map(site).collect() });
    Story::of(kernel)
}

const IN_LOOP: [u32; 4] = [10, 11, 12, 9];

fn place(number: u32, innermost: Option<u32>, barrier: Option<u32>) -> PassPlace {
    let barrier = barrier.map(SiteId);
    PassPlace { number, innermost, barrier, any_barrier: barrier }
}

fn of_loop() -> PassOrder {
    let (inside, behind) = (Some(0), Some(BARRIER));
    PassOrder {
        places: vec![
            place(0, inside, None),
            place(1, inside, None),
            place(2, inside, behind),
            place(3, inside, behind),
        ],
        loops: vec![PassLoop { parent: None, back: SiteId(BACK), first_barrier: Some(1) }],
    }
}

/// The loop is gone: the write and the read come behind one barrier.
fn unrolled() -> PassOrder {
    let behind = Some(BARRIER);
    let places = vec![place(3, None, behind), place(1, None, None), place(2, None, behind)];
    PassOrder { places, loops: Vec::new() }
}

fn word(address: u64) -> MemoryOperand<'static> {
    MemoryOperand::global(address).shared()
}

fn order(story: Story) -> (AccessOrder, String) {
    let mut races = story.reported().races;
    let race = races.pop().expect("a race");
    assert!(races.is_empty(), "one race: {races:?}");
    (race.order, race.advice)
}

fn read_then_write(story: Story) -> Story {
    story.barrier(0).at_site(READ).load((0, 0), word(0)).at_site(WRITE).store((0, 40), word(0))
}

#[test]
fn a_write_of_the_next_pass_is_told_from_one_of_the_same_pass() {
    let (found, advice) = order(read_then_write(tiled(IN_LOOP, of_loop())));
    assert_eq!(found, AccessOrder::NextPass);
    assert_eq!(advice, "put __syncthreads() at the end of the loop, before its next pass begins");
    // Nothing is known of the loop.
    let (found, advice) = order(read_then_write(tiled(IN_LOOP, PassOrder::default())));
    assert_eq!(found, AccessOrder::FirstThenSecond);
    assert_eq!(advice, "put __syncthreads() between the two accesses");
}

#[test]
fn a_thread_that_is_ahead_may_write_for_the_next_pass_before_another_one_reads() {
    let story = tiled(IN_LOOP, of_loop()).barrier(0).at_site(WRITE).store((0, 40), word(0));
    let race = story.at_site(READ).load((0, 0), word(0)).reported().races.remove(0);
    assert_eq!(race.order, AccessOrder::FirstThenSecond);
    assert!(race.reason.contains("the first access is of the next pass"), "{}", race.reason);
    assert!(
        race.advice.starts_with("put __syncthreads() at the end of the loop"),
        "{}",
        race.advice
    );
}

#[test]
fn threads_of_two_blocks_have_no_passes_in_common() {
    let story = tiled(IN_LOOP, of_loop()).barrier(0).barrier(1);
    let story = story.at_site(READ).load((0, 0), DATA).at_site(WRITE).store((1, 40), DATA);
    assert_eq!(order(story).0, AccessOrder::FirstThenSecond);
}

#[test]
fn nothing_is_said_where_warps_met_at_two_places() {
    let story = tiled(IN_LOOP, of_loop()).push(Event::BarrierDivergence {
        block: BlockIndex(0),
        site: SiteId(BARRIER),
        thread: 0,
        lanes: u32::MAX,
        other_site: SiteId(BACK),
        other_thread: 32,
        other_lanes: u32::MAX,
        completes: true,
    });
    let races = read_then_write(story).reported().races;
    let orders: Vec<AccessOrder> = races.iter().map(|race| race.order).collect();
    assert_eq!(orders, [AccessOrder::Unknown, AccessOrder::FirstThenSecond]);
}

#[test]
fn an_unrolled_loop_shows_by_its_lines() {
    assert_eq!(order(read_then_write(tiled(IN_LOOP, unrolled()))).0, AccessOrder::NextPass);
    let in_a_row = [13, 11, 12, 9];
    let (found, _) = order(read_then_write(tiled(in_a_row, unrolled())));
    assert_eq!(found, AccessOrder::FirstThenSecond);
    let both_before = [9, 11, 10, 8];
    let (found, _) = order(read_then_write(tiled(both_before, unrolled())));
    assert_eq!(found, AccessOrder::FirstThenSecond);
}

#[test]
fn lanes_that_executed_the_first_access_together_have_begun_another_pass() {
    let words = |first| MemoryOperand::from(LaneAddresses::Strided { first, stride: 4 }).shared();
    let together = tiled(IN_LOOP, of_loop()).at_site(READ).load(WARP_ONE, words(4));
    let (found, advice) = order(together.at_site(WRITE).store(WARP_ONE, words(0)));
    assert_eq!(found, AccessOrder::NextPass);
    assert_eq!(advice, "put __syncwarp() at the end of the loop, before its next pass begins");
}

#[test]
fn the_same_instruction_again_is_of_another_pass_for_lanes_that_were_together() {
    let words = |first| MemoryOperand::from(LaneAddresses::Strided { first, stride: 4 }).shared();
    let story = || tiled(IN_LOOP, of_loop()).at_site(WRITE);
    assert_eq!(
        order(story().store(WARP_ONE, words(0)).at_site(WRITE).store(WARP_ONE, words(4))).0,
        AccessOrder::NextPass
    );
    let apart = story().store((0, 0), word(0)).at_site(WRITE).store((0, 1), word(0));
    assert_eq!(order(apart).0, AccessOrder::FirstThenSecond);
}
