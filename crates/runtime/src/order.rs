//! Which work of a device comes after which: streams, events, graphs, and what the host has waited for.
//!
//! Work is a launch, a copy, a fill, a function of the host in a stream, or an access of the host to memory that
//! a device uses too. It is put into the order when the program asks for it, and done later. Work whose place
//! in the order can matter to nothing that follows is settled and forgotten: it is done, all that is waiting is
//! after it, and the host has waited for it. Where the host has no memory that it could race for, it is enough
//! that the default stream has waited, and every stream that there is would wait: a stream that is made later than
//! that is taken to follow it, too. With very much work that is open, the same is done in any case.
//!
//! The host has several threads. What one of them has waited for is before what it does next, and before what another
//! one does only where the two have synchronised ([`Moment`]). Where nothing shows that they have, but one had waited
//! before the other asked, they may have met unseen: the work is *perhaps* after.

use crate::host_threads::{Moment, Stamp};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;
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

/// A piece of work, numbered in the order in which the program asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkId(u64);

/// Pieces of work.
pub type WorkSet = BTreeSet<WorkId>;

/// What the host can wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// All that is in a stream now.
    Stream(Stream),
    /// What was in a stream when an event was recorded there.
    Event(EventNumber),
    /// All that there is now.
    Everything,
}

/// What a piece of work follows, when it is done.
#[derive(Debug, PartialEq, Eq, Default)]
pub(crate) struct OrderPosition {
    /// Work whose events were emitted, and that counts still.
    pub(crate) open: Vec<LaunchId>,
    /// The part of it that this is after.
    pub(crate) after: Vec<LaunchId>,
    /// The part of it that a thread is after once it has waited for the launches before its own.
    pub(crate) after_wait: Vec<LaunchId>,
    /// The part of it that this may be after, if threads of the host have synchronised unseen.
    pub(crate) perhaps_after: Vec<LaunchId>,
}

#[derive(Debug)]
struct Node {
    is_launch: bool,
    /// Other work that it is after, all of it.
    before: WorkSet,
    /// Work that it is not after, but whose end its threads can wait for.
    overlaps: WorkSet,
    /// Work that it is not after as far as can be seen, but that a thread of the host had waited for.
    perhaps: WorkSet,
    progress: Progress,
    /// When a thread of the host asked for it.
    asked: Stamp,
    /// When threads of the host have waited for it, or done it.
    known: Vec<Stamp>,
    /// A thread of the host knows that it is done. That thread may have asked for it unseen.
    is_seen: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Waiting,
    /// It is done; if its events were emitted, under this number.
    Done(Option<LaunchId>),
}

impl Node {
    fn is_done(&self) -> bool {
        self.progress != Progress::Waiting
    }

    /// Whether a thread of the host knows that it is done.
    fn is_known_at(&self, moment: &Moment) -> bool {
        self.known.iter().any(|stamp| moment.knows(*stamp))
    }

    /// A thread of the host knows that it is done.
    fn set_known_at(&mut self, moment: &Moment) {
        self.is_seen = true;
        if !self.is_known_at(moment) {
            self.known.push(moment.stamp());
        }
    }
}

#[derive(Debug, Default)]
struct Recorded {
    work: WorkSet,
    /// When the last of it was done.
    time: Option<Instant>,
}

/// The order of all work of a process.
#[derive(Debug, Default)]
pub struct WorkOrder {
    nodes: BTreeMap<WorkId, Node>,
    next: u64,
    /// By stream: what its next work will be after, apart from the default stream's rules.
    streams: BTreeMap<Stream, WorkSet>,
    events: HashMap<EventNumber, Recorded>,
    /// The last work of blocking streams that are gone.
    gone: WorkSet,
    /// Who calls now.
    caller: Moment,
    /// The threads of the host that use devices, now. Empty where there is one thread.
    threads: Vec<Moment>,
    /// Moments at which threads of the host did something that is not in the order yet.
    open_moments: Vec<Moment>,
    /// The host has memory that devices use too.
    host_can_race: bool,
}

/// With more work than this that is done and open, what all streams follow is settled.
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
    pub(crate) fn add(&mut self, stream: Stream) -> WorkId {
        let before = self.next_in(stream);
        let work = self.insert(before, WorkSet::new());
        self.streams.insert(stream, WorkSet::from([work]));
        work
    }

    /// Puts a launch into a stream that need not wait for the end of a launch just before it.
    pub(crate) fn add_overlapping(&mut self, stream: Stream) -> WorkId {
        let last = self.streams.get(&stream).cloned().unwrap_or_default();
        let is_launch = |work: &WorkId| self.nodes.get(work).is_some_and(|node| node.is_launch);
        let is_known = |work: &WorkId| self.is_known(*work);
        let can_overlap = |work: &WorkId| is_launch(work) && !is_known(work);
        let overlaps: WorkSet = last.iter().copied().filter(can_overlap).collect();
        let before = self.next_in(stream).difference(&overlaps).copied().collect();
        let work = self.insert(before, overlaps.clone());
        self.set_launch(work);
        // What follows is after both.
        self.streams.insert(stream, &overlaps | &WorkSet::from([work]));
        work
    }

    /// A piece of work is a launch.
    pub(crate) fn set_launch(&mut self, work: WorkId) {
        if let Some(node) = self.nodes.get_mut(&work) {
            node.is_launch = true;
        }
    }

    /// Whether the host has memory that devices use too, from now on.
    pub(crate) fn set_host_can_race(&mut self, can_race: bool) {
        self.host_can_race = can_race;
    }

    /// What a graph that is launched into a stream follows.
    pub(crate) fn before_graph(&self, stream: Stream) -> WorkSet {
        self.next_in(stream)
    }

    /// Puts work that is part of a graph after other work.
    pub(crate) fn add_after(&mut self, work: WorkSet) -> WorkId {
        let before = self.with_all_before(work);
        self.insert(before, WorkSet::new())
    }

    /// A graph was launched into a stream: what follows is after all of it.
    pub(crate) fn end_graph(&mut self, stream: Stream, work: WorkSet) {
        if !work.is_empty() {
            self.streams.insert(stream, work);
        }
    }

    fn insert(&mut self, before: WorkSet, overlaps: WorkSet) -> WorkId {
        let is_perhaps = |(work, node): (&WorkId, &Node)| {
            (node.is_seen && !before.contains(work) && !overlaps.contains(work)).then_some(*work)
        };
        let perhaps = self.nodes.iter().filter_map(is_perhaps).collect();
        let node = Node {
            is_launch: false,
            before,
            overlaps,
            perhaps,
            progress: Progress::Waiting,
            asked: self.caller.stamp(),
            known: Vec::new(),
            is_seen: false,
        };
        let id = WorkId(self.next);
        self.next += 1;
        self.nodes.insert(id, node);
        id
    }

    /// How much work was asked for so far.
    pub(crate) fn asked_for(&self) -> u64 {
        self.next
    }

    /// A thread of the host calls, and these use devices. Until the next such call, what is asked for and waited for is
    /// asked for and waited for by it.
    pub(crate) fn set_caller(&mut self, caller: Moment, threads: Vec<Moment>) {
        self.caller = caller;
        self.threads = threads;
    }

    /// What threads of the host did at these moments will be added to the order.
    pub(crate) fn set_open_moments(&mut self, moments: Vec<Moment>) {
        self.open_moments = moments;
    }

    /// The host accesses memory that a device uses too, at a moment of one of its threads, when so much work had been
    /// [asked for](Self::asked_for). Nothing if no work is in flight.
    pub(crate) fn add_host_access(&mut self, moment: &Moment, asked_for: u64) -> Option<WorkId> {
        if !self.is_in_flight() {
            return None;
        }
        let known = self.nodes.iter().filter(|(_, node)| node.is_known_at(moment));
        let work = self.insert(known.map(|(work, _)| *work).collect(), WorkSet::new());
        let mut later: WorkSet = self.nodes.range(WorkId(asked_for)..).map(|(id, _)| *id).collect();
        later.remove(&work);
        if let Some(node) = self.nodes.get_mut(&work) {
            // What was asked for after it may be so because of it.
            node.perhaps.extend(later.difference(&node.before));
            node.asked = moment.stamp();
            // What the host does is before what it asks for later.
            node.set_known_at(moment);
        }
        Some(work)
    }

    /// Whether there is work that a thread of the host has not waited for.
    pub(crate) fn is_in_flight(&self) -> bool {
        self.nodes.values().any(|node| !self.is_known_to_all(node))
    }

    /// Whether the caller knows that a piece of work is done.
    fn is_known(&self, work: WorkId) -> bool {
        self.nodes.get(&work).is_some_and(|node| node.is_known_at(&self.caller))
    }

    /// Whether all threads of the host that use devices know that a piece of work is done.
    fn is_known_to_all(&self, node: &Node) -> bool {
        let mut others = self.threads.iter().chain(&self.open_moments);
        node.is_known_at(&self.caller) && others.all(|moment| node.is_known_at(moment))
    }

    /// Whether a piece of work waits for nothing but its turn, where some more work is done than this order knows.
    pub(crate) fn is_ready(&self, work: WorkId, also_done: &WorkSet) -> bool {
        let is_done = |other: &WorkId| also_done.contains(other) || self.is_done(*other);
        self.nodes.get(&work).is_some_and(|node| {
            !node.is_done() && node.before.iter().all(is_done) && node.overlaps.iter().all(is_done)
        })
    }

    /// Whether a piece of work is done.
    pub fn is_done(&self, work: WorkId) -> bool {
        self.nodes.get(&work).is_none_or(Node::is_done)
    }

    /// Whether a piece of work can still matter to other work.
    pub(crate) fn counts(&self, work: WorkId) -> bool {
        self.nodes.contains_key(&work)
    }

    /// What a piece of work follows among what was emitted, now that it is its turn.
    pub(crate) fn position(&mut self, work: WorkId) -> OrderPosition {
        self.settle();
        let Some(own) = self.nodes.get(&work) else { return OrderPosition::default() };
        let mut position = OrderPosition::default();
        for (id, node) in &self.nodes {
            let Progress::Done(Some(launch)) = node.progress else { continue };
            position.open.push(launch);
            if own.before.contains(id) {
                position.after.push(launch);
            } else if own.overlaps.contains(id) {
                position.after_wait.push(launch);
            } else if own.perhaps.contains(id) {
                position.perhaps_after.push(launch);
            }
        }
        let OrderPosition { open, after, after_wait, perhaps_after } = &mut position;
        for list in [open, after, after_wait, perhaps_after] {
            list.sort_unstable();
        }
        position
    }

    /// A piece of work is done, and its events were emitted under a number if it has one.
    pub(crate) fn done(&mut self, work: WorkId, emitted: Option<LaunchId>) {
        let Some(node) = self.nodes.get_mut(&work) else { return };
        node.progress = Progress::Done(emitted);
        self.note_times(work);
        if emitted.is_none() {
            self.forget(&WorkSet::from([work]));
        }
        self.settle();
    }

    /// What events that stand for a piece of work are known to have happened.
    fn note_times(&mut self, work: WorkId) {
        let WorkOrder { nodes, events, .. } = self;
        let is_done = |work: &WorkId| nodes.get(work).is_none_or(Node::is_done);
        for recorded in events.values_mut().filter(|recorded| recorded.work.contains(&work)) {
            if recorded.time.is_none() && recorded.work.iter().all(is_done) {
                recorded.time = Some(Instant::now());
            }
        }
    }

    /// What the next work of a stream would be after.
    fn next_in(&self, stream: Stream) -> WorkSet {
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
        let known = self.nodes.iter().filter(|(_, node)| node.is_known_at(&self.caller));
        direct.extend(known.map(|(work, _)| *work));
        self.with_all_before(direct)
    }

    fn with_all_before(&self, work: WorkSet) -> WorkSet {
        let before = work.iter().filter_map(|one| self.nodes.get(one));
        let before = before.flat_map(|node| &node.before);
        before.copied().chain(work.iter().copied()).collect()
    }

    /// Forgets what can matter to nothing that follows.
    fn settle(&mut self) {
        let mut followed: WorkSet =
            self.nodes.iter().filter(|(_, node)| node.is_done()).map(|(work, _)| *work).collect();
        for node in self.nodes.values().filter(|node| !node.is_done()) {
            followed.retain(|work| node.before.contains(work));
        }
        let is_unknown =
            |work: &&WorkId| self.nodes.get(*work).is_some_and(|node| !self.is_known_to_all(node));
        let unknown: WorkSet = followed.iter().filter(is_unknown).copied().collect();
        let mut unsettled = self.not_followed_by_all(unknown);
        if unsettled.len() > MOST_OPEN {
            // Only threads that synchronise unseen, or not at all, could still ask for something that is not after it.
            unsettled.retain(|work| self.nodes.get(work).is_some_and(|node| !node.is_seen));
        }
        followed.retain(|work| !unsettled.contains(work));
        self.forget(&followed);
    }

    /// The part of some work that a stream would not wait for.
    fn not_followed_by_all(&self, work: WorkSet) -> WorkSet {
        if work.is_empty() {
            return work;
        }
        let mut streams: BTreeSet<Stream> = self.streams.keys().copied().collect();
        let last = self.streams.get(&Stream::Legacy).cloned().unwrap_or_default();
        let mut followed = work.clone();
        if followed.len() <= MOST_OPEN {
            if self.host_can_race {
                return work;
            }
            streams.insert(Stream::Legacy);
            // A blocking stream that is made later follows what the default stream has waited for.
            let last = self.with_all_before(last);
            followed.retain(|work| last.contains(work));
        } else if last.is_empty() {
            // Nobody uses it, and it would never wait for streams that are not blocking.
            streams.remove(&Stream::Legacy);
        }
        for stream in streams {
            let next = self.next_in(stream);
            followed.retain(|work| next.contains(work));
        }
        &work - &followed
    }

    fn forget(&mut self, work: &WorkSet) {
        if work.is_empty() {
            return;
        }
        // Who waits for work that emitted nothing waits for what that was after.
        let silent: Vec<(WorkId, WorkSet)> = work
            .iter()
            .filter_map(|one| {
                let node = self.nodes.get(one)?;
                (node.progress == Progress::Done(None)).then(|| (*one, node.before.clone()))
            })
            .collect();
        let events = self.events.values_mut().map(|recorded| &mut recorded.work);
        let others = self.streams.values_mut().chain(events).chain([&mut self.gone]);
        for set in others {
            for (one, before) in &silent {
                if set.contains(one) {
                    set.extend(before);
                }
            }
            set.retain(|one| !work.contains(one));
        }
        self.nodes.retain(|one, _| !work.contains(one));
        for node in self.nodes.values_mut() {
            for set in [&mut node.before, &mut node.overlaps, &mut node.perhaps] {
                set.retain(|one| !work.contains(one));
            }
        }
    }

    /// An event stands for all work that is in a stream now.
    pub fn record(&mut self, event: EventNumber, stream: Stream) {
        let work = self.next_in(stream);
        let is_over = work.iter().all(|work| self.is_done(*work));
        let time = is_over.then(Instant::now);
        self.events.insert(event, Recorded { work, time });
    }

    /// An event stands for a piece of work, and for all that it is after.
    pub(crate) fn record_work(&mut self, event: EventNumber, work: WorkId) {
        let work = self.with_before(work);
        self.events.insert(event, Recorded { work, time: None });
    }

    /// When an event happened; nothing if it did not yet, or was never recorded.
    pub fn time_of(&self, event: EventNumber) -> Option<Instant> {
        self.events.get(&event).and_then(|recorded| recorded.time)
    }

    /// What follows in a stream waits for an event.
    pub fn wait(&mut self, stream: Stream, event: EventNumber) {
        let waited = self.events.get(&event).map(|recorded| recorded.work.clone());
        if stream == Stream::Legacy {
            // It waits for the blocking streams, too, and they for it.
            let before = self.next_in(stream);
            self.streams.entry(stream).or_default().extend(before);
        }
        self.streams.entry(stream).or_default().extend(waited.unwrap_or_default());
        self.settle();
    }

    /// The work that is done when a wait ends.
    pub fn awaited(&self, wait: Wait) -> WorkSet {
        match wait {
            Wait::Stream(stream) => self.next_in(stream),
            Wait::Event(event) => {
                self.events.get(&event).map(|recorded| recorded.work.clone()).unwrap_or_default()
            }
            Wait::Everything => self.nodes.keys().copied().collect(),
        }
    }

    /// A piece of work, with all that it is after.
    pub(crate) fn with_before(&self, work: WorkId) -> WorkSet {
        self.with_all_before(WorkSet::from([work]))
    }

    /// The caller has waited for work, which is done. Of work that another thread asked for unseen, it does not know
    /// that it was asked for before the wait.
    pub fn know(&mut self, work: &WorkSet) {
        let is_sure =
            |one: &&WorkId| self.nodes.get(*one).is_some_and(|node| self.caller.knows(node.asked));
        let sure = self.with_all_before(work.iter().filter(is_sure).copied().collect());
        let all = self.with_all_before(work.clone());
        for one in all {
            let Some(node) = self.nodes.get_mut(&one) else { continue };
            node.is_seen = true;
            if sure.contains(&one) {
                node.set_known_at(&self.caller);
            }
        }
        self.settle();
    }

    /// All threads of the host know that work is done.
    pub(crate) fn know_all(&mut self, work: &WorkSet) {
        for one in self.with_all_before(work.clone()) {
            let Some(node) = self.nodes.get_mut(&one) else { continue };
            for moment in self.threads.iter().chain([&self.caller]) {
                node.set_known_at(moment);
            }
        }
        self.settle();
    }
}

#[cfg(test)]
mod tests;
