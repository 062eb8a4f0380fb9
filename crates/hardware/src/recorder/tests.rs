use super::*;
use crate::stories::{RELAXED, Story};
use warpsan_event::CopyKind;
use warpsan_event::testing::{self, Kernel, Lanes, MemoryOperand};
use warpsan_event::trace::{TraceHeader, TraceWriter};
use warpsan_model::BlockIndex;

fn actions(workload: &Workload, block: usize, warp: usize) -> Vec<Action> {
    let program = &workload.launches[0].blocks[block].warps[warp];
    program.operations.iter().map(|operation| operation.action).collect()
}

#[test]
fn kind_and_strength_say_what_an_access_is_to_the_model() {
    let who = (0, 0);
    let workload = Story::default()
        .load(who, 1)
        .line(who, AccessKind::Read, Strength::Volatile, 1)
        .line(who, AccessKind::Read, RELAXED, 1)
        .store(who, 1)
        .line(who, AccessKind::Write, Strength::Volatile, 1)
        .line(who, AccessKind::ReadModifyWrite, RELAXED, 1)
        .line(who, AccessKind::Reduction, RELAXED, 1)
        .fence(who, Scope::Cta)
        .fence(who, Scope::Gpu)
        .workload();
    use Action::*;
    let expected =
        [Load, LoadAround, LoadAround, Store, Store, Atomic, Reduction, BlockFence, DeviceFence];
    assert_eq!(actions(&workload, 0, 0), expected);
    assert_eq!((workload.size.operations, workload.size.accesses), (9, 7));
}

#[test]
fn a_release_waits_for_stores_unless_it_is_for_the_block_only() {
    let strong = |order, scope| Strength::Strong { order, scope };
    let workload = Story::default()
        .line((0, 0), AccessKind::Write, strong(Order::Release, Scope::Gpu), 1)
        .line((0, 0), AccessKind::Write, strong(Order::Release, Scope::Cta), 1)
        .line((0, 0), AccessKind::Read, strong(Order::Acquire, Scope::Gpu), 1)
        .workload();
    let operations = &workload.launches[0].blocks[0].warps[0].operations;
    let releases: Vec<bool> = operations.iter().map(|operation| operation.releases).collect();
    assert_eq!(releases, [true, false, false]);
}

#[test]
fn the_order_between_warps_does_not_matter() {
    let one = Story::default().load((0, 0), 1).store((0, 1), 900).load((1, 0), 40).store((0, 0), 2);
    let other =
        Story::default().load((1, 0), 40).load((0, 0), 1).store((0, 0), 2).store((0, 1), 900);
    assert_eq!(one.workload(), other.workload());
}

/// What the first warp of the first block polls for: turns, block, warp and operations.
fn polls(story: Story) -> Vec<(u32, u32, u32, u32)> {
    let workload = story.workload();
    let polls = &workload.launches[0].blocks[0].warps[0].polls;
    polls.iter().map(|poll| (poll.turns, poll.block, poll.warp, poll.operations)).collect()
}

/// A strong write to line 1.
fn changed_by(story: Story, who: (u32, u32)) -> Story {
    story.line(who, AccessKind::ReadModifyWrite, RELAXED, 1)
}

#[test]
fn a_loop_that_polls_is_one_operation_with_the_write_that_ended_it() {
    // Block 9 is the second one of the launch.
    let story = || changed_by(Story::default().load((9, 3), 40).polls((0, 0), 1, 5), (9, 3));
    assert_eq!(polls(story().polls((0, 0), 1, 1)), [(6, 1, 3, 2)]);
    assert_eq!(actions(&story().workload(), 0, 0), [Action::LoadAround]);
    // Another warp that polls changes nothing.
    assert_eq!(polls(story().polls((0, 1), 1, 2).polls((0, 0), 1, 1)), [(6, 1, 3, 2)]);
}

#[test]
fn a_write_from_before_the_loop_does_not_end_it() {
    let story = changed_by(Story::default(), (1, 0)).polls((0, 0), 1, 3);
    assert_eq!(polls(story), [(3, 0, 0, u32::MAX)]);
    let own = changed_by(Story::default(), (0, 0)).polls((0, 0), 1, 2);
    assert_eq!(polls(own), [(2, 0, 0, u32::MAX)]);
}

#[test]
fn what_is_not_repeated_at_once_by_the_same_instruction_is_no_poll() {
    let between = Story::default().polls((0, 0), 1, 1).load((0, 0), 3).polls((0, 0), 1, 1);
    assert_eq!(polls(between), []);
    assert_eq!(polls(Story::default().polls((0, 0), 1, 1).polls((0, 0), 2, 1)), []);
    let other = Story::default().polls((0, 0), 1, 1).line((0, 0), AccessKind::Read, RELAXED, 1);
    assert_eq!(polls(other), []);
    let write = |story: Story| changed_by(story.at_site(7), (0, 0));
    assert_eq!(polls(write(write(Story::default()))), [], "each one changes something");
}

#[test]
fn pages_are_put_together_in_the_order_of_their_addresses() {
    let workload = Story::default().load((0, 0), 5000).load((0, 0), 3).load((0, 0), 4).workload();
    let lines = &workload.launches[0].blocks[0].warps[0].lines;
    let numbers: Vec<u32> = lines.iter().map(|line| line.number).collect();
    // Two pages of 32 lines: that of line 3, and then that of line 5000, which is its ninth.
    assert_eq!(numbers, [32 + 5000 % 32, 3, 4]);
    assert_eq!((workload.memory_lines, workload.size.bytes), (64, 8192));
}

#[test]
fn barriers_are_for_those_who_wait() {
    let arrived_only = u64::from(u32::MAX) << 32;
    let story = Story::default().load((0, 0), 1).load((0, 2), 1).push(Event::BlockBarrier {
        block: BlockIndex(0),
        barrier: 1,
        participants: &[1, 0, arrived_only, 3],
    });
    let workload = story.workload();
    assert_eq!(workload.launches[0].blocks[0].barriers, [2]);
    assert_eq!(actions(&workload, 0, 0), [Action::Load, Action::Barrier]);
    assert_eq!(actions(&workload, 0, 2), [Action::Load]);
    assert_eq!(actions(&workload, 0, 3), [Action::Barrier]);
}

#[test]
fn launches_follow_each_other() {
    let workload = Story::default().load((0, 0), 1).end_launch().load((0, 0), 1).workload();
    assert_eq!(workload.launches.len(), 2);
    assert_eq!((workload.size.launches, workload.size.blocks, workload.size.warps), (2, 2, 2));
}

#[test]
fn more_than_it_keeps_is_refused() {
    let story = Story::default().load((0, 0), 0).load((0, 0), 1).load((0, 0), 1);
    assert!(story.recorded_by(Recorder::with_limit(4)).finish().is_err_and(|error| {
        matches!(error, WorkloadError::TooLarge { most: 4 })
            && error.to_string().contains("smaller input")
    }));
}

#[test]
fn a_warp_that_no_block_has_is_refused() {
    let story = Story::default().load((0, u32::MAX), 1);
    let error = story.recorded_by(Recorder::default()).finish().unwrap_err();
    assert!(matches!(error, WorkloadError::Strange { warp: u32::MAX }));
}

#[test]
fn without_accesses_there_is_nothing_to_time() {
    let story = Story::default().fence((0, 0), Scope::Gpu);
    let error = story.recorded_by(Recorder::default()).finish().unwrap_err();
    assert!(matches!(error, WorkloadError::Empty));
}

#[test]
fn a_long_copy_is_a_load_of_all_its_lines() {
    let place = MemoryOperand::global(0).bytes(128 * 100);
    let copy = Lanes::from((0, 0)).copy(CopyKind::Bulk, place, place.shared());
    let workload = Story::default().push(Event::CopyBegin(copy)).workload();
    assert_eq!(actions(&workload, 0, 0), [Action::LoadAround, Action::LoadAround, Action::Turn]);
    assert_eq!(workload.size.lines, 100);
}

/// A trace with so many loads of one warp.
fn trace(loads: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = TraceWriter::new(&mut bytes, &TraceHeader::default()).unwrap();
    let kernel = Kernel::new(&["ld.global.u32"]).on(1, 32);
    let load = |story: testing::Story, line: u64| story.at_site(0).load((0, 0), line * 128);
    let story = (0..loads).fold(testing::Story::of(kernel), load).end_launch();
    for event in story.batch().events() {
        writer.event(&event);
    }
    writer.finish().unwrap();
    bytes
}

#[test]
fn a_trace_is_read_to_its_end() {
    let bytes = trace(10_000);
    let workload = read_trace(&mut TraceReader::new(&bytes[..]).unwrap());
    assert_eq!(workload.unwrap().size.operations, 10_000);
}

#[test]
fn a_trace_that_is_cut_off_is_an_error_wherever_that_is() {
    let bytes = trace(3000);
    for end in (40..bytes.len()).step_by(97) {
        let Ok(mut reader) = TraceReader::new(&bytes[..end]) else { continue };
        let error = read_trace(&mut reader).unwrap_err();
        let cut = matches!(error, WorkloadError::Trace(TraceError::CutOff { .. }));
        assert!(cut, "{end}: {error}");
    }
}
