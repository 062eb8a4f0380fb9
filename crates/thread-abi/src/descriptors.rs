//! Descriptors: what is written to one end of a pipe or socket is before what is read from the other.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use warpsan_thread_detect::SyncClock;

use crate::lock::locked;

/// Clocks of descriptors. Files have none: a file is no way to wait for somebody.
#[derive(Default)]
pub(crate) struct Descriptors {
    clocks: Mutex<BTreeMap<i32, Arc<SyncClock>>>,
    /// Sockets that are connected, whose other end is not known.
    network: Arc<SyncClock>,
}

impl Descriptors {
    /// The clock of a descriptor, if it has one.
    pub(crate) fn clock(&self, descriptor: i32) -> Option<Arc<SyncClock>> {
        locked(&self.clocks).get(&descriptor).cloned()
    }

    /// Two ends of one thing; or one thing with one end, twice. Their clock.
    pub(crate) fn connect(&self, one: i32, other: i32) -> Arc<SyncClock> {
        let clock = Arc::<SyncClock>::default();
        let mut clocks = locked(&self.clocks);
        clocks.insert(one, Arc::clone(&clock));
        clocks.insert(other, Arc::clone(&clock));
        clock
    }

    /// A socket to anywhere.
    pub(crate) fn open_socket(&self, descriptor: i32) {
        locked(&self.clocks).insert(descriptor, Arc::clone(&self.network));
    }

    /// A second number for the same thing.
    pub(crate) fn duplicate(&self, from: i32, to: i32) {
        let mut clocks = locked(&self.clocks);
        match clocks.get(&from).cloned() {
            Some(clock) => clocks.insert(to, clock),
            None => clocks.remove(&to),
        };
    }

    pub(crate) fn close(&self, descriptor: i32) {
        locked(&self.clocks).remove(&descriptor);
    }
}
