//! What a thread of the host knows of the others: a count for each thread.

use std::sync::Arc;

/// A thread of the host, numbered in the order in which threads are made. The first one stands for all that a process
/// does before it has several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostThread(pub u32);

impl HostThread {
    /// The thread that there is before others are made.
    pub const FIRST: HostThread = HostThread(0);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A count of a thread, which grows where the thread may hand something over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct HostEpoch(u32);

impl HostEpoch {
    const FIRST: HostEpoch = HostEpoch(1);
}

/// The epochs of all threads up to which something is known. Threads that are not in it are not known at all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct HostClock(Vec<HostEpoch>);

impl HostClock {
    /// What a thread knows that nobody has made.
    pub(super) fn of_first() -> HostClock {
        HostClock(vec![HostEpoch::FIRST])
    }

    fn get(&self, thread: HostThread) -> HostEpoch {
        self.0.get(thread.index()).copied().unwrap_or_default()
    }

    fn raise(&mut self, thread: HostThread, epoch: HostEpoch) {
        if self.0.len() <= thread.index() {
            self.0.resize(thread.index() + 1, HostEpoch::default());
        }
        let own = &mut self.0[thread.index()];
        *own = epoch.max(*own);
    }

    /// From now on everything that the other knows is known.
    pub(super) fn join(&mut self, other: &HostClock) {
        for (index, epoch) in other.0.iter().enumerate() {
            self.raise(HostThread(index as u32), *epoch);
        }
    }

    /// What a thread does from now on is not known to those who know what it did so far.
    pub(super) fn advance(&mut self, thread: HostThread) {
        let next = HostEpoch(self.get(thread).0.saturating_add(1));
        self.raise(thread, next);
    }
}

/// A moment of a thread of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// The thread.
    pub thread: HostThread,
    /// What it knows.
    pub(super) clock: Arc<HostClock>,
}

impl Default for Moment {
    /// A moment of a process that has one thread.
    fn default() -> Self {
        Moment { thread: HostThread::FIRST, clock: Arc::new(HostClock::of_first()) }
    }
}

impl Moment {
    /// The thread and its epoch, by which others know of this moment.
    pub(crate) fn stamp(&self) -> Stamp {
        Stamp { thread: self.thread, epoch: self.clock.get(self.thread) }
    }

    /// Whether what happened then is known now.
    pub(crate) fn knows(&self, stamp: Stamp) -> bool {
        self.clock.get(stamp.thread) >= stamp.epoch
    }
}

/// When something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    thread: HostThread,
    epoch: HostEpoch,
}

#[cfg(test)]
impl Moment {
    /// The first moment of a thread that knows what some others know.
    pub(crate) fn for_tests(number: u32, knows: &[&Moment]) -> Moment {
        let thread = HostThread(number);
        let mut clock = HostClock::of_first();
        clock.advance(thread);
        knows.iter().for_each(|other| clock.join(&other.clock));
        Moment { thread, clock: Arc::new(clock) }
    }
}
