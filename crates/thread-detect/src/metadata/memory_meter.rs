//! How much memory records take.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Bytes of metadata, as they were when threads last settled their accounts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// Bytes of records in use.
    pub live: u64,
    /// Those of them that are vectors of reads.
    pub live_vectors: u64,
    /// Those of them that are of locations with atomic accesses.
    pub live_mixed: u64,
    /// Those of them that are of words whose bytes have different metadata.
    pub live_compositions: u64,
    /// The most bytes of records that were in use.
    pub peak: u64,
    /// The mean of bytes in use over all times that an account was settled.
    pub mean: f64,
    /// Bytes that were taken from the storage.
    pub reserved: u64,
}

/// What all threads have settled.
#[derive(Debug, Default)]
pub(super) struct MemoryMeter {
    pub(super) reserved: AtomicU64,
    live: AtomicI64,
    vectors: AtomicI64,
    mixed: AtomicI64,
    compositions: AtomicI64,
    peak: AtomicI64,
    sum: AtomicU64,
    samples: AtomicU64,
}

/// What one thread has not settled yet: bytes that it took, less those that it gave back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unsettled {
    pub(super) all: i64,
    pub(super) vectors: i64,
    pub(super) mixed: i64,
    pub(super) compositions: i64,
}

impl MemoryMeter {
    pub(super) fn settle(&self, account: &mut Unsettled) {
        let account = std::mem::take(account);
        let live = self.live.fetch_add(account.all, Ordering::Relaxed) + account.all;
        self.vectors.fetch_add(account.vectors, Ordering::Relaxed);
        self.mixed.fetch_add(account.mixed, Ordering::Relaxed);
        self.compositions.fetch_add(account.compositions, Ordering::Relaxed);
        self.peak.fetch_max(live, Ordering::Relaxed);
        // Another thread may have settled what it gave back before who took it: never for long.
        self.sum.fetch_add(live.max(0) as u64, Ordering::Relaxed);
        self.samples.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> Memory {
        let bytes = |count: &AtomicI64| count.load(Ordering::Relaxed).max(0) as u64;
        let samples = self.samples.load(Ordering::Relaxed).max(1);
        Memory {
            live: bytes(&self.live),
            live_vectors: bytes(&self.vectors),
            live_mixed: bytes(&self.mixed),
            live_compositions: bytes(&self.compositions),
            peak: bytes(&self.peak),
            mean: self.sum.load(Ordering::Relaxed) as f64 / samples as f64,
            reserved: self.reserved.load(Ordering::Relaxed),
        }
    }
}
