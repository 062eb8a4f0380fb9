//! Launches that are not after all before them.

use super::*;

const OTHER: u64 = 0x3000;

/// A copy of 16 bytes from global to shared memory.
fn copy(story: Story, who: Who, from: u64, kind: CopyKind) -> Story {
    let at = |address| MemoryOperand::global(address).bytes(16);
    story.copy(who, kind, at(from), at(0).shared())
}

/// The third launch is after the first one, and not after the second: whatever the readers of the first stand
/// for, those of the second have to be remembered.
#[test]
fn readers_of_one_launch_do_not_stand_for_those_of_another() {
    let read = |story: Story, who: Who| story.at_site(1).load(who, DATA);
    let story = [0, 1, 2, 3].into_iter().fold(Story::new(), |story, block| read(story, (block, 0)));
    let story = read(read(story.begin_launch_after(1, &[], &[]), (2, 0)), (3, 0));
    let story = story.begin_launch_after(2, &[0], &[]);
    assert_eq!(story.store((0, 0), DATA).kinds(), [RaceKind::InterKernel]);
}

/// What the first launch wrote is read by a second one that may overlap it.
fn overlapped() -> Story {
    Story::new().store((0, 0), DATA).begin_launch_after(1, &[], &[0])
}

#[test]
fn a_thread_is_after_a_launch_that_it_may_overlap_once_it_has_waited() {
    let races = overlapped().load((0, 0), DATA).reported().races;
    assert_eq!(races.len(), 1);
    assert_eq!(races[0].kind, RaceKind::InterKernel);
    assert!(races[0].advice.contains("cudaGridDependencySynchronize"), "{}", races[0].advice);
    assert!(overlapped().prerequisite_wait((0, 0)).load((0, 0), DATA).clean());
    assert!(overlapped().prerequisite_wait((3, 7)).store((3, 7), DATA).clean());
    let too_late = overlapped().load((0, 0), DATA).prerequisite_wait((0, 0));
    assert_eq!(too_late.load((0, 0), DATA).kinds(), [RaceKind::InterKernel]);
    let overwritten = Story::new().load((0, 0), DATA).begin_launch_after(1, &[], &[0]);
    assert_eq!(overwritten.store((0, 0), DATA).kinds(), [RaceKind::InterKernel]);
}

#[test]
fn a_thread_that_waited_hands_on_what_it_knows() {
    let waited = || overlapped().prerequisite_wait((0, 0));
    for who in [(0, 1), (0, 40), (1, 0)] {
        assert_eq!(waited().load(who, DATA).kinds(), [RaceKind::InterKernel], "{who:?}");
    }
    assert!(waited().barrier(0).load((0, 40), DATA).clean());
    assert!(waited().barrier(0).load((0, 1), DATA).clean());
    assert_eq!(waited().barrier(0).load((1, 0), DATA).kinds(), [RaceKind::InterKernel]);
    let flag = waited().strong_store((0, 0), FLAG, RELEASE).strong_load((1, 0), FLAG, ACQUIRE);
    assert!(flag.load((1, 0), DATA).clean());
    let relaxed = waited().strong_store((0, 0), FLAG, RELAXED).strong_load((1, 0), FLAG, ACQUIRE);
    assert_eq!(relaxed.load((1, 0), DATA).kinds(), [RaceKind::InterKernel]);
    let before_the_wait = overlapped()
        .strong_store((0, 0), FLAG, RELEASE)
        .prerequisite_wait((0, 0))
        .strong_load((1, 0), FLAG, ACQUIRE);
    assert_eq!(before_the_wait.load((1, 0), DATA).kinds(), [RaceKind::InterKernel]);
}

#[test]
fn whoever_is_after_a_launch_is_after_what_a_thread_of_it_waited_for() {
    // Not after the first launch but for the second one.
    let third = |story: Story| story.begin_launch_after(2, &[1], &[]).load((0, 0), DATA);
    assert!(third(overlapped().prerequisite_wait((2, 9))).clean());
    assert_eq!(third(overlapped()).kinds(), [RaceKind::InterKernel], "nobody waited");
    let chain = |story: Story| {
        let third = story.begin_launch_after(2, &[], &[1]);
        third.prerequisite_wait((0, 0)).load((0, 0), DATA)
    };
    assert!(chain(overlapped().prerequisite_wait((2, 9))).clean());
    assert_eq!(chain(overlapped()).kinds(), [RaceKind::InterKernel], "nobody waited");
}

#[test]
fn a_wait_says_nothing_about_launches_of_other_streams() {
    let story =
        Story::new().store((0, 0), DATA).begin_launch_after(1, &[], &[]).store((0, 0), OTHER);
    let story = story.begin_launch_after(2, &[], &[1]).prerequisite_wait((0, 0));
    assert_eq!(story.load((0, 0), OTHER).load((0, 0), DATA).kinds(), [RaceKind::InterKernel]);
    let waited = Story::new().store((0, 0), DATA).begin_launch_after(1, &[], &[]);
    let waited = waited.prerequisite_wait((0, 0)).load((0, 0), DATA);
    assert_eq!(waited.kinds(), [RaceKind::InterKernel], "there is nothing to wait for");
}

/// Knowledge that goes from launch to launch is about the launch that was waited for, not about any wait.
#[test]
fn a_flag_of_an_overlapping_launch_passes_on_what_its_thread_waited_for() {
    let second = overlapped().store((1, 0), OTHER).prerequisite_wait((0, 0)).strong_store(
        (0, 0),
        FLAG,
        RELEASE,
    );
    let third = second.begin_launch_after(2, &[], &[1]).strong_load((0, 0), FLAG, ACQUIRE);
    assert_eq!(third.load((0, 0), DATA).load((0, 0), OTHER).kinds(), [RaceKind::InterKernel]);
}

#[test]
fn a_wait_for_a_launch_needs_no_proxy_fence() {
    for kind in [CopyKind::Thread, CopyKind::Bulk] {
        let races = copy(overlapped(), (0, 0), DATA, kind).reported().races;
        assert_eq!(races.len(), 1);
        assert_eq!((races[0].kind, races[0].second.bytes), (RaceKind::InterKernel, 16));
    }
    let waited = overlapped().prerequisite_wait((0, 0));
    assert!(copy(waited, (0, 0), DATA, CopyKind::Bulk).clean());
}

#[test]
fn the_order_of_launches_counts_for_the_read_only_path() {
    let second = |after: &[u32]| Story::new().store((0, 0), DATA).begin_launch_after(1, after, &[]);
    assert!(second(&[0]).read_only_load((0, 0), DATA).clean());
    assert_eq!(second(&[]).read_only_load((0, 0), DATA).kinds(), [RaceKind::InterKernel]);
    assert!(overlapped().prerequisite_wait((0, 0)).read_only_load((0, 0), DATA).clean());
    for update in [AccessKind::ReadModifyWrite, AccessKind::Reduction] {
        let second = |after: &[u32]| {
            Story::new().access((0, 0), update, RELAXED, DATA).begin_launch_after(1, after, &[])
        };
        assert!(second(&[0]).read_only_load((0, 0), DATA).clean());
        assert_eq!(second(&[]).read_only_load((0, 0), DATA).kinds(), [RaceKind::InterKernel]);
    }
    let overwritten = |after: &[u32]| {
        let second = Story::new().read_only_load((0, 0), DATA).begin_launch_after(1, after, &[]);
        second.store((0, 0), DATA)
    };
    assert!(overwritten(&[0]).clean());
    assert_eq!(overwritten(&[]).kinds(), [RaceKind::InterKernel]);
    let same = Story::new()
        .begin_launch_after(1, &[], &[])
        .store((0, 0), DATA)
        .read_only_load((0, 0), DATA);
    assert_eq!(same.kinds(), [RaceKind::ReadonlyPath], "no order helps within a launch");
}

#[test]
fn readers_through_the_read_only_path_do_not_stand_for_those_of_another_launch() {
    let story = Story::new()
        .read_only_load((0, 0), DATA)
        .begin_launch_after(1, &[], &[])
        .read_only_load((0, 0), DATA);
    let story = story.begin_launch_after(2, &[1], &[]);
    assert_eq!(story.store((0, 0), DATA).kinds(), [RaceKind::InterKernel]);
}

/// Threads of the host may have synchronised unseen: a warning says so.
#[test]
fn what_may_be_ordered_in_ways_that_were_not_seen_is_a_warning() {
    let races = |story: Story| -> Vec<_> {
        let races = story.load((0, 0), DATA).reported().races;
        races.into_iter().map(|race| (race.kind, race.severity, race.advice)).collect()
    };
    let perhaps = races(Story::new().store((0, 0), DATA).begin_launch_perhaps_after(1, &[0]));
    assert_eq!(perhaps.len(), 1);
    assert_eq!((perhaps[0].0, perhaps[0].1), (RaceKind::InterKernel, Severity::Warning));
    assert!(perhaps[0].2.contains("atomics"), "{}", perhaps[0].2);
    let never = races(Story::new().store((0, 0), DATA).begin_launch_perhaps_after(1, &[]));
    assert_eq!((never[0].0, never[0].1), (RaceKind::InterKernel, Severity::Error));
}
