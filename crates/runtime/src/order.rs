//! Which work of a device comes after which: streams, events, and what the host has waited for.
//!
//! Work is a launch, a copy or a fill. Work whose place in the order can matter to nothing that follows is
//! settled and forgotten: the host has waited for it, or the default stream has, and every stream that there
//! is would wait for it. A stream that is made later than that is taken to follow it, too; so is one that is
//! made when very much work is open.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use warpsan_model::LaunchId;

/// A stream, by the number that its owner gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stream {
    /// The legacy default stream. It waits for all blocking streams, and they for it.
    Legacy,
    /// A stream that waits for the legacy default stream.
    Blocking(u64),
    /// A stream that does not.
    NonBlocking(u64),
}

/// An event, by the number that its owner gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventNumber(pub u64);

/// Work that is not settled.
type Open = BTreeSet<LaunchId>;

/// What a piece of work follows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Earlier work that counts still.
    pub(crate) open: Vec<LaunchId>,
    /// The part of it that it is after.
    pub(crate) after: Vec<LaunchId>,
}

/// The order of all work of a process.
#[derive(Debug, Default)]
pub struct WorkOrder {
    /// By work that is not settled: other such work that it is after.
    before: BTreeMap<LaunchId, Open>,
    /// By stream: what its next work will be after, apart from the default stream's rules.
    streams: BTreeMap<Stream, Open>,
    events: HashMap<EventNumber, Open>,
    /// The last work of blocking streams that are gone.
    gone: Open,
}

/// With more open work than this, what all streams follow is settled.
const MOST_OPEN: usize = 64;

impl WorkOrder {
    /// A stream is there from now on.
    pub fn begin_stream(&mut self, stream: Stream) {
        self.streams.entry(stream).or_default();
    }

    /// A stream is gone; its work is not.
    pub fn end_stream(&mut self, stream: Stream) {
        let last = self.streams.remove(&stream).unwrap_or_default();
        if matches!(stream, Stream::Blocking(_)) {
            self.gone.extend(last);
        }
    }

    /// An event is gone.
    pub fn end_event(&mut self, event: EventNumber) {
        self.events.remove(&event);
    }

    /// Puts work into a stream.
    pub(crate) fn work(&mut self, work: LaunchId, stream: Stream) -> Place {
        let after = self.next_in(stream);
        let open: Vec<LaunchId> = self.before.keys().copied().collect();
        self.before.insert(work, after.clone());
        self.streams.insert(stream, Open::from([work]));
        self.settle_what_all_follow();
        let is_after_all = after.len() == open.len();
        if is_after_all && !open.iter().any(|earlier| self.is_open(*earlier)) {
            return Place { open: Vec::new(), after: Vec::new() };
        }
        Place { open, after: after.into_iter().collect() }
    }

    /// Settles work that nothing has to be compared with.
    pub(crate) fn forget(&mut self, work: LaunchId) {
        self.settle(&Open::from([work]));
    }

    /// Whether the work is not settled.
    pub(crate) fn is_open(&self, work: LaunchId) -> bool {
        self.before.contains_key(&work)
    }

    /// What the next work of a stream would be after.
    fn next_in(&self, stream: Stream) -> Open {
        let mut direct = self.streams.get(&stream).cloned().unwrap_or_default();
        let waits_for = |other: &Stream| match stream {
            Stream::Legacy => matches!(other, Stream::Blocking(_)),
            Stream::Blocking(_) => *other == Stream::Legacy,
            Stream::NonBlocking(_) => false,
        };
        for (_, last) in self.streams.iter().filter(|(other, _)| waits_for(other)) {
            direct.extend(last);
        }
        if stream == Stream::Legacy {
            direct.extend(&self.gone);
        }
        self.with_all_before(direct)
    }

    fn with_all_before(&self, work: Open) -> Open {
        let before = work.iter().filter_map(|one| self.before.get(one)).flatten();
        before.copied().chain(work.iter().copied()).collect()
    }

    fn settle_what_all_follow(&mut self) {
        let mut streams: Vec<Stream> = self.streams.keys().copied().collect();
        if !streams.contains(&Stream::Legacy) {
            streams.push(Stream::Legacy);
        }
        // A blocking stream that is made later follows what the default stream has waited for.
        let mut followed: Open = match self.before.len() > MOST_OPEN {
            true => self.before.keys().copied().collect(),
            false => {
                let last = self.streams.get(&Stream::Legacy).cloned().unwrap_or_default();
                self.with_all_before(last)
            }
        };
        for stream in streams {
            let next = self.next_in(stream);
            followed.retain(|work| next.contains(work));
        }
        self.settle(&followed);
    }

    fn settle(&mut self, work: &Open) {
        if work.is_empty() {
            return;
        }
        self.before.retain(|one, _| !work.contains(one));
        let others = self.before.values_mut().chain(self.streams.values_mut());
        for set in others.chain(self.events.values_mut()).chain([&mut self.gone]) {
            set.retain(|one| !work.contains(one));
        }
    }

    /// An event stands for all work that is in a stream now.
    pub fn record(&mut self, event: EventNumber, stream: Stream) {
        let before = self.next_in(stream);
        self.events.insert(event, before);
    }

    /// What follows in a stream waits for an event.
    pub fn wait(&mut self, stream: Stream, event: EventNumber) {
        let waited = self.events.get(&event).cloned().unwrap_or_default();
        self.streams.entry(stream).or_default().extend(waited);
        self.settle_what_all_follow();
    }

    /// The host has waited for an event.
    pub fn finish_event(&mut self, event: EventNumber) {
        let waited = self.events.get(&event).cloned().unwrap_or_default();
        self.settle(&waited);
    }

    /// The host has waited for a stream.
    pub fn finish_stream(&mut self, stream: Stream) {
        let waited = self.next_in(stream);
        self.settle(&waited);
    }

    /// The host has waited for everything.
    pub fn finish_all(&mut self) {
        let all: Open = self.before.keys().copied().collect();
        self.settle(&all);
    }
}

#[cfg(test)]
mod tests {
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

        /// The work that counts still, and the part of it that new work is after.
        fn work(&mut self, stream: Stream) -> (Vec<u32>, Vec<u32>) {
            let place = self.order.work(LaunchId(self.count), stream);
            self.count += 1;
            let numbers = |work: Vec<LaunchId>| work.into_iter().map(|one| one.0).collect();
            (numbers(place.open), numbers(place.after))
        }
    }

    #[test]
    fn one_stream_is_in_order_and_little_of_it_stays() {
        let mut story = Story::default();
        for _ in 0..5 {
            assert_eq!(story.work(LEGACY), (vec![], vec![]));
        }
        let mut story = Story::with(&[ONE]);
        for number in 0..1000 {
            let (open, after) = story.work(ONE);
            assert_eq!(open, after, "all of it is in order");
            assert!(open.len() <= MOST_OPEN);
            assert!(number > MOST_OPEN || open.len() == number % MOST_OPEN, "{number}");
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
        assert_eq!(
            story.work(FREE).1,
            [0, 1],
            "that of the default stream waits for blocking ones"
        );
    }

    #[test]
    fn what_the_host_has_waited_for_is_settled() {
        let mut story = Story::with(&[ONE, TWO]);
        story.work(ONE);
        story.work(TWO);
        story.order.finish_stream(ONE);
        assert_eq!(story.work(ONE), (vec![1], vec![]));
        story.order.record(EVENT, TWO);
        story.order.finish_event(EVENT);
        assert_eq!(story.work(TWO), (vec![2], vec![]));
        story.order.finish_all();
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
}
