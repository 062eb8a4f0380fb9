//! Things that synchronise and are more than one clock: locks for readers and writers, and barriers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use warpsan_thread_detect::{BarrierClock, ReadWriteClock};

use crate::lock::locked;

/// By address.
#[derive(Default)]
pub(crate) struct Objects {
    read_write: Mutex<BTreeMap<u64, Arc<ReadWriteClock>>>,
    barriers: Mutex<BTreeMap<u64, Arc<Barrier>>>,
}

/// A barrier.
#[derive(Default)]
pub(crate) struct Barrier {
    pub(crate) clock: BarrierClock,
    /// How many threads it waits for.
    pub(crate) parties: std::sync::atomic::AtomicU32,
}

impl Objects {
    /// The lock for readers and writers at this address.
    pub(crate) fn read_write(&self, address: u64) -> Arc<ReadWriteClock> {
        Arc::clone(locked(&self.read_write).entry(address).or_default())
    }

    /// The barrier at this address.
    pub(crate) fn barrier(&self, address: u64) -> Arc<Barrier> {
        Arc::clone(locked(&self.barriers).entry(address).or_default())
    }

    /// What was at these addresses is gone.
    pub(crate) fn forget(&self, address: u64, size: u64) {
        let end = address.saturating_add(size);
        remove_range(&mut locked(&self.read_write), address, end);
        remove_range(&mut locked(&self.barriers), address, end);
    }
}

fn remove_range<T>(map: &mut BTreeMap<u64, T>, from: u64, to: u64) {
    while let Some(key) = map.range(from..to).next().map(|(key, _)| *key) {
        map.remove(&key);
    }
}
