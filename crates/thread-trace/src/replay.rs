//! A trace through a tool.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;
use thiserror::Error;
use warpsan_thread_detect::{
    BarrierClock, BarrierPhase, Checker, Clock, Conflict, Counters, Epoch, FinishedThread, Memory,
    NewThread, NoMoreThreads, ReadWriteClock, Span, SyncTable, ThreadId, ThreadState, Tool,
};

use crate::event::{Action, Barrier, Event, Lock, Trace, TraceThread};

/// Two accesses that race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The event with the later one, from zero.
    pub event: usize,
    /// The bytes that they have in common.
    pub span: Span,
    /// Whose the earlier one was.
    pub earlier: TraceThread,
    /// What the earlier one was.
    pub conflict: Conflict,
}

/// What came of a trace.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// All races that the tool has reported, in the order of the trace.
    pub races: Vec<Race>,
    /// The counters of all threads.
    pub counters: Counters,
    /// Bytes of metadata, as they were at the end of the trace.
    pub memory: Memory,
    /// Bytes of shadow memory.
    pub shadow_bytes: u64,
}

/// Why a trace cannot be replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// A thread did something after it was joined.
    #[error("event {event}: thread {} was joined before", thread.0)]
    AlreadyJoined {
        /// Which event, from zero.
        event: usize,
        /// Who.
        thread: TraceThread,
    },
    /// A thread was started that has run already.
    #[error("event {event}: thread {} exists already", thread.0)]
    AlreadyStarted {
        /// Which event, from zero.
        event: usize,
        /// Who.
        thread: TraceThread,
    },
    /// A thread was waited for that was never started.
    #[error("event {event}: thread {} was never started", thread.0)]
    NeverStarted {
        /// Which event, from zero.
        event: usize,
        /// Who.
        thread: TraceThread,
    },
    /// There are too many threads.
    #[error(transparent)]
    NoMoreThreads(#[from] NoMoreThreads),
}

/// Runs a trace through a tool. A thread that no event starts begins by itself, behind nobody.
pub fn replay<T: Tool>(checker: &Checker<T>, trace: &Trace) -> Result<Replayed, ReplayError> {
    let mut replay = Replay::new(checker);
    let mut races = Vec::new();
    for event in &trace.events {
        replay.event(event, &mut |race| races.push(race))?;
    }
    Ok(replay.finish(races))
}

/// Who had an id, each with the clock at which it began, in that order.
type Holders = FxHashMap<ThreadId, Vec<(Clock, TraceThread)>>;

fn holder_of(holders: &Holders, epoch: Epoch) -> Option<TraceThread> {
    let begun = |(start, _): &&(Clock, TraceThread)| *start <= epoch.clock();
    holders.get(&epoch.thread())?.iter().rev().find(begun).map(|(_, holder)| *holder)
}

/// A trace on its way through a tool, event by event.
pub struct Replay<'c, T: Tool> {
    checker: &'c Checker<T>,
    /// How many events there were.
    events: usize,
    /// All threads that there were; `None`: it was joined.
    threads: FxHashMap<TraceThread, Option<ThreadState<T>>>,
    holders: Holders,
    read_write_locks: BTreeMap<Lock, ReadWriteClock>,
    barriers: BTreeMap<Barrier, BarrierClock>,
    /// The phase that a thread has entered and not left.
    waiting: FxHashMap<(Barrier, ThreadId), BarrierPhase>,
    /// Of atomic variables, and of locks that one thread holds.
    clocks: SyncTable,
}

impl<'c, T: Tool> Replay<'c, T> {
    /// A replay that begins.
    pub fn new(checker: &'c Checker<T>) -> Self {
        Self {
            checker,
            events: 0,
            threads: FxHashMap::default(),
            holders: FxHashMap::default(),
            read_write_locks: BTreeMap::new(),
            barriers: BTreeMap::new(),
            waiting: FxHashMap::default(),
            clocks: SyncTable::default(),
        }
    }

    /// The epoch that a thread is in; `None` where it has not begun, or was joined.
    pub fn epoch_of(&self, thread: TraceThread) -> Option<Epoch> {
        self.threads.get(&thread)?.as_ref().map(ThreadState::epoch)
    }

    /// The state of a thread; `None` where it has not begun, or was joined.
    pub fn state_of(&self, thread: TraceThread) -> Option<&ThreadState<T>> {
        self.threads.get(&thread)?.as_ref()
    }

    /// Who had the id of an epoch then. Ids are given out again.
    pub fn holder_of(&self, epoch: Epoch) -> Option<TraceThread> {
        holder_of(&self.holders, epoch)
    }

    /// How many events there were.
    pub fn events(&self) -> usize {
        self.events
    }

    /// The thread of the next event, which begins by itself if no event has started it: its epoch.
    pub fn enter(&mut self, thread: TraceThread) -> Result<Epoch, ReplayError> {
        if let Some(epoch) = self.epoch_of(thread) {
            return Ok(epoch);
        }
        let state = self.take(self.events, thread)?;
        let epoch = state.epoch();
        self.threads.insert(thread, Some(state));
        Ok(epoch)
    }

    /// The next event is nothing for the tool, and nothing that orders threads.
    pub fn skip(&mut self) {
        self.events += 1;
    }

    /// The next event.
    pub fn event(&mut self, event: &Event, found: &mut dyn FnMut(Race)) -> Result<(), ReplayError> {
        let index = self.events;
        self.events += 1;
        let mut thread = self.take(index, event.thread)?;
        if event.action == Action::Abandon(event.thread) {
            self.threads.insert(event.thread, None);
            self.checker.threads().abandon(self.checker.finish(thread));
            return Ok(());
        }
        let done = self.act(index, &mut thread, event.action, found);
        self.threads.insert(event.thread, Some(thread));
        done
    }

    /// The trace ends. `races` are those that were found.
    pub fn finish(mut self, races: Vec<Race>) -> Replayed {
        let checker = self.checker;
        for state in self.threads.values_mut().flatten() {
            checker.settle(state);
        }
        let memory = checker.memory();
        for state in std::mem::take(&mut self.threads).into_values().flatten() {
            checker.finish(state);
        }
        let shadow_bytes = checker.shadow_bytes();
        Replayed { races, counters: checker.counters(), memory, shadow_bytes }
    }

    fn begin(&mut self, name: TraceThread, new: NewThread) {
        let state = self.checker.begin(new);
        let epoch = state.epoch();
        self.holders.entry(epoch.thread()).or_default().push((epoch.clock(), name));
        self.threads.insert(name, Some(state));
    }

    fn take(&mut self, index: usize, name: TraceThread) -> Result<ThreadState<T>, ReplayError> {
        if !self.threads.contains_key(&name) {
            let new = self.checker.threads().root()?;
            self.begin(name, new);
        }
        let joined = ReplayError::AlreadyJoined { event: index, thread: name };
        self.threads.get_mut(&name).and_then(Option::take).ok_or(joined)
    }

    fn act(
        &mut self,
        index: usize,
        thread: &mut ThreadState<T>,
        action: Action,
        races: &mut dyn FnMut(Race),
    ) -> Result<(), ReplayError> {
        let checker = self.checker;
        let holders = &self.holders;
        let mut found = |span, conflict: Conflict| {
            if let Some(earlier) = holder_of(holders, conflict.earlier) {
                races(Race { event: index, span, earlier, conflict });
            }
        };
        match action {
            Action::Read(span) => checker.access_by_steps::<false>(thread, span, &mut found),
            Action::Write(span) => checker.access_by_steps::<true>(thread, span, &mut found),
            Action::AtomicRead(span, order) => {
                let clock = self.clocks.at(span.address);
                clock.hold().observe(thread, order);
                checker.atomic_read(thread, span, &mut found);
            }
            Action::AtomicWrite(span, order) => {
                let clock = self.clocks.at(span.address);
                let mut held = clock.hold();
                checker.atomic_write(thread, span, &mut found);
                held.store(thread, order);
            }
            Action::AtomicUpdate(span, order) => {
                let clock = self.clocks.at(span.address);
                let mut held = clock.hold();
                held.observe(thread, order);
                checker.atomic_write(thread, span, &mut found);
                held.update(thread, order);
            }
            Action::Fence(order) => thread.fence(order),
            Action::Acquire(lock) => thread.acquire(self.clocks.at(lock.0)),
            Action::Release(lock) => thread.release(self.clocks.at(lock.0)),
            Action::Post(lock) => thread.release_also(self.clocks.at(lock.0)),
            Action::AcquireForReading(lock) => {
                thread.acquire_for_reading(self.read_write_locks.entry(lock).or_default());
            }
            Action::ReleaseFromReading(lock) => {
                thread.release_from_reading(self.read_write_locks.entry(lock).or_default());
            }
            Action::AcquireForWriting(lock) => {
                thread.acquire_for_writing(self.read_write_locks.entry(lock).or_default());
            }
            Action::ReleaseFromWriting(lock) => {
                thread.release_from_writing(self.read_write_locks.entry(lock).or_default());
            }
            Action::Fork(child) => {
                // A thread that acts is in the map, too, as one that is not there now.
                if self.threads.contains_key(&child) {
                    return Err(ReplayError::AlreadyStarted { event: index, thread: child });
                }
                let new = thread.fork(checker.threads())?;
                self.begin(child, new);
            }
            Action::Join(child) => {
                let finished = self.finish_thread(index, child)?;
                thread.join(finished, checker.threads());
            }
            Action::Abandon(child) => {
                let finished = self.finish_thread(index, child)?;
                checker.threads().abandon(finished);
            }
            Action::EnterBarrier(barrier, parties) => {
                let clock = self.barriers.entry(barrier).or_default();
                let phase = thread.enter_barrier(clock, parties);
                self.waiting.insert((barrier, thread.id()), phase);
            }
            Action::LeaveBarrier(barrier) => {
                if let Some(phase) = self.waiting.remove(&(barrier, thread.id())) {
                    thread.leave_barrier(self.barriers.entry(barrier).or_default(), phase);
                }
            }
            Action::Destroy(span) => self.forget(span),
            Action::Allocate(span) => {
                checker.reset(thread, span);
                self.forget(span);
            }
            Action::Free(span) => {
                checker.free(thread, span, &mut found);
                self.forget(span);
            }
            Action::Begin | Action::End => {}
        }
        Ok(())
    }

    fn finish_thread(
        &mut self,
        index: usize,
        name: TraceThread,
    ) -> Result<FinishedThread, ReplayError> {
        let never = ReplayError::NeverStarted { event: index, thread: name };
        let joined = ReplayError::AlreadyJoined { event: index, thread: name };
        let state = self.threads.get_mut(&name).ok_or(never)?.take().ok_or(joined)?;
        Ok(self.checker.finish(state))
    }

    /// What synchronised at these addresses is gone.
    fn forget(&mut self, span: Span) {
        let Span { address, size } = span;
        let end = address.saturating_add(size);
        self.clocks.forget(address, size);
        remove_range(&mut self.read_write_locks, Lock(address)..Lock(end));
        remove_range(&mut self.barriers, Barrier(address)..Barrier(end));
    }
}

fn remove_range<K: Ord + Copy, V>(map: &mut BTreeMap<K, V>, range: Range<K>) {
    while let Some(key) = map.range(range.start..range.end).next().map(|(key, _)| *key) {
        map.remove(&key);
    }
}
