//! Which clock belongs to which address.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::sync_clock::SyncClock;
use crate::spin::SpinLock;

/// The clocks of atomic variables and locks, by their address. Any number of threads may use it at once.
#[derive(Debug)]
pub struct SyncTable {
    /// An address belongs to the shard of its page.
    shards: Box<[SpinLock<Shard>]>,
}

/// Clocks by address.
type Shard = BTreeMap<u64, Arc<SyncClock>>;

impl Default for SyncTable {
    fn default() -> Self {
        Self { shards: (0..Self::SHARDS).map(|_| SpinLock::new(Shard::new())).collect() }
    }
}

impl SyncTable {
    const SHARDS: u64 = 64;
    const PAGE_BITS: u32 = 12;

    /// The clock of the variable at this address.
    pub fn at(&self, address: u64) -> Arc<SyncClock> {
        let shard = &self.shards[((address >> Self::PAGE_BITS) % Self::SHARDS) as usize];
        Arc::clone(shard.lock().entry(address).or_default())
    }

    /// Memory was freed: the variables in it are gone.
    pub fn forget(&self, address: u64, size: u64) {
        if size == 0 {
            return;
        }
        let last = address.saturating_add(size - 1);
        let pages = (address >> Self::PAGE_BITS)..=(last >> Self::PAGE_BITS);
        for page in pages.take(Self::SHARDS as usize) {
            let mut shard = self.shards[(page % Self::SHARDS) as usize].lock();
            let gone: Vec<u64> = shard.range(address..=last).map(|(key, _)| *key).collect();
            for key in gone {
                shard.remove(&key);
            }
        }
    }

    /// How many variables it has.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().len()).sum()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
