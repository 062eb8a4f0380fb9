//! What a slot says, as plain data: for tests, and for messages about a race.

use warpsan_thread_clock::Epoch;

use super::mixed::Mixed;
use super::pair::Pair;
use super::reads::Reads;
use crate::slot::{Kind, Slot};

/// What is known of a location.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Description {
    /// Nobody has accessed it.
    Empty,
    /// An EpochPair.
    Pair {
        /// The last write.
        write: Epoch,
        /// The last read.
        read: Epoch,
    },
    /// An EpochPlusVC.
    Vector {
        /// The last write.
        write: Epoch,
        /// The last reads of threads, by thread.
        reads: Vec<Epoch>,
    },
    /// It was accessed by atomic operations.
    Mixed {
        /// The last plain write.
        write: Epoch,
    },
    /// Its parts have metadata of their own.
    Divided,
}

/// What a slot says, which other threads may change meanwhile.
///
/// # Safety
///
/// As for the calls of [`Tool`](crate::Tool).
pub(crate) unsafe fn describe(slot: &Slot) -> Description {
    loop {
        let word = slot.load();
        if word.is_empty() {
            return Description::Empty;
        }
        if word.kind() == Kind::Divided {
            return Description::Divided;
        }
        // SAFETY: the caller's promise.
        let record = unsafe { word.record() };
        let description = match word.kind() {
            Kind::Pair => {
                Description::Pair { write: Pair(record).write(), read: Pair(record).read() }
            }
            Kind::Reads => {
                let mut reads: Vec<Epoch> = Reads(record).epochs().collect();
                reads.sort_by_key(|epoch| epoch.thread());
                Description::Vector { write: Reads(record).write(), reads }
            }
            Kind::Mixed | Kind::Divided => Description::Mixed { write: Mixed(record).write() },
        };
        if slot.still_has(word) {
            return description;
        }
    }
}
