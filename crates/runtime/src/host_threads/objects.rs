//! What threads synchronise by, and what each such thing passes on.

use super::clock::{HostClock, HostThread};
use std::collections::{HashMap, HashSet};

/// Something that threads wait for, by its address in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Object {
    /// A mutex, a spin lock, or a lock for readers and writers.
    Lock(usize),
    /// What readers of such a lock hand to its next writer.
    Readers(usize),
    /// A condition variable.
    Condition(usize),
    /// A semaphore.
    Semaphore(usize),
    /// A barrier.
    Barrier(usize),
    /// Something that is done once: `pthread_once`, or a variable of a function that is initialised when it is used first.
    Once(usize),
    /// The end of a thread.
    End(HostThread),
    /// A function of the host that runs in a stream.
    Function,
}

/// What was handed to objects, and who holds them.
#[derive(Debug, Default)]
pub(super) struct Objects {
    clocks: HashMap<Object, HostClock>,
    holders: HashMap<Object, HostThread>,
    /// Barriers: how many threads meet there, and how many are there.
    barriers: HashMap<usize, Meeting>,
    /// Condition variables that processes share.
    shared: HashSet<usize>,
}

/// A barrier.
#[derive(Debug, Default)]
pub(super) struct Meeting {
    pub(super) wanted: u32,
    pub(super) arrived: u32,
    /// What those who are there know.
    pub(super) gathered: HostClock,
}

impl Objects {
    /// Whoever acquires the object next knows what this clock knows.
    pub(super) fn hand_over(&mut self, object: Object, clock: &HostClock) {
        self.clocks.entry(object).or_default().join(clock);
    }

    /// What was handed over.
    pub(super) fn handed_over(&self, object: Object) -> Option<&HostClock> {
        self.clocks.get(&object)
    }

    pub(super) fn set_holder(&mut self, object: Object, holder: Option<HostThread>) {
        match holder {
            Some(thread) => self.holders.insert(object, thread),
            None => self.holders.remove(&object),
        };
    }

    pub(super) fn holder(&self, object: Object) -> Option<HostThread> {
        self.holders.get(&object).copied()
    }

    pub(super) fn forget(&mut self, object: Object) {
        self.clocks.remove(&object);
        self.holders.remove(&object);
        if let Object::Barrier(address) = object {
            self.barriers.remove(&address);
        }
    }

    pub(super) fn set_meeting(&mut self, address: usize, wanted: u32) {
        self.barriers.insert(address, Meeting { wanted, ..Meeting::default() });
    }

    pub(super) fn set_shared(&mut self, address: usize, is_shared: bool) {
        match is_shared {
            true => self.shared.insert(address),
            false => self.shared.remove(&address),
        };
    }

    pub(super) fn is_shared(&self, address: usize) -> bool {
        self.shared.contains(&address)
    }

    pub(super) fn meeting(&mut self, address: usize) -> Option<&mut Meeting> {
        self.barriers.get_mut(&address)
    }
}
