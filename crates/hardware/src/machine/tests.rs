//! The machine on workloads written by hand: cycles, packets and stalls.

use super::*;
use crate::configuration::{DramTiming, Metadata};
use crate::stories::{RELAXED, Story, Who};
use proptest::prelude::*;
use warpsan_event::AccessKind;
use warpsan_model::{Scope, Strength};

mod detector;
mod generated;

fn with(detection: Detection) -> Configuration {
    Configuration::default().detecting(detection)
}

fn scord() -> Detection {
    Detection::with(Metadata::Cached)
}

fn run(story: Story) -> Outcome {
    simulate(&story.workload(), &Configuration::default())
}

/// A cold load: 1 flit out, 20 on the way, 1 flit in, memory (activation 12, command 12, burst 8,
/// controller 40), 5 flits out, 40 of the L2 and 20 on the way back, 5 flits in.
const COLD_LOAD: u64 = 1 + 20 + 1 + (12 + 12 + 8 + 40) + 5 + 40 + 20 + 5;
/// A load that hits: 1 for its line, 20 until its value is there.
const HIT: u64 = 1 + 20;

#[test]
fn a_cold_load_takes_the_whole_way() {
    assert_eq!(run(Story::default().load((0, 0), 1)).cycles, COLD_LOAD);
}

#[test]
fn the_next_load_of_the_line_hits() {
    let outcome = run(Story::default().load((0, 0), 1).load((0, 0), 1));
    assert_eq!(outcome.cycles, COLD_LOAD + HIT);
    assert_eq!((outcome.l1.hits, outcome.l1.misses), (1, 1));
}

#[test]
fn a_strong_load_goes_around_the_l1_and_hits_in_the_l2() {
    for strength in [Strength::Volatile, RELAXED] {
        let story = Story::default().load((0, 0), 1).line((0, 0), AccessKind::Read, strength, 1);
        let outcome = run(story);
        // The same way, with a turn of the L2 in place of memory.
        assert_eq!(outcome.cycles, COLD_LOAD + (1 + 20 + 1 + 1 + 5 + 40 + 20 + 5));
        assert_eq!((outcome.l1.hits, outcome.l2_data.hits), (0, 1));
    }
}

#[test]
fn a_store_evicts_the_line_from_the_l1() {
    let outcome = run(Story::default().load((0, 0), 1).store((0, 0), 1).load((0, 0), 1));
    assert_eq!((outcome.l1.hits, outcome.l1.misses), (0, 2));
    assert_eq!((outcome.l2_data.hits, outcome.dram.total()), (2, 1));
}

#[test]
fn a_store_of_a_whole_line_fetches_nothing() {
    assert_eq!(run(Story::default().store((0, 0), 1)).dram.total(), 0);
    let part = Story::default().scattered((0, 0), AccessKind::Write, 0);
    assert_eq!(run(part).dram.data_reads, 32);
}

#[test]
fn a_fence_of_the_device_waits_for_stores_and_one_of_the_block_does_not() {
    let story = |scope| Story::default().store((0, 0), 1).fence((0, 0), scope).load((0, 0), 40);
    let [block, device] = [Scope::Cta, Scope::Gpu].map(|scope| run(story(scope)).cycles);
    // The store: 5 instructions in 3 cycles, then the same for the fence, then the load.
    assert_eq!(block, 3 + 3 + COLD_LOAD);
    // The store: 5 flits out, 5 in, a turn of the L2, 1 flit each way back. Then the fence, then the load.
    assert_eq!(device, (5 + 20 + 5 + 1 + 1 + 40 + 20 + 1) + 3 + COLD_LOAD);
}

#[test]
fn a_barrier_waits_for_the_slowest_warp() {
    let story = Story::default().load((0, 0), 1).fence((0, 1), Scope::Cta).barrier(0, 2);
    let alone = run(story).cycles;
    // The load, and one cycle after the barrier is complete.
    assert_eq!(alone, COLD_LOAD + 1);
}

#[test]
fn a_warp_polls_until_the_other_one_has_written() {
    let kind = AccessKind::ReadModifyWrite;
    let story = |loads: u64| {
        let polls = (0..loads).fold(Story::default(), |story, line| story.load((1, 0), 40 * line));
        polls.polls((0, 0), 1, 20).line((1, 0), kind, RELAXED, 1).polls((0, 0), 1, 1)
    };
    let turns = [0, 1, 5].map(|loads| run(story(loads)).polls);
    assert_eq!(turns[0], 0, "it is there at once");
    assert!(turns[1] < turns[2] && turns[2] < 20, "{turns:?}");
    // The loads and a turn: what was found late is found at the next turn.
    let cycles = run(story(5)).cycles;
    assert!((5 * COLD_LOAD..7 * COLD_LOAD).contains(&cycles), "{cycles}");
}

#[test]
fn a_warp_that_nobody_answers_polls_as_often_as_it_was_recorded() {
    let outcome = run(Story::default().polls((0, 0), 1, 12));
    assert_eq!((outcome.operations, outcome.polls, outcome.packets.requests), (1, 11, 12));
}

#[test]
fn warps_that_want_a_line_on_its_way_wait_for_it_together() {
    let outcome = run(Story::default().load((0, 0), 1).load((0, 1), 1));
    assert_eq!(outcome.cycles, COLD_LOAD);
    assert_eq!((outcome.packets.requests, outcome.l1.misses), (1, 2));
}

#[test]
fn blocks_wait_for_room() {
    let one = Configuration { multiprocessors: 1, ..Configuration::default() };
    let story = |blocks: u32| {
        (0..blocks).fold(Story::default(), |story, block| story.load((block, 0), 1)).workload()
    };
    let full = simulate(&story(8), &one).cycles;
    assert_eq!(full, COLD_LOAD.max(7 * 3 + HIT), "all eight run at once");
    assert!(simulate(&story(9), &one).cycles > full, "the ninth comes later");
    let apart = simulate(&story(9), &Configuration::default());
    assert_eq!(apart.packets.requests, 9, "each has a multiprocessor of its own");
}

#[test]
fn a_block_with_more_warps_than_fit_runs_alone() {
    let small = Configuration { warps_per_multiprocessor: 2, ..Configuration::default() };
    let mut story = Story::default();
    for warp in 0..32 {
        story = story.load((0, warp), u64::from(warp)).load((1, warp), u64::from(warp));
    }
    assert_eq!(simulate(&story.workload(), &small).operations, 64);
}

#[test]
fn requests_on_their_way_are_limited() {
    let story = || Story::default().scattered((0, 0), AccessKind::Read, 0).workload();
    let narrow = Configuration { outstanding_requests: 4, ..Configuration::default() };
    let [wide, narrow] = [Configuration::default(), narrow].map(|one| simulate(&story(), &one));
    assert_eq!(wide.stalls.requests, 0);
    assert!(narrow.stalls.requests > 0 && narrow.cycles > wide.cycles);
}

#[test]
fn lanes_on_one_word_make_an_atomic_slow() {
    let story = |stride| {
        let addresses = warpsan_event::LaneAddresses::Strided { first: 0, stride };
        let kind = AccessKind::ReadModifyWrite;
        Story::default().line((0, 0), AccessKind::Read, RELAXED, 0).access(
            (0, 0),
            kind,
            RELAXED,
            addresses,
        )
    };
    let [apart, together] = [4, 0].map(|stride| run(story(stride)).cycles);
    assert_eq!(together - apart, 31);
}

#[test]
fn changed_lines_that_leave_the_l2_are_written_back() {
    let tiny = Configuration { l2_bytes: 12 * 1024, ..Configuration::default() };
    let mut story = Story::default();
    for line in 0..1000 {
        story = story.store((0, 0), line);
    }
    let outcome = simulate(&story.workload(), &tiny);
    // The L2 has 8 lines in each of 12 partitions.
    assert_eq!((outcome.dram.data_reads, outcome.dram.data_writes), (0, 1000 - 96));
}

#[test]
fn packets_of_many_multiprocessors_meet_at_a_partition() {
    let far = |block: u32| 24 * u64::from(block);
    let load = |story: Story, block: u32| {
        // Lines that lie 24 apart are in one channel.
        story.line((block, 0), AccessKind::Read, RELAXED, far(block))
    };
    let alone = run(load(Story::default(), 0)).cycles;
    let crowd = run((0..15).fold(Story::default(), load)).cycles;
    // 15 lines have to pass one bus, and their answers one port.
    assert!(crowd >= alone + 14 * 8, "{alone} {crowd}");
}

#[test]
fn the_l2_stays_from_launch_to_launch_and_the_l1_does_not() {
    let outcome = run(Story::default().load((0, 0), 1).end_launch().load((0, 0), 1));
    assert_eq!((outcome.l1.hits, outcome.l2_data.hits, outcome.dram.total()), (0, 1, 1));
}
