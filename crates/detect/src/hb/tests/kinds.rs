//! Kinds and advice: what real programs taught about the right words.

use super::*;
use warpsan_event::KernelFacts;
use warpsan_event::testing::VOLATILE;

const FLAG: u64 = 0x4000;
const WORD: u64 = 0x8000;

fn kinds_and_severities(story: Story) -> Vec<(RaceKind, Severity)> {
    story.reported().races.iter().map(|race| (race.kind, race.severity)).collect()
}

/// A kernel of two blocks of 64 threads with these instructions.
fn kernel(code: &[&str]) -> Story {
    let facts = KernelFacts { may_use_locks: true, ..KernelFacts::default() };
    Story::of(Kernel::new(code).on(2, 64).facts(facts))
}

#[test]
fn volatile_data_behind_an_observed_flag_lacks_a_fence() {
    let story = Story::new()
        .strong_store((0, 0), DATA, VOLATILE)
        .strong_store((0, 0), FLAG, VOLATILE)
        .strong_load((1, 0), FLAG, VOLATILE)
        .strong_load((1, 0), DATA, VOLATILE);
    assert_eq!(
        kinds_and_severities(story),
        [(RaceKind::Volatile, Severity::Warning), (RaceKind::MissingFence, Severity::Error)]
    );
}

#[test]
fn volatile_accesses_in_lockstep_are_warp_sync() {
    let write = |story: Story, lanes: u32| {
        story.access((0, 0, lanes), AccessKind::Write, VOLATILE, MemoryOperand::global(DATA))
    };
    let read = |story: Story, lanes: u32| {
        story.access((0, 0, lanes), AccessKind::Read, VOLATILE, MemoryOperand::global(DATA))
    };
    let kinds = |lanes| read(write(Story::new(), 1), lanes).kinds();
    assert_eq!(kinds(3), [RaceKind::WarpSync]);
    assert_eq!(kinds(2), [RaceKind::Volatile], "a flag of lanes that went apart");
}

#[test]
fn the_read_only_path_is_wrong_behind_a_write_only() {
    let read_then_write = |writer: Who| {
        let story = Story::new().read_only_load((0, 0), MemoryOperand::global(DATA));
        kinds_and_severities(story.store(writer, DATA))
    };
    assert_eq!(read_then_write((0, 0)), [(RaceKind::ReadonlyPath, Severity::Info)]);
    assert_eq!(read_then_write((1, 0)), [(RaceKind::ReadonlyPath, Severity::Error)]);
    let story = Story::new().read_only_load((0, 0), MemoryOperand::global(DATA));
    let ordered = story.barrier(0).store((0, 40), DATA);
    assert_eq!(kinds_and_severities(ordered), [(RaceKind::ReadonlyPath, Severity::Info)]);
    let story = Story::new().store((0, 0), DATA).barrier(0);
    let behind = story.read_only_load((0, 40), MemoryOperand::global(DATA));
    assert_eq!(kinds_and_severities(behind), [(RaceKind::ReadonlyPath, Severity::Error)]);
}

#[test]
fn paths_of_a_warp_that_store_the_same_bytes_are_same_value() {
    let story = |other: u64| {
        let story = Story::new().store_values((0, 0, 1), MemoryOperand::global(DATA), &[7]);
        kinds_and_severities(story.store_values((0, 0, 2), MemoryOperand::global(DATA), &[other]))
    };
    assert_eq!(story(7), [(RaceKind::SameValue, Severity::Warning)]);
    assert_eq!(story(8), [(RaceKind::Divergence, Severity::Error)]);
}

#[test]
fn tiles_that_synchronise_by_themselves_rely_on_lockstep() {
    let tiles = |meet: bool| {
        let mut story = Story::new();
        for tile in [0xff_u32, 0xff00] {
            if meet {
                story = story.warp_barrier((0, 0, tile));
            }
            story = story.at_site(1).access(
                (0, 0, tile),
                AccessKind::Read,
                Strength::Weak,
                MemoryOperand::global(DATA),
            );
        }
        story.at_site(2).store((0, 9), DATA).kinds()
    };
    assert_eq!(tiles(true), [RaceKind::WarpSync], "both have executed the read");
    assert_eq!(tiles(false), [RaceKind::Divergence, RaceKind::WarpSync]);
}

/// A thread swaps a word from one value to another.
fn swap(story: Story, (block, thread): Who, found: u64, left: u64) -> Story {
    let lane = 1 << (thread % 32);
    let access = Lanes::from((block, thread / 32, lane)).access(
        AccessKind::ReadModifyWrite,
        RELAXED,
        MemoryOperand::global(WORD),
    );
    story.push(Event::Access(Access { values: &[found, left], wrote: lane, ..access }))
}

const SWAP: &str = "atom.global.cas.b32 %r1, [%rd1], 0, 1;";
const EXCHANGE: &str = "atom.global.exch.b32 %r1, [%rd1], 0;";
const STORE: &str = "st.global.u32 [%rd2], %r2;";

#[test]
fn a_lock_is_known_by_being_given_back_even_if_that_comes_later() {
    let code = [SWAP, EXCHANGE, STORE, STORE];
    let story = || {
        // The other block stores without the lock, before it is taken for the first time.
        let story = kernel(&code).at_site(3).store_values((1, 0), DATA, &[1]).at_site(0);
        swap(story, (0, 0), 0, 1).at_site(2).store_values((0, 0), DATA, &[2])
    };
    assert_eq!(story().kinds(), [RaceKind::MissingSync], "a slot that is claimed is no lock");
    assert_eq!(swap(story().at_site(1), (0, 0), 1, 0).kinds(), [RaceKind::Lock]);
}

#[test]
fn a_lock_that_another_lane_holds_needs_a_barrier_of_the_warp() {
    let code = [SWAP, EXCHANGE, STORE];
    let section = |story: Story, block: u32| {
        let story = swap(story.at_site(0), (block, 0), 0, 1).at_site(2);
        let value = [u64::from(block), u64::from(block)];
        let at = MemoryOperand::global_lanes(LaneAddresses::Strided { first: DATA, stride: 4 });
        let story = story.store_values((block, 0, 3), at, &value);
        swap(story.at_site(1), (block, 0), 1, 0)
    };
    let races = section(section(kernel(&code), 0), 1).reported().races;
    let locks: Vec<_> = races.iter().filter(|race| race.kind == RaceKind::Lock).collect();
    assert_eq!(locks.len(), 1, "{races:?}");
    assert!(locks[0].advice.contains("__syncwarp()"), "{}", locks[0].advice);
}

#[test]
fn a_hand_off_without_fences_names_both() {
    let story = Story::new().store((0, 0), DATA).strong_store((0, 0), FLAG, RELAXED);
    let races = story.strong_load((1, 0), FLAG, RELAXED).load((1, 0), DATA).reported().races;
    assert_eq!(races[0].kind, RaceKind::MissingFence);
    let advice = &races[0].advice;
    assert!(advice.contains("before") && advice.contains("again after"), "{advice}");
}

#[test]
fn races_within_and_between_blocks_get_advice_for_both() {
    let within = |story: Story| story.at_site(1).store((0, 0), DATA).at_site(2).load((0, 40), DATA);
    let advice = |story: Story| {
        let races = story.reported().races;
        assert!(races.iter().all(|race| race.kind == RaceKind::MissingSync), "{races:?}");
        races[0].advice.clone()
    };
    let one = advice(within(Story::new()));
    assert!(one.starts_with("put __syncthreads()"), "{one}");
    let both = advice(within(Story::new()).at_site(2).load((1, 40), DATA));
    assert!(both.starts_with("let each thread write memory of its own"), "{both}");
    assert!(both.contains("__syncthreads()") && both.contains("two launches"), "{both}");
}

#[test]
fn two_accesses_of_a_loop_need_two_barriers() {
    let at = |shift: u64| {
        MemoryOperand::global_lanes(LaneAddresses::Strided { first: DATA + shift, stride: 4 })
    };
    let pass = |story: Story| {
        let story = story.at_site(1).access((0, 0, 6), AccessKind::Read, Strength::Weak, at(0));
        story.at_site(2).access((0, 0, 6), AccessKind::Write, Strength::Weak, at(4))
    };
    let advice = |story: Story| -> Vec<String> {
        story.reported().races.iter().map(|race| race.advice.clone()).collect()
    };
    let once = advice(pass(Story::new()));
    assert!(once[0].starts_with("put __syncwarp() between"), "{once:?}");
    let twice = advice(pass(pass(Story::new())));
    assert!(twice.iter().all(|advice| advice.contains("again after")), "{twice:?}");
}

#[test]
fn barrier_divergence_names_both_groups_of_threads() {
    let story = Story::new().push(Event::BarrierDivergence {
        block: BlockIndex(0),
        site: SiteId(1),
        thread: 0,
        lanes: 0xffff,
        other_site: SiteId(2),
        other_thread: 48,
        other_lanes: 1 << 16,
        completes: false,
    });
    let reason = &story.reported().races[0].reason;
    assert!(reason.starts_with("no barrier can complete"), "{reason}");
    assert!(reason.contains("threads 0 to 15 of the block, at"), "{reason}");
    assert!(reason.ends_with("thread 48 of the block"), "{reason}");
}

/// A warp of block 0 stores, one of block 1 loads behind what `hands_over` does in both.
fn counted(hands_over: impl Fn(Story, u32) -> Story) -> Vec<RaceKind> {
    let words = LaneAddresses::Strided { first: DATA, stride: 4 };
    let story = hands_over(Story::new().at_site(1).store((0, 1, 3), words).at_site(2), 0);
    hands_over(story, 1).at_site(3).load((1, 1, 3), words).kinds()
}

#[test]
fn a_counter_of_whole_warps_hands_over_between_blocks() {
    let update = |story: Story, block| story.atomic((block, 1, 3), FLAG, RELAXED);
    assert_eq!(counted(update), [RaceKind::MissingFence]);
    let reduce_and_read = |story: Story, block: u32| match block {
        0 => story.reduction((0, 1, 3), FLAG, RELAXED),
        _ => story.strong_load((1, 1, 3), FLAG, RELAXED),
    };
    assert_eq!(counted(reduce_and_read), [RaceKind::MissingFence]);
    let reduce = |story: Story, block| story.reduction((block, 1, 3), FLAG, RELAXED);
    assert_eq!(counted(reduce), [RaceKind::MissingSync], "a reduction observes nothing");
}
