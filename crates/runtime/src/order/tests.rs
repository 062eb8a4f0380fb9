//! What work is ordered after: streams, events, graphs, and what the host has waited for.

use super::*;

const LEGACY: Stream = Stream::Legacy;
const ONE: Stream = Stream::Blocking(1);
const TWO: Stream = Stream::Blocking(2);
const FREE: Stream = Stream::NonBlocking(3);
const EVENT: EventNumber = EventNumber(0);

#[derive(Default)]
struct Story {
    order: WorkOrder,
    count: u32,
}

impl Story {
    fn with(streams: &[Stream]) -> Story {
        let mut story = Story::default();
        for stream in streams {
            story.order.begin_stream(*stream);
        }
        story
    }

    /// The only thread of the host accesses memory.
    fn host_access(&mut self) -> Option<WorkId> {
        self.order.add_host_access(&Moment::default(), self.order.asked_for())
    }

    /// Does a piece of work: what counts still, and the part of it that the work is after.
    fn does(&mut self, work: WorkId) -> (Vec<u32>, Vec<u32>) {
        assert!(self.order.is_ready(work, &WorkSet::new()));
        let position = self.order.position(work);
        self.order.done(work, Some(LaunchId(self.count)));
        self.count += 1;
        let numbers = |work: Vec<LaunchId>| work.into_iter().map(|one| one.0).collect();
        (numbers(position.open), numbers(position.after))
    }

    /// Work that is done at once.
    fn work(&mut self, stream: Stream) -> (Vec<u32>, Vec<u32>) {
        let work = self.order.add(stream);
        self.does(work)
    }

    fn finish(&mut self, wait: Wait) {
        let awaited = self.order.awaited(wait);
        assert!(awaited.iter().all(|work| self.order.is_done(*work)));
        self.order.know(&awaited);
    }
}

#[test]
fn one_stream_is_in_order_and_little_of_it_stays() {
    let mut story = Story::default();
    for _ in 0..5 {
        assert_eq!(story.work(LEGACY), (vec![], vec![]));
    }
    let mut story = Story::with(&[ONE]);
    for _ in 0..1000 {
        let (open, after) = story.work(ONE);
        assert_eq!(open, after, "all of it is in order");
        assert!(open.len() <= MOST_OPEN);
    }
}

#[test]
fn a_stream_that_is_made_later_does_not_follow_the_others() {
    let mut story = Story::with(&[ONE]);
    story.work(ONE);
    story.order.begin_stream(TWO);
    assert_eq!(story.work(TWO), (vec![0], vec![]));
}

#[test]
fn streams_are_not_ordered_and_the_default_stream_orders_blocking_ones() {
    let mut story = Story::with(&[ONE, TWO]);
    assert_eq!(story.work(ONE), (vec![], vec![]));
    assert_eq!(story.work(TWO), (vec![0], vec![]));
    assert_eq!(story.work(ONE), (vec![0, 1], vec![0]));
    assert_eq!(story.work(LEGACY), (vec![], vec![]), "it is after all, and before all to come");
    assert_eq!(story.work(TWO), (vec![], vec![]), "all follow the default stream");
    let mut story = Story::with(&[ONE, FREE]);
    assert_eq!(story.work(LEGACY), (vec![], vec![]));
    assert_eq!(story.work(FREE), (vec![0], vec![]), "it does not wait for the default stream");
    assert_eq!(story.work(ONE), (vec![0, 1], vec![0]));
    assert_eq!(story.work(LEGACY), (vec![0, 1, 2], vec![0, 2]));
}

#[test]
fn an_event_stands_for_what_was_there_when_it_was_recorded() {
    let mut story = Story::with(&[ONE, FREE]);
    story.work(ONE);
    story.order.record(EVENT, ONE);
    story.work(ONE);
    story.order.wait(FREE, EVENT);
    assert_eq!(story.work(FREE), (vec![0, 1], vec![0]));
    let mut story = Story::with(&[ONE, FREE]);
    story.order.wait(FREE, EVENT);
    story.work(ONE);
    assert_eq!(story.work(FREE), (vec![0], vec![]), "it was not recorded yet");
    story.order.record(EVENT, LEGACY);
    story.order.wait(FREE, EVENT);
    assert_eq!(story.work(FREE).1, [0, 1], "that of the default stream waits for blocking ones");
}

#[test]
fn what_the_host_has_waited_for_is_settled() {
    let mut story = Story::with(&[ONE, TWO]);
    story.work(ONE);
    story.work(TWO);
    story.finish(Wait::Stream(ONE));
    assert_eq!(story.work(ONE), (vec![1], vec![]));
    story.order.record(EVENT, TWO);
    story.finish(Wait::Event(EVENT));
    assert_eq!(story.work(TWO), (vec![2], vec![]));
    story.finish(Wait::Everything);
    assert!(!story.order.is_in_flight());
    assert_eq!(story.work(ONE), (vec![], vec![]));
    story.order.end_stream(TWO);
    story.order.end_event(EVENT);
    assert_eq!(story.work(ONE).1, [4], "its own stream goes on");
}

#[test]
fn work_of_a_stream_that_is_gone_still_counts() {
    let mut story = Story::with(&[ONE, TWO]);
    story.work(ONE);
    story.order.end_stream(ONE);
    assert_eq!(story.work(TWO), (vec![0], vec![]));
    assert_eq!(story.work(LEGACY), (vec![], vec![]));
}

#[test]
fn work_waits_for_what_it_is_after_and_may_be_done_in_any_other_order() {
    let mut story = Story::with(&[ONE, TWO]);
    let first = story.order.add(ONE);
    let second = story.order.add(ONE);
    let other = story.order.add(TWO);
    assert!(
        story.order.is_ready(first, &WorkSet::new())
            && story.order.is_ready(other, &WorkSet::new())
    );
    assert!(!story.order.is_ready(second, &WorkSet::new()));
    assert_eq!(story.does(other), (vec![], vec![]));
    assert_eq!(story.does(first), (vec![0], vec![]));
    assert_eq!(story.does(second), (vec![0, 1], vec![1]));
}

#[test]
fn what_the_host_has_waited_for_counts_for_work_that_was_waiting_then() {
    let mut story = Story::with(&[ONE, TWO]);
    let waiting = story.order.add(ONE);
    assert_eq!(story.work(TWO), (vec![], vec![]));
    story.finish(Wait::Stream(TWO));
    assert_eq!(story.work(TWO), (vec![0], vec![0]), "it is after what the host has waited for");
    assert_eq!(story.does(waiting), (vec![0, 1], vec![]));
    story.finish(Wait::Everything);
    assert_eq!(story.work(ONE), (vec![], vec![]));
}

#[test]
fn an_event_happens_when_the_last_of_its_work_is_done() {
    let mut story = Story::with(&[ONE]);
    let first = story.order.add(ONE);
    let second = story.order.add(ONE);
    story.order.record(EVENT, ONE);
    story.does(first);
    assert_eq!(story.order.time_of(EVENT), None);
    story.does(second);
    assert!(story.order.time_of(EVENT).is_some());
    story.order.record(EVENT, TWO);
    assert!(story.order.time_of(EVENT).is_some(), "nothing has to be waited for");
}

#[test]
fn an_access_of_the_host_is_after_what_it_has_waited_for_and_before_what_it_asks_for_then() {
    let mut story = Story::with(&[ONE, FREE]);
    assert_eq!(story.host_access(), None, "nothing is in flight");
    story.work(ONE);
    let waiting = story.order.add(FREE);
    let access = story.host_access().expect("work is in flight");
    assert_eq!(story.does(access), (vec![0], vec![]));
    assert_eq!(story.work(ONE), (vec![0, 1], vec![0, 1]));
    assert_eq!(story.does(waiting), (vec![0, 1, 2], vec![]));
    story.finish(Wait::Everything);
    assert_eq!(story.host_access(), None);
}

#[test]
fn work_without_events_still_orders() {
    let mut story = Story::with(&[ONE, FREE]);
    story.work(ONE);
    let silent = story.order.add(ONE);
    story.order.record(EVENT, ONE);
    story.order.done(silent, None);
    story.order.wait(FREE, EVENT);
    assert_eq!(story.work(FREE), (vec![0], vec![0]));
}

#[test]
fn work_that_overlaps_is_not_after_the_work_before_it_and_what_follows_is_after_both() {
    let mut story = Story::with(&[ONE, FREE]);
    story.work(ONE);
    let first = story.order.add(ONE);
    story.order.set_launch(first);
    story.does(first);
    let overlapping = story.order.add_overlapping(ONE);
    let position = story.order.position(overlapping);
    assert_eq!(position.open, [LaunchId(0), LaunchId(1)]);
    assert_eq!((position.after, position.after_wait), (vec![LaunchId(0)], vec![LaunchId(1)]));
    story.does(overlapping);
    assert_eq!(story.work(ONE).1, [0, 1, 2]);
}

#[test]
fn a_graph_orders_its_parts_by_itself() {
    let mut story = Story::with(&[ONE, FREE]);
    story.work(ONE);
    let root = story.order.add_after(story.order.before_graph(ONE));
    let left = story.order.add_after(WorkSet::from([root]));
    let right = story.order.add_after(WorkSet::from([root]));
    story.order.end_graph(ONE, WorkSet::from([left, right]));
    assert!(!story.order.is_ready(right, &WorkSet::new()));
    assert_eq!(story.does(root).1, [0]);
    assert_eq!(story.does(right).1, [0, 1]);
    assert_eq!(story.does(left), (vec![0, 1, 2], vec![0, 1]));
    assert_eq!(story.work(ONE).1, [0, 1, 2, 3]);
}

#[test]
fn only_a_launch_that_the_host_has_not_waited_for_is_overlapped() {
    let mut story = Story::with(&[ONE, FREE]);
    story.work(ONE);
    let after_copy = story.order.add_overlapping(ONE);
    assert_eq!(story.does(after_copy), (vec![0], vec![0]), "the work before is no launch");
    story.work(FREE);
    story.finish(Wait::Stream(ONE));
    let known = story.order.add_overlapping(ONE);
    let position = story.order.position(known);
    assert_eq!(position.after_wait, []);
}

#[test]
fn work_is_not_forgotten_before_the_host_has_waited_if_the_host_can_race_with_it() {
    let mut story = Story::default();
    story.order.set_host_can_race(true);
    story.work(LEGACY);
    assert!(story.order.is_in_flight());
    let access = story.host_access().expect("work is in flight");
    assert_eq!(story.does(access), (vec![0], vec![]));
    story.finish(Wait::Everything);
    assert!(!story.order.is_in_flight());
    for _ in 0..1000 {
        let (open, after) = story.work(LEGACY);
        assert_eq!(open, after);
        assert!(open.len() <= MOST_OPEN);
    }
}

#[test]
fn the_default_stream_orders_blocking_streams_when_it_waits() {
    let mut story = Story::with(&[ONE, TWO, FREE]);
    story.work(ONE);
    story.order.record(EVENT, FREE);
    story.order.wait(LEGACY, EVENT);
    assert_eq!(story.work(TWO).1, [0]);
}

/// A thread of the host that knows what some others know.
fn thread(number: u32, knows: &[&Moment]) -> Moment {
    Moment::for_tests(number, knows)
}

impl Story {
    fn called_by(&mut self, caller: &Moment, all: &[&Moment]) -> &mut Story {
        let all = all.iter().map(|moment| (*moment).clone()).collect();
        self.order.set_caller(caller.clone(), all);
        self
    }

    /// Does a piece of work: what it may be after, unseen.
    fn perhaps_after(&mut self, work: WorkId) -> Vec<u32> {
        let position = self.order.position(work);
        self.does(work);
        position.perhaps_after.into_iter().map(|launch| launch.0).collect()
    }
}

#[test]
fn what_one_thread_has_waited_for_orders_its_own_work_and_perhaps_that_of_another() {
    let (left, right) = (&thread(1, &[]), &thread(2, &[]));
    let mut story = Story::with(&[ONE, TWO, FREE]);
    story.called_by(left, &[left, right]).work(ONE);
    let asked_before = story.called_by(right, &[left, right]).order.add(TWO);
    story.called_by(left, &[left, right]).finish(Wait::Stream(ONE));
    assert_eq!(story.work(FREE), (vec![0], vec![0]), "its own work is after it");
    let asked_after = story.called_by(right, &[left, right]).order.add(TWO);
    assert!(
        story.perhaps_after(asked_before).is_empty(),
        "nobody had waited when it was asked for"
    );
    assert_eq!(story.perhaps_after(asked_after), [0], "the threads may have met unseen");
}

#[test]
fn a_thread_that_has_synchronised_knows_what_the_other_has_waited_for() {
    let (left, right) = (&thread(1, &[]), &thread(2, &[]));
    let mut story = Story::with(&[ONE, TWO]);
    story.called_by(left, &[left, right]).work(ONE);
    story.finish(Wait::Stream(ONE));
    let right = &thread(2, &[left]);
    assert_eq!(
        story.called_by(right, &[left, right]).work(TWO),
        (vec![], vec![]),
        "all know of it"
    );
}

#[test]
fn a_wait_is_not_sure_to_be_after_what_another_thread_asked_for_unseen() {
    let (left, right) = (&thread(1, &[]), &thread(2, &[]));
    let mut story = Story::with(&[ONE, TWO]);
    story.called_by(left, &[left, right]).work(ONE);
    story.called_by(right, &[left, right]).finish(Wait::Everything);
    let work = story.order.add(TWO);
    assert!(story.order.position(work).after.is_empty());
    assert_eq!(story.perhaps_after(work), [0]);
}

#[test]
fn threads_that_never_synchronise_do_not_make_work_open_without_bound() {
    let (left, right) = (&thread(1, &[]), &thread(2, &[]));
    let mut story = Story::with(&[ONE, TWO]);
    for _ in 0..1000 {
        for (thread, stream) in [(left, ONE), (right, TWO)] {
            let (open, _) = story.called_by(thread, &[left, right]).work(stream);
            assert!(open.len() <= MOST_OPEN + 2, "{}", open.len());
            story.finish(Wait::Stream(stream));
        }
    }
}
