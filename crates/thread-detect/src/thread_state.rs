//! What a thread is to a tool.

use warpsan_thread_clock::{Clock, Epoch, ThreadId, VectorClock};

use crate::counters::Counters;
use crate::metadata::RecordCache;
use crate::shadow::LeafCache;
use crate::tool::Tool;

/// A thread of the checked program. It belongs to that thread alone; see `order` for what changes its clock.
pub struct ThreadState<T: Tool> {
    /// `E(t)`. Invariant: it is `C_t(t)@t`.
    pub(crate) epoch: Epoch,
    /// `C_t`: what the thread knows of all threads.
    pub(crate) clock: VectorClock,
    /// What the thread knew at its last fence that releases, and the epoch that this fence ended.
    pub(crate) fence: (VectorClock, Epoch),
    /// What relaxed reads have observed: a fence that acquires makes it known.
    pub(crate) observed: VectorClock,
    /// Where it has been in shadow memory.
    pub(crate) leaves: LeafCache,
    pub(crate) local: T::Local,
    pub(crate) cache: RecordCache,
    pub(crate) counters: Counters,
    /// Which checker it belongs to.
    pub(crate) owner: u64,
}

/// Who accesses, and what it knows.
pub(crate) struct Moment<'a> {
    pub(crate) epoch: Epoch,
    pub(crate) clock: &'a VectorClock,
}

impl<T: Tool> ThreadState<T> {
    /// The state of a thread that begins with this clock, in which it has its own.
    pub(crate) fn new(tool: &T, id: ThreadId, clock: VectorClock, owner: u64) -> Self {
        debug_assert!(clock.get(id) > Clock::ZERO);
        Self {
            epoch: Epoch::new(clock.get(id), id),
            clock,
            fence: (VectorClock::default(), Epoch::NONE),
            observed: VectorClock::default(),
            leaves: LeafCache::default(),
            local: tool.local(),
            cache: RecordCache::default(),
            counters: Counters::default(),
            owner,
        }
    }

    /// Its id.
    pub fn id(&self) -> ThreadId {
        self.epoch.thread()
    }

    /// Its epoch: an access now is recorded with it.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// What it knows of all threads.
    pub fn clock(&self) -> &VectorClock {
        &self.clock
    }

    /// What it has counted.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    #[inline]
    pub(crate) fn moment(&self) -> Moment<'_> {
        Moment { epoch: self.epoch, clock: &self.clock }
    }

    /// `inc_t(C_t)`.
    pub(crate) fn begin_epoch(&mut self) {
        let id = self.id();
        let clock = self.epoch.clock().next();
        self.clock.set(id, clock);
        self.epoch = Epoch::new(clock, id);
    }
}
