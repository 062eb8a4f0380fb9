//! Threads begin and end.

use warpsan_thread_clock::{Clock, NoMoreThreads, ThreadId, ThreadIds, VectorClock};

use crate::rules::{Rule, Rules};
use crate::spin::SpinLock;
use crate::thread_state::ThreadState;
use crate::tool::Tool;

/// Gives threads their ids.
#[derive(Debug, Default)]
pub struct Threads(SpinLock<ThreadIds>);

/// A thread that was started and has not begun.
#[derive(Debug)]
pub struct NewThread {
    pub(crate) id: ThreadId,
    pub(crate) clock: VectorClock,
}

/// A thread that has ended and waits to be joined.
#[derive(Debug)]
pub struct FinishedThread {
    pub(crate) id: ThreadId,
    pub(crate) clock: VectorClock,
}

impl Threads {
    /// A thread that nobody is known to have started: the first one, or one that was not seen to start.
    pub fn root(&self) -> Result<NewThread, NoMoreThreads> {
        self.start(VectorClock::default(), &VectorClock::default())
    }

    /// A thread that has ended and that nobody will join: its id is free for who knows all that it did.
    pub fn abandon(&self, finished: FinishedThread) {
        let FinishedThread { id, clock } = finished;
        self.0.lock().give_back(id, clock.get(id).next());
    }

    /// `inherited`: what the thread knows; `parent`: what the thread knows that starts it.
    fn start(
        &self,
        inherited: VectorClock,
        parent: &VectorClock,
    ) -> Result<NewThread, NoMoreThreads> {
        let (id, start) = self.0.lock().take(parent)?;
        let mut clock = inherited;
        clock.set(id, start);
        Ok(NewThread { id, clock })
    }
}

impl NewThread {
    /// Its id.
    pub fn id(&self) -> ThreadId {
        self.id
    }
}

impl FinishedThread {
    /// Its id.
    pub fn id(&self) -> ThreadId {
        self.id
    }
}

impl<T: Tool> ThreadState<T> {
    /// FORK: the thread is about to start another one.
    pub fn fork(&mut self, threads: &Threads) -> Result<NewThread, NoMoreThreads> {
        let orders = T::Rules::has(Rule::ForkOrders);
        let inherited = if orders { self.clock.clone() } else { VectorClock::default() };
        let child = threads.start(inherited, &self.clock)?;
        if T::Rules::has(Rule::ForkIncrements) {
            self.begin_epoch();
        }
        Ok(child)
    }

    /// All that another thread did is before what this one does from now on, and the other is no more: a process was forked, and its
    /// memory is a copy.
    pub fn outlive(&mut self, other: &ThreadState<T>) {
        self.clock.join(&other.clock);
    }

    /// As [`ThreadState::outlive`], for a thread that has ended.
    pub fn outlive_finished(&mut self, finished: &FinishedThread) {
        self.clock.join(&finished.clock);
    }

    /// JOIN: the thread has waited for another one's end.
    pub fn join(&mut self, finished: FinishedThread, threads: &Threads) {
        let FinishedThread { id, clock } = finished;
        let mut next: Clock = clock.get(id);
        if T::Rules::has(Rule::JoinIncrements) {
            next = next.next();
        }
        if T::Rules::has(Rule::JoinOrders) {
            self.clock.join(&clock);
        }
        threads.0.lock().give_back(id, next);
    }
}
