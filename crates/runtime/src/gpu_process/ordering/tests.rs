//! What launches on a GPU are ordered after, step by step as the driver takes them.

use super::*;

const ONE: CUstream = CUstream(0x10);
const TWO: CUstream = CUstream(0x20);
const FREE: CUstream = CUstream(0x31);
const LEGACY: CUstream = CUstream::NULL;
const EVENT: CUevent = CUevent(0x77);
const NONE: [u32; 0] = [];

/// A program that does one thing after the other.
#[derive(Default)]
struct Story {
    kept: KeptOrder,
    launches: u32,
}

impl Story {
    /// Streams with an odd handle do not block.
    fn step(&mut self, step: OrderStep) {
        self.kept.step(step, &|stream| Some(stream.0 % 2 == 0));
    }

    fn launch(&mut self, stream: CUstream) -> (Vec<u32>, Vec<u32>) {
        self.launch_as(|launch| launch.stream = stream)
    }

    /// The launches that a launch is not after.
    fn beside(&mut self, stream: CUstream) -> Vec<u32> {
        let (open, after) = self.launch(stream);
        open.into_iter().filter(|launch| !after.contains(launch)).collect()
    }

    /// What is open when a launch begins, and what it is after.
    fn launch_as(&mut self, change: impl FnOnce(&mut OrderedLaunch)) -> (Vec<u32>, Vec<u32>) {
        let launch = LaunchId(self.launches);
        self.launches += 1;
        let mut ordered = OrderedLaunch {
            launch,
            stream: ONE,
            overlaps: false,
            speaks_to_host: false,
            is_one_of_several: false,
        };
        change(&mut ordered);
        self.step(OrderStep::Launched(ordered));
        let position = self.kept.positions.remove(&launch).expect("its position");
        let numbers = |launches: &[LaunchId]| launches.iter().map(|launch| launch.0).collect();
        (numbers(&position.open), numbers(&position.after))
    }
}

#[test]
fn launches_in_different_streams_are_not_in_order() {
    let mut story = Story::default();
    assert_eq!(story.beside(ONE), NONE);
    assert_eq!(story.beside(TWO), [0]);
    assert_eq!(story.beside(FREE), [0, 1]);
    assert_eq!(story.beside(ONE), [1, 2]);
    // The default stream waits for those that block.
    assert_eq!(story.beside(LEGACY), [2]);
    assert_eq!(story.beside(TWO), [2]);
}

#[test]
fn what_was_settled_at_a_launch_does_not_change_until_it_is_read() {
    let mut story = Story::default();
    story.launch(ONE);
    let launch = OrderedLaunch {
        launch: LaunchId(9),
        stream: TWO,
        overlaps: false,
        speaks_to_host: false,
        is_one_of_several: false,
    };
    story.step(OrderStep::Launched(launch));
    story.step(OrderStep::HostWaitedForAll);
    let position = story.kept.positions.remove(&LaunchId(9)).expect("its position");
    assert_eq!((position.open, position.after), (vec![LaunchId(0)], vec![]));
}

#[test]
fn copies_in_the_default_stream_are_between_launches_too() {
    let mut story = Story::default();
    story.launch(ONE);
    story.step(OrderStep::Work(FREE));
    assert_eq!(story.beside(TWO), [0]);
    story.step(OrderStep::Work(CUstream::LEGACY));
    assert_eq!(story.beside(ONE), NONE);
}

#[test]
fn streams_wait_for_events_and_the_host_for_both() {
    let mut story = Story::default();
    story.launch(ONE);
    story.step(OrderStep::Recorded { event: EVENT, stream: ONE });
    story.launch(ONE);
    story.step(OrderStep::StreamWaits { stream: FREE, event: EVENT });
    assert_eq!(story.beside(FREE), [1]);
    story.step(OrderStep::HostWaitedForEvent(EVENT));
    assert_eq!(story.beside(TWO), [1, 2]);
    story.step(OrderStep::HostWaitedForStream(ONE));
    assert_eq!(story.beside(TWO), [2]);
    story.step(OrderStep::HostWaitedForAll);
    assert_eq!(story.launch(CUstream(0x40)), (vec![], vec![]));
}

#[test]
fn an_event_in_the_default_stream_is_work_in_it() {
    let mut story = Story::default();
    story.launch(ONE);
    story.step(OrderStep::Recorded { event: EVENT, stream: LEGACY });
    assert_eq!(story.beside(TWO), NONE);
    story.step(OrderStep::StreamWaits { stream: FREE, event: EVENT });
    assert_eq!(story.beside(FREE), [1]);
}

#[test]
fn an_event_that_stands_for_what_is_not_known_is_after_everything() {
    let mut story = Story::default();
    story.launch(ONE);
    story.step(OrderStep::Recorded { event: EVENT, stream: TWO });
    story.step(OrderStep::RecordedElsewhere(EVENT));
    story.launch(TWO);
    story.step(OrderStep::StreamWaits { stream: FREE, event: EVENT });
    assert_eq!(story.beside(FREE), NONE);
    story.step(OrderStep::Recorded { event: EVENT, stream: ONE });
    story.step(OrderStep::StreamWaits { stream: TWO, event: EVENT });
    assert_eq!(story.beside(TWO), [2], "it is known again");
}

#[test]
fn a_handle_may_be_another_streams_next() {
    let mut story = Story::default();
    story.launch(FREE);
    story.step(OrderStep::StreamEnded(FREE));
    story.step(OrderStep::StreamMade(FREE));
    assert_eq!(story.beside(FREE), [0]);
    // Where the end was not seen, the beginning says so.
    story.step(OrderStep::StreamMade(FREE));
    assert_eq!(story.beside(FREE), [0, 1]);
    story.step(OrderStep::ContextEnded);
    assert_eq!(story.beside(FREE), NONE);
}

#[test]
fn every_thread_has_a_default_stream_that_blocks() {
    let mut story = Story::default();
    story.launch(CUstream::PER_THREAD);
    assert_eq!(story.beside(CUstream::PER_THREAD), NONE);
    std::thread::scope(|scope| {
        scope.spawn(|| assert_eq!(story.beside(CUstream::PER_THREAD), [0, 1]));
    });
    assert_eq!(story.beside(LEGACY), NONE);
}

#[test]
fn after_what_cannot_be_followed_all_is_in_order() {
    let mut story = Story::default();
    story.launch(ONE);
    story.step(OrderStep::NotFollowed);
    assert_eq!(story.beside(TWO), NONE);
    assert_eq!(story.beside(FREE), NONE);
    let mut story = Story::default();
    story.launch(ONE);
    story.kept.step(OrderStep::StreamMade(TWO), &|_| None);
    assert_eq!(story.beside(TWO), NONE, "the driver does not know this stream");
    assert_eq!(story.beside(FREE), NONE);
}

#[test]
fn kernels_that_the_host_could_have_spoken_to_are_in_order() {
    let mut story = Story::default();
    let beside = |(open, after): (Vec<u32>, Vec<u32>)| open.len() - after.len();
    story.launch(ONE);
    let speaks = |launch: &mut OrderedLaunch| {
        (launch.stream, launch.speaks_to_host) = (TWO, true);
    };
    assert_eq!(beside(story.launch_as(speaks)), 1, "there is nothing by which they could");
    story.step(OrderStep::SharedWithHost);
    assert_eq!(beside(story.launch_as(speaks)), 0);
    assert_eq!(beside(story.launch(FREE)), 0, "the host may have heard of it");
    assert_eq!(beside(story.launch(ONE)), 1, "it cannot speak");
}

#[test]
fn launches_on_several_devices_wait_for_all_streams() {
    let mut story = Story::default();
    story.launch(ONE);
    let (open, _) = story.launch_as(|launch| {
        (launch.stream, launch.is_one_of_several) = (TWO, true);
    });
    assert_eq!(open, NONE);
    assert_eq!(story.beside(FREE), NONE);
}

#[test]
fn a_launch_may_overlap_the_one_before_it_in_its_stream() {
    let mut story = Story::default();
    story.launch(ONE);
    let (open, after) = story.launch_as(|launch| launch.overlaps = true);
    assert_eq!((open, after), (vec![0], vec![]));
    assert_eq!(story.beside(ONE), NONE);
}

#[test]
fn little_is_kept_of_a_program_that_never_waits() {
    let mut story = Story::default();
    story.step(OrderStep::StreamMade(FREE));
    for _ in 0..1000 {
        let (open, _) = story.launch(ONE);
        assert!(open.len() <= MOST_OPEN, "{}", open.len());
    }
    let beside = story.beside(FREE);
    assert!(beside.contains(&999) && !beside.contains(&0), "the oldest are taken to be before it");
}

#[test]
fn memory_that_was_given_back_may_bring_streams_into_an_order() {
    let mut story = Story::default();
    story.launch(ONE);
    story.step(OrderStep::Taken(TWO));
    assert_eq!(story.beside(TWO), [0], "nothing was given back");
    story.step(OrderStep::Freed(ONE));
    assert_eq!(story.beside(FREE), [0, 1]);
    story.step(OrderStep::Taken(TWO));
    assert_eq!(story.beside(CUstream(0x40)), NONE);
    story.step(OrderStep::Taken(ONE));
    assert_eq!(story.beside(ONE), [3], "that was then");
}
