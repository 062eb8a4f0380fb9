//! Launches that are not after all before them.

use super::*;
use warpsan_event::{CopyBegin, CopyKind, CopySide};

const OTHER: u64 = 0x3000;

impl Story {
    /// A launch of the kernel that is after these only.
    fn begin_after(self, launch: u32, after: &[u32]) -> Self {
        self.begin_programmatic(launch, after, &[])
    }

    /// A launch of the kernel that is after these only, and after some others where it has waited.
    fn begin_programmatic(mut self, launch: u32, after: &[u32], after_wait: &[u32]) -> Self {
        self.buffer.push(Event::LaunchEnd { launch: LaunchId(launch - 1) });
        let launches = |numbers: &[u32]| -> Vec<LaunchId> {
            numbers.iter().map(|number| LaunchId(*number)).collect()
        };
        let earlier: Vec<u32> = (0..launch).collect();
        self.buffer.push(Event::LaunchOrder {
            launch: LaunchId(launch),
            after: &launches(after),
            after_wait: &launches(after_wait),
            open: &launches(&earlier),
        });
        self.begin(launch)
    }

    /// A thread executes `griddepcontrol.wait`.
    fn wait_for_prerequisites(mut self, who: Who) -> Self {
        self.buffer.push(Event::PrerequisiteWait {
            block: BlockIndex(who.0),
            warp: who.1 / 32,
            mask: 1 << (who.1 % 32),
            site: SiteId(0),
        });
        self
    }

    /// A thread reads a word through the read-only path.
    fn read_only(mut self, (block, thread): Who, at: u64) -> Self {
        self.site += 1;
        self.buffer.push(Event::Access(Access {
            block: BlockIndex(block),
            warp: thread / 32,
            site: SiteId(self.site),
            mask: 1 << (thread % 32),
            wrote: 0,
            space: Space::Global,
            owner: BlockIndex(block),
            kind: AccessKind::Read,
            strength: Strength::Weak,
            bytes: 4,
            elements: 1,
            addresses: LaneAddresses::Uniform(at),
            values: &[],
            versions: &[],
            read_only_path: true,
        }));
        self
    }

    /// A thread begins a copy from global to shared memory.
    fn copy(mut self, (block, thread): Who, from: u64, kind: CopyKind) -> Self {
        let block = BlockIndex(block);
        let side = |space, address| CopySide {
            space,
            owner: block,
            addresses: LaneAddresses::Uniform(address),
            bytes: 16,
        };
        self.buffer.push(Event::CopyBegin(CopyBegin {
            block,
            warp: thread / 32,
            mask: 1 << (thread % 32),
            site: SiteId(50),
            kind,
            first: 0,
            from: Some(side(Space::Global, from)),
            to: side(Space::Shared, 0),
            reduces: false,
        }));
        self
    }
}

/// The third launch is after the first one, and not after the second: whatever the readers of the first stand
/// for, those of the second have to be remembered.
#[test]
fn readers_of_one_launch_do_not_stand_for_those_of_another() {
    let read = |mut story: Story, who: Who| {
        story.site = 0;
        story.read(who, DATA)
    };
    let story = [0, 1, 2, 3].into_iter().fold(Story::new(), |story, block| read(story, (block, 0)));
    let story = read(read(story.begin_after(1, &[]), (2, 0)), (3, 0));
    let story = story.begin_after(2, &[0]);
    assert_eq!(story.write((0, 0), DATA).kinds(), [RaceKind::InterKernel]);
}

/// What the first launch wrote is read by a second one that may overlap it.
fn overlapped() -> Story {
    Story::new().write((0, 0), DATA).begin_programmatic(1, &[], &[0])
}

#[test]
fn a_thread_is_after_a_launch_that_it_may_overlap_once_it_has_waited() {
    let races = overlapped().read((0, 0), DATA).tell().races;
    assert_eq!(races.len(), 1);
    assert_eq!(races[0].kind, RaceKind::InterKernel);
    assert!(races[0].advice.contains("cudaGridDependencySynchronize"), "{}", races[0].advice);
    assert!(overlapped().wait_for_prerequisites((0, 0)).read((0, 0), DATA).clean());
    assert!(overlapped().wait_for_prerequisites((3, 7)).write((3, 7), DATA).clean());
    let too_late = overlapped().read((0, 0), DATA).wait_for_prerequisites((0, 0));
    assert_eq!(too_late.read((0, 0), DATA).kinds(), [RaceKind::InterKernel]);
    let overwritten = Story::new().read((0, 0), DATA).begin_programmatic(1, &[], &[0]);
    assert_eq!(overwritten.write((0, 0), DATA).kinds(), [RaceKind::InterKernel]);
}

#[test]
fn a_thread_that_waited_hands_on_what_it_knows() {
    let waited = || overlapped().wait_for_prerequisites((0, 0));
    for who in [(0, 1), (0, 40), (1, 0)] {
        assert_eq!(waited().read(who, DATA).kinds(), [RaceKind::InterKernel], "{who:?}");
    }
    assert!(waited().barrier(0, ALL).read((0, 40), DATA).clean());
    assert!(waited().barrier(0, ALL).read((0, 1), DATA).clean());
    assert_eq!(waited().barrier(0, ALL).read((1, 0), DATA).kinds(), [RaceKind::InterKernel]);
    let flag = waited().strong_write((0, 0), FLAG, RELEASE).strong_read((1, 0), FLAG, ACQUIRE);
    assert!(flag.read((1, 0), DATA).clean());
    let relaxed = waited().strong_write((0, 0), FLAG, RELAXED).strong_read((1, 0), FLAG, ACQUIRE);
    assert_eq!(relaxed.read((1, 0), DATA).kinds(), [RaceKind::InterKernel]);
    let before_the_wait = overlapped()
        .strong_write((0, 0), FLAG, RELEASE)
        .wait_for_prerequisites((0, 0))
        .strong_read((1, 0), FLAG, ACQUIRE);
    assert_eq!(before_the_wait.read((1, 0), DATA).kinds(), [RaceKind::InterKernel]);
}

#[test]
fn whoever_is_after_a_launch_is_after_what_a_thread_of_it_waited_for() {
    // Not after the first launch but for the second one.
    let third = |story: Story| story.begin_after(2, &[1]).read((0, 0), DATA);
    assert!(third(overlapped().wait_for_prerequisites((2, 9))).clean());
    assert_eq!(third(overlapped()).kinds(), [RaceKind::InterKernel], "nobody waited");
    let chain = |story: Story| {
        let third = story.begin_programmatic(2, &[], &[1]);
        third.wait_for_prerequisites((0, 0)).read((0, 0), DATA)
    };
    assert!(chain(overlapped().wait_for_prerequisites((2, 9))).clean());
    assert_eq!(chain(overlapped()).kinds(), [RaceKind::InterKernel], "nobody waited");
}

#[test]
fn a_wait_says_nothing_about_launches_of_other_streams() {
    let story = Story::new().write((0, 0), DATA).begin_after(1, &[]).write((0, 0), OTHER);
    let story = story.begin_programmatic(2, &[], &[1]).wait_for_prerequisites((0, 0));
    assert_eq!(story.read((0, 0), OTHER).read((0, 0), DATA).kinds(), [RaceKind::InterKernel]);
    let waited = Story::new().write((0, 0), DATA).begin_after(1, &[]);
    let waited = waited.wait_for_prerequisites((0, 0)).read((0, 0), DATA);
    assert_eq!(waited.kinds(), [RaceKind::InterKernel], "there is nothing to wait for");
}

/// Knowledge that goes from launch to launch is about the launch that was waited for, not about any wait.
#[test]
fn a_flag_of_an_overlapping_launch_tells_what_its_thread_waited_for() {
    let second = overlapped().write((1, 0), OTHER).wait_for_prerequisites((0, 0)).strong_write(
        (0, 0),
        FLAG,
        RELEASE,
    );
    let third = second.begin_programmatic(2, &[], &[1]).strong_read((0, 0), FLAG, ACQUIRE);
    assert_eq!(third.read((0, 0), DATA).read((0, 0), OTHER).kinds(), [RaceKind::InterKernel]);
}

#[test]
fn a_wait_for_a_launch_needs_no_proxy_fence() {
    for kind in [CopyKind::Thread, CopyKind::Bulk] {
        let races = overlapped().copy((0, 0), DATA, kind).tell().races;
        assert_eq!(races.len(), 1);
        assert_eq!((races[0].kind, races[0].second.bytes), (RaceKind::InterKernel, 16));
    }
    assert!(overlapped().wait_for_prerequisites((0, 0)).copy((0, 0), DATA, CopyKind::Bulk).clean());
}

#[test]
fn the_order_of_launches_counts_for_the_read_only_path() {
    let second = |after: &[u32]| Story::new().write((0, 0), DATA).begin_after(1, after);
    assert!(second(&[0]).read_only((0, 0), DATA).clean());
    assert_eq!(second(&[]).read_only((0, 0), DATA).kinds(), [RaceKind::InterKernel]);
    assert!(overlapped().wait_for_prerequisites((0, 0)).read_only((0, 0), DATA).clean());
    for update in [Story::atomic, Story::reduction] {
        let second =
            |after: &[u32]| update(Story::new(), (0, 0), DATA, RELAXED).begin_after(1, after);
        assert!(second(&[0]).read_only((0, 0), DATA).clean());
        assert_eq!(second(&[]).read_only((0, 0), DATA).kinds(), [RaceKind::InterKernel]);
    }
    let overwritten = |after: &[u32]| {
        let second = Story::new().read_only((0, 0), DATA).begin_after(1, after);
        second.write((0, 0), DATA)
    };
    assert!(overwritten(&[0]).clean());
    assert_eq!(overwritten(&[]).kinds(), [RaceKind::InterKernel]);
    let same = Story::new().begin_after(1, &[]).write((0, 0), DATA).read_only((0, 0), DATA);
    assert_eq!(same.kinds(), [RaceKind::ReadonlyPath], "no order helps within a launch");
}

#[test]
fn readers_through_the_read_only_path_do_not_stand_for_those_of_another_launch() {
    let story = Story::new().read_only((0, 0), DATA).begin_after(1, &[]).read_only((0, 0), DATA);
    let story = story.begin_after(2, &[1]);
    assert_eq!(story.write((0, 0), DATA).kinds(), [RaceKind::InterKernel]);
}
