//! Locks that several may hold for reading.

use super::sync_clock::SyncClock;
use crate::rules::{Rule, Rules};
use crate::thread_state::ThreadState;
use crate::tool::Tool;

/// The clocks of a lock for readers and writers: readers are behind the last writer, a writer is behind all readers since.
#[derive(Debug, Default)]
pub struct ReadWriteClock {
    writer: SyncClock,
    readers: SyncClock,
}

impl<T: Tool> ThreadState<T> {
    /// The lock was taken for reading.
    pub fn acquire_for_reading(&mut self, lock: &ReadWriteClock) {
        self.acquire(&lock.writer);
    }

    /// The lock is about to be given back by a reader.
    pub fn release_from_reading(&mut self, lock: &ReadWriteClock) {
        self.release_also(&lock.readers);
    }

    /// The lock was taken for writing.
    pub fn acquire_for_writing(&mut self, lock: &ReadWriteClock) {
        self.acquire(&lock.writer);
        if T::Rules::has(Rule::ReadersReachWriter) {
            self.acquire(&lock.readers);
        }
    }

    /// The lock is about to be given back by the writer, who knows all readers.
    pub fn release_from_writing(&mut self, lock: &ReadWriteClock) {
        lock.readers.clear();
        self.release(&lock.writer);
    }
}
