//! Epoch store buffers: epochs on their way to software (section 4.3.1).

use warpsan_thread_detect::Epoch;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    address: u64,
    is_write: bool,
    epoch: Epoch,
}

/// The buffer of a core.
///
/// The thesis has entries of the same address and kind coalesced, whoever made the accesses. Reads of two threads need not be ordered,
/// and the older one would be lost: so here entries of one thread are, unless the short cut is asked for.
#[derive(Debug)]
pub(super) struct Buffer {
    entries: Vec<Entry>,
    room: usize,
    coalesces_threads: bool,
}

/// What came of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// It is in the buffer.
    Kept,
    /// The buffer was full and was drained first.
    Drained,
    /// There is no buffer.
    NoBuffer,
    /// It took the place of an entry of another thread, which software will never hear of: a short cut.
    InPlaceOf(Epoch),
}

impl Buffer {
    pub(super) fn new(room: usize, coalesces_threads: bool) -> Buffer {
        Buffer { entries: Vec::with_capacity(room), room, coalesces_threads }
    }

    pub(super) fn store(&mut self, address: u64, is_write: bool, epoch: Epoch) -> Stored {
        if self.room == 0 {
            return Stored::NoBuffer;
        }
        let alike = |entry: &&mut Entry| {
            (entry.address, entry.is_write) == (address, is_write)
                && (self.coalesces_threads || entry.epoch.thread() == epoch.thread())
        };
        if let Some(entry) = self.entries.iter_mut().find(alike) {
            let old = std::mem::replace(&mut entry.epoch, epoch);
            let is_same = old.thread() == epoch.thread();
            return if is_same { Stored::Kept } else { Stored::InPlaceOf(old) };
        }
        let drained = self.entries.len() == self.room;
        if drained {
            self.entries.clear();
        }
        self.entries.push(Entry { address, is_write, epoch });
        if drained { Stored::Drained } else { Stored::Kept }
    }

    /// Whether somebody who asks for this epoch finds it here.
    pub(super) fn has(&self, address: u64, is_write: bool, epoch: Epoch) -> bool {
        self.entries.contains(&Entry { address, is_write, epoch })
    }

    /// The memory is somebody else's now.
    pub(super) fn forget(&mut self, from: u64, to: u64) {
        self.entries.retain(|entry| !(from..to).contains(&entry.address));
    }
}
